// Rounding and floating-point exceptions of tiles.
// After poplar/CSRFunctions.hpp of the Poplar SDK 3.
//
// Rounding is to nearest or stochastic. Half overflows to infinity.
#ifndef poplar_CSRFunctions_hpp
#define poplar_CSRFunctions_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace poplar {

/// inv, div0, oflo: stop on invalid operations, division by zero, overflow. esr: round
/// stochastically. nanoo: half overflows to NaN. By default all of these, as in the SDK.
struct FloatingPointBehaviour {
  bool inv = true;
  bool div0 = true;
  bool oflo = true;
  bool esr = true;
  bool nanoo = true;

  FloatingPointBehaviour() = default;
  FloatingPointBehaviour(bool inv_, bool div0_, bool oflo_, bool esr_, bool nanoo_)
      : inv(inv_), div0(div0_), oflo(oflo_), esr(esr_), nanoo(nanoo_) {}

  /// Each the other way round.
  FloatingPointBehaviour operator!() const { return {!inv, !div0, !oflo, !esr, !nanoo}; }
};

/// Calls setStochasticRounding() with `behaviour.esr`. With inv, a vertex that makes NaN of numbers
/// without ends the run; with div0 or oflo, one that makes infinity in other types than half; with
/// oflo and nanoo, in half. An Engine checks all its programs, and fuses none, if one of them asks
/// for it.
/// \throws poplar_error for nanoo without oflo
/// \throws application_runtime_error (in Engine::run) for such a vertex
void setFloatingPointBehaviour(Graph& graph, program::Sequence& prog,
                               const FloatingPointBehaviour& behaviour,
                               const DebugContext& debugContext = {});

/// Clears and then sets what the two say, and returns how it was before, for
/// setFloatingPointBehaviour(): UNSIGNED_INT, a number of Target::makeFpIctlValue() for each tile.
/// What ends a run is a matter of a whole program here, so that none of inv, div0, oflo and nanoo can
/// be cleared once it is on.
/// \throws control_program_error (in the Engine's constructor) for such a one
Tensor getAndModifyFloatingPointBehaviour(Graph& graph, program::Sequence& prog,
                                          const FloatingPointBehaviour& clear,
                                          const FloatingPointBehaviour& set,
                                          const DebugContext& debugContext = {});
/// Sets it to what it was before getAndModifyFloatingPointBehaviour(), whose tensor `behaviour` is.
/// \throws control_program_error (in the Engine's constructor) for another tensor, and for one that
/// the same program has not made before
void setFloatingPointBehaviour(Graph& graph, program::Sequence& prog, const Tensor& behaviour,
                               const DebugContext& debugContext = {});

/// Selects the rounding of following steps of `prog` for results of type half and bfloat16:
/// stochastic, with the random numbers of poprand::setSeed, or to nearest. A program starts with
/// rounding to nearest. Copies, random numbers and values computed on the host are not rounded.
/// Codelets always round to nearest, so an Engine refuses codelets that store 16-bit floats while
/// stochastic rounding is on.
///
/// \throws poplar_error for a virtual graph with fewer than all tiles
/// \throws control_program_error (in the Engine's constructor) if a loop ends with another rounding
/// than it starts with, or the branches of an If end with different roundings
/// \throws poplar_error (in the Engine's constructor) if a program rounds before it selects a
/// rounding while another program leaves stochastic rounding on
void setStochasticRounding(Graph& graph, program::Sequence& prog, bool enable,
                           const DebugContext& debugContext = {});

}  // namespace poplar
#pragma GCC visibility pop

#endif
