// Between numpy arrays and device values.
#ifndef popir_bindings_numpy_hpp
#define popir_bindings_numpy_hpp

#include <pybind11/numpy.h>
#include <poplar/Graph.hpp>

namespace popir {

/// \throws poplar::type_error if the other side has no such type.
poplar::Type typeOf(const pybind11::dtype& dtype);
pybind11::dtype dtypeOf(const poplar::Type& type);

/// Any array-like, as a C-contiguous array of a dtype that the device knows. Python floats become
/// float64, ints int64.
pybind11::array contiguous(const pybind11::object& values);

void setInitialValue(poplar::Graph& graph, const poplar::Tensor& t, const pybind11::array& values);

}  // namespace popir

#endif
