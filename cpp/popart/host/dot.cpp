// Graphs as graphviz reads them.
#include <popart/ir.hpp>

#include "popart/host/python.hpp"
#include "popart/host/settings.hpp"

namespace popart {

void Ir::dotCheckpoint(const Ir& ir, std::string check) const {
  static_cast<void>(ir.main());
  popir::python::call({}, "dot.write_checkpoint",
                      {ir.held_, check, popir::python::toPython(getSessionOptions())});
}

}  // namespace popart
