// poplar/CSRFunctions.hpp: how tiles round, and what they stop for.
//
// The simulated tiles never stop, and half overflows to infinity: what asks for anything else is
// refused. They round to nearest, or stochastically.
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

/// setStochasticRounding with `behaviour.esr`.
/// \throws poplar_error if inv, div0, oflo or nanoo is on.
void setFloatingPointBehaviour(Graph& graph, program::Sequence& prog,
                               const FloatingPointBehaviour& behaviour,
                               const DebugContext& debugContext = {});

/// What `prog` does from here on rounds numbers that become half or bfloat16 stochastically (by
/// poprand::setSeed's draws), or to nearest. A program begins to nearest. Codelets always round to
/// nearest: an Engine refuses those that store 16-bit floats while stochastic rounding is on.
/// Copies, random numbers and what the host computes are not rounded.
///
/// \throws poplar_error for a virtual graph of fewer than all tiles.
/// An Engine throws control_program_error if a loop, or one branch of an If, ends with another
/// rounding than it begins with or than the other one; and poplar_error if a program rounds before
/// it has said how while another one leaves stochastic rounding on.
void setStochasticRounding(Graph& graph, program::Sequence& prog, bool enable,
                           const DebugContext& debugContext = {});

}  // namespace poplar
#pragma GCC visibility pop

#endif
