#ifndef popir_bindings_engine_hpp
#define popir_bindings_engine_hpp

#include <pybind11/pybind11.h>

namespace popir {

void bindEngine(pybind11::module_& m);

}  // namespace popir

#endif
