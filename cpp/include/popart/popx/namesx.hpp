// Names of pairs of tensors. After popart/popx/namesx.hpp of PopART 3.
#ifndef popart_popx_namesx_hpp
#define popart_popx_namesx_hpp

#include <popart/names.hpp>
#include <poplar/Tensor.hpp>

#include <map>
#include <utility>

namespace popart {
namespace popx {

/// The source of a copy and its destination.
using PreparedCopyTensor = std::pair<poplar::Tensor, poplar::Tensor>;
/// Those of an operator that copies between IPUs, by its inputs.
using PreparedCopyTensors = std::map<InIndex, PreparedCopyTensor>;

}  // namespace popx
}  // namespace popart

#endif
