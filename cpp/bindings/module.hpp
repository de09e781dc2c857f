// The parts of the extension popir._device. Each function binds a submodule or a part of one, and
// has a file of its own.
#ifndef popir_bindings_module_hpp
#define popir_bindings_module_hpp

#include <pybind11/pybind11.h>

namespace popir {

void bindPoplar(pybind11::module_& m);
void bindQuarter(pybind11::module_& m);
void bindPopops(pybind11::module_& m);
void bindPopopsExpr(pybind11::module_& m);
void bindPopopsRearrange(pybind11::module_& m);
void bindPopopsSlice(pybind11::module_& m);
void bindPoplin(pybind11::module_& m);
void bindPopnn(pybind11::module_& m);
void bindPoprand(pybind11::module_& m);
void bindGcl(pybind11::module_& m);
void bindPoputil(pybind11::module_& m);
void bindMachine(pybind11::module_& m);
void bindExt(pybind11::module_& m);
void bindPopart(pybind11::module_& m);
void bindTensorflow(pybind11::module_& m);
void bindXla(pybind11::module_& m);
void bindHabana(pybind11::module_& m);

}  // namespace popir

#endif
