// popart/op/custom/parameterizedopbinder.hpp: a ParameterizedOp in a Python module of its own.
// Empty where pybind11 is not among the headers.
#ifndef popart_op_custom_parameterizedopbinder_hpp
#define popart_op_custom_parameterizedopbinder_hpp

#if __has_include(<pybind11/pybind11.h>)

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <popart/op.hpp>

#include <memory>

namespace popart {
namespace ir {
namespace op {

/// The class `name` with `default_opid()`, a popir.OperatorIdentifier, and the property `params`,
/// whose type the module has bound. Operators are made by models, so it has no constructor.
template <typename OP>
pybind11::class_<OP, std::shared_ptr<OP>> makeParameterizedOpBindings(pybind11::module_ m,
                                                                      const char* name) {
  pybind11::class_<OP, std::shared_ptr<OP>> bound(m, name);
  bound.def_static("default_opid", [] {
    const OperatorIdentifier opid = OP::defaultOperatorId();
    return pybind11::module_::import("popir").attr("OperatorIdentifier")(opid.domain, opid.type,
                                                                         opid.version);
  });
  bound.def_property_readonly("params", [](const OP& op) { return op.params(); });
  return bound;
}

}  // namespace op
}  // namespace ir
}  // namespace popart

#endif

#endif
