// poplar/CSRFunctions.hpp: how tiles round, and what they stop for.
//
// The simulated tiles round to nearest and never stop: what asks for anything else is refused.
#ifndef poplar_CSRFunctions_hpp
#define poplar_CSRFunctions_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace poplar {

/// What stops a tile (invalid operations, division by zero, overflow), whether it rounds
/// stochastically, and whether half overflows to NaN.
struct FloatingPointBehaviour {
  bool inv = false;
  bool div0 = false;
  bool oflo = false;
  bool esr = false;
  bool nanoo = false;

  FloatingPointBehaviour() = default;
  FloatingPointBehaviour(bool inv_, bool div0_, bool oflo_, bool esr_, bool nanoo_)
      : inv(inv_), div0(div0_), oflo(oflo_), esr(esr_), nanoo(nanoo_) {}
};

/// \throws poplar_error unless all of `behaviour` is off.
void setFloatingPointBehaviour(Graph& graph, program::Sequence& prog,
                               const FloatingPointBehaviour& behaviour,
                               const DebugContext& debugContext = {});
/// \throws poplar_error if `enable`.
void setStochasticRounding(Graph& graph, program::Sequence& prog, bool enable,
                           const DebugContext& debugContext = {});

}  // namespace poplar
#pragma GCC visibility pop

#endif
