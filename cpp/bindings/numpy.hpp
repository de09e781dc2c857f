// Conversions between numpy arrays and values of the device.
#ifndef popir_bindings_numpy_hpp
#define popir_bindings_numpy_hpp

#include <pybind11/numpy.h>
#include <poplar/Graph.hpp>

namespace popir {

// The device type of a dtype, and the dtype of a device type.
// \throws poplar::type_error if there is none
poplar::Type typeOf(const pybind11::dtype& dtype);
pybind11::dtype dtypeOf(const poplar::Type& type);

/// Makes a C-contiguous array of any array-like. Python floats become float64, and ints int64.
/// \throws poplar::type_error if numpy cannot make an array, or the device lacks its dtype
pybind11::array contiguous(const pybind11::object& values);

/// Sets the initial value of a tensor: one element for all, or one for each. Converts their type.
/// \throws poplar::graph_connection_error for another number of values
void setInitialValue(poplar::Graph& graph, const poplar::Tensor& t, const pybind11::array& values);

}  // namespace popir

#endif
