// Names of types of lowerings. After popart/popx/namesx.hpp of PopART 3.
#ifndef popart_popx_namesx_hpp
#define popart_popx_namesx_hpp

#include <popart/names.hpp>
#include <poplar/Tensor.hpp>

#include <map>
#include <utility>

namespace popart {
namespace popx {

/// A tensor, and the copy that is made of it.
using PreparedCopyTensor = std::pair<poplar::Tensor, poplar::Tensor>;
using PreparedCopyTensors = std::map<InIndex, PreparedCopyTensor>;

}  // namespace popx
}  // namespace popart

#endif
