// The submodule popir._device.poplin.contraction, for tests and measurements.
#ifndef popir_bindings_contraction_hpp
#define popir_bindings_contraction_hpp

#include <pybind11/pybind11.h>

namespace popir {

void bindContraction(pybind11::module_& m);

}  // namespace popir

#endif
