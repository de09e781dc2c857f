// ONNX's messages in Python as those of onnx/onnx_pb.h.
#ifndef popir_bindings_onnx_convert_hpp
#define popir_bindings_onnx_convert_hpp

#include <onnx/onnx_pb.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>

namespace popir {

bool isGraph(pybind11::handle value);
onnx::GraphProto graphFrom(pybind11::handle graph);

/// From a number, a string, a graph, or a list of one of these; of type UNDEFINED for all else.
std::unique_ptr<onnx::AttributeProto> attributeFrom(const std::string& name,
                                                    pybind11::handle value);

}  // namespace popir

#endif
