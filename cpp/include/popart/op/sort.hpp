// All elements along an axis, in order. After popart/op/sort.hpp of PopART 3.
#ifndef popart_op_sort_hpp
#define popart_op_sort_hpp

#include <popart/op/topk.hpp>

#include <cstdint>
#include <memory>

#pragma GCC visibility push(default)

namespace popart {

class SortOp : public TopKOp {
 public:
  /// `axisSize` is the number of elements along the axis, 0 if it is not known yet.
  SortOp(const OperatorIdentifier& opid, int64_t axis, int64_t axisSize, bool descending,
         bool stable, const Op::Settings& settings,
         const nonstd::optional<float>& availableMemoryProportion = nonstd::nullopt)
      : TopKOp(opid, axisSize, axis, descending, true, stable, settings,
               availableMemoryProportion) {}
  ~SortOp() override;

  std::unique_ptr<Op> clone() const override;
  void setup() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
