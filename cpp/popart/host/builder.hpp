// How the methods of a Builder's opsets become calls.
#ifndef popir_popart_host_builder_hpp
#define popir_popart_host_builder_hpp

#include <popart/builder.hpp>

#include <string>
#include <vector>

#include "popart/host/python.hpp"

namespace popir {
namespace python {

/// Memory that Python copies before the call ends.
Value valueOf(const popart::ConstVoidData& data);
/// The builder of a subgraph, for a graph attribute.
Value valueOf(const popart::Builder& builder);
std::vector<std::string> ids(const Value& value);

/// Adds an operator by the opset's method `name`, and returns what that returns.
Value node(const popart::DomainOpSet& opset, const char* name, const List& args,
           const Dict& attributes, const popart::DebugContext& debugContext);
popart::TensorId constantNode(const popart::DomainOpSet& opset, const popart::ConstVoidData& value,
                              bool isSparse, const popart::DebugContext& debugContext);

}  // namespace python
}  // namespace popir

#endif
