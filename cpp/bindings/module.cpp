// popir._device: the device library for Python. Functions and arguments keep their C++ names.
#include "bindings/module.hpp"

#include "bindings/guards.hpp"

PYBIND11_MODULE(_device, m) {
  m.doc() =
      "The simulated device: poplar and the PopLibs libraries, under their own\n"
      "names. `ext` has functions that PopLibs lacks, `machine` the cost model,\n"
      "`popart` operators in C++, `tensorflow` those that were written for TensorFlow on the IPU.";
  const auto part = [&](const char* name, void (*bind)(pybind11::module_&)) {
    auto sub = m.def_submodule(name);
    bind(sub);
    return sub;
  };
  part("poplar", popir::bindPoplar);
  part("poputil", popir::bindPoputil);
  auto popops = part("popops", popir::bindPopopsExpr);
  popir::bindPopops(popops);
  popir::bindPopopsSlice(popops);
  part("poplin", popir::bindPoplin);
  part("popnn", popir::bindPopnn);
  part("poprand", popir::bindPoprand);
  part("gcl", popir::bindGcl);
  part("machine", popir::bindMachine);
  part("ext", popir::bindExt);
  part("popart", popir::bindPopart);
  part("tensorflow", popir::bindTensorflow);
  part("xla", popir::bindXla);
  part("habana", popir::bindHabana);
  popir::guard(m);
}
