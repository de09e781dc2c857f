// Conversions between values of the compiler (Python) and of popart: infos, attributes,
// identifiers.
#ifndef popir_bindings_popart_convert_hpp
#define popir_bindings_popart_convert_hpp

#include <pybind11/pybind11.h>
#include <popart/attributes.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/tensorinfo.hpp>

#include <string>

namespace popir {

/// A popir.types.TensorInfo; None for an info that is not set.
pybind11::object toPython(const popart::TensorInfo& info);
/// From a popir.types.TensorInfo; an info that is not set from None.
popart::TensorInfo infoFrom(pybind11::handle info);

/// (domain, type, version).
pybind11::tuple toPython(const popart::OperatorIdentifier& opid);
popart::OperatorIdentifier opidFrom(const pybind11::tuple& opid);

/// Attributes from a dict. `owner` is the operator's name in messages.
/// \throws AttributeError for a value that is no integer, float, string, graph, or list of one of
/// these
popart::Attributes attributesFrom(const pybind11::dict& values, const std::string& owner);
/// \throws AttributeError for graphs
pybind11::dict toPython(const popart::Attributes& attributes);

}  // namespace popir

#endif
