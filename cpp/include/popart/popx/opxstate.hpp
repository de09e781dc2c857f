// What a lowering keeps between its parts. After popart/popx/opxstate.hpp of PopART 3.
#ifndef popart_popx_opxstate_hpp
#define popart_popx_opxstate_hpp

#include <memory>

namespace popart {
namespace popx {

/// Base of what a lowering that grows in parts keeps. popir's lowerings grow as a whole.
class OpxState {
 public:
  virtual ~OpxState() = default;
};

}  // namespace popx
}  // namespace popart

#endif
