// How lowerings answer unwindRegion().
#ifndef popir_popart_popx_op_regionsx_hpp
#define popir_popart_popx_op_regionsx_hpp

#include <popart/names.hpp>
#include <popart/region.hpp>

namespace popart {
namespace popx {

/// Each region of the output is of the same region of the input.
inline view::RegMap oneToOne() {
  return [](const view::Region& region) { return view::Regions{region}; };
}

}  // namespace popx
}  // namespace popart

#endif
