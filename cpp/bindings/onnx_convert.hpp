// Converts ONNX's protobuf messages from Python to the classes of onnx/onnx_pb.h.
#ifndef popir_bindings_onnx_convert_hpp
#define popir_bindings_onnx_convert_hpp

#include <onnx/onnx_pb.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>

namespace popir {

/// Whether a value is a GraphProto: it has nodes, and can be serialized.
bool isGraph(pybind11::handle value);
onnx::GraphProto graphFrom(pybind11::handle graph);

/// An attribute from a number, a string, a graph, or a list of one of these. Any other value gives
/// an attribute of the type UNDEFINED.
std::unique_ptr<onnx::AttributeProto> attributeFrom(const std::string& name,
                                                    pybind11::handle value);

}  // namespace popir

#endif
