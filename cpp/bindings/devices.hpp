// popir.poplar: targets and devices.
#ifndef popir_bindings_devices_hpp
#define popir_bindings_devices_hpp

#include <pybind11/pybind11.h>

namespace popir {

/// Call it after types and options are bound: signatures name them.
void bindDevices(pybind11::module_& m);

}  // namespace popir

#endif
