// Between the values of the compiler and those of popart: infos, attributes, identifiers.
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
/// From a popir.types.TensorInfo or None.
popart::TensorInfo infoFrom(pybind11::handle info);

/// (domain, type, version).
pybind11::tuple toPython(const popart::OperatorIdentifier& opid);
popart::OperatorIdentifier opidFrom(const pybind11::tuple& opid);

/// From a dict; `owner` stands in error messages.
/// \throws AttributeError for a value that no popart attribute holds.
popart::Attributes attributesFrom(const pybind11::dict& values, const std::string& owner);
pybind11::dict toPython(const popart::Attributes& attributes);

}  // namespace popir

#endif
