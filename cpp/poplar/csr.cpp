#include <poplar/CSRFunctions.hpp>
#include <poplar/exceptions.hpp>

namespace poplar {

void setFloatingPointBehaviour(Graph& graph, program::Sequence& prog,
                               const FloatingPointBehaviour& behaviour,
                               const DebugContext& debugContext) {
  setStochasticRounding(graph, prog, behaviour.esr, debugContext);
  if (behaviour.inv || behaviour.div0 || behaviour.oflo || behaviour.nanoo)
    throw poplar_error(
        "setFloatingPointBehaviour: the simulated tiles do not stop for floating-point exceptions, "
        "and half overflows to infinity; leave inv, div0, oflo and nanoo off");
}

void setStochasticRounding(Graph&, program::Sequence&, bool enable, const DebugContext&) {
  if (enable)
    throw poplar_error("setStochasticRounding: the simulated tiles round to nearest; leave it off");
}

}  // namespace poplar
