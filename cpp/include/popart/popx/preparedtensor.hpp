// What a lowering wants of a tensor before it grows. After popart/popx/preparedtensor.hpp of PopART 3.
#ifndef popart_popx_preparedtensor_hpp
#define popart_popx_preparedtensor_hpp

#include <popart/names.hpp>

#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

enum class CanAlias { No = 0, Yes };
enum class RequireParallelWritable { No = 0, Yes };

/// A tensor that is to have the layout of another one.
struct PreparedTensorInfo {
  PreparedTensorInfo(TensorId srcId_, TensorId dstId_, CanAlias canAlias_,
                     RequireParallelWritable requireParallelWritable_)
      : srcId(std::move(srcId_)),
        dstId(std::move(dstId_)),
        canAlias(canAlias_),
        requireParallelWritable(requireParallelWritable_) {}

  TensorId srcId;
  TensorId dstId;
  CanAlias canAlias;
  RequireParallelWritable requireParallelWritable;
};
using PreparedTensorInfos = std::vector<PreparedTensorInfo>;

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
