// popir._device: the device library, as Python sees it. Arguments keep their C++ names.
#include "bindings/module.hpp"

#define POPIR_OPTIONAL(NAME) void NAME(pybind11::module_& m) __attribute__((weak));

namespace popir {
POPIR_OPTIONAL(bindPopops)
POPIR_OPTIONAL(bindPopopsExpr)
POPIR_OPTIONAL(bindPoplin)
POPIR_OPTIONAL(bindPopnn)
POPIR_OPTIONAL(bindPoprand)
POPIR_OPTIONAL(bindPoputil)
POPIR_OPTIONAL(bindMachine)
POPIR_OPTIONAL(bindExt)
POPIR_OPTIONAL(bindPopart)
}  // namespace popir

PYBIND11_MODULE(_device, m) {
  m.doc() = "The simulated device: poplar and the PopLibs libraries, bound under their own names.";
  const auto part = [&](const char* name, void (*bind)(pybind11::module_&)) {
    auto sub = m.def_submodule(name);
    if (bind) bind(sub);
    return sub;
  };
  part("poplar", popir::bindPoplar);
  part("poputil", popir::bindPoputil);
  auto popops = part("popops", popir::bindPopopsExpr);
  if (popir::bindPopops) popir::bindPopops(popops);
  part("poplin", popir::bindPoplin);
  part("popnn", popir::bindPopnn);
  part("poprand", popir::bindPoprand);
  part("machine", popir::bindMachine);
  part("ext", popir::bindExt);
  part("popart", popir::bindPopart);
}
