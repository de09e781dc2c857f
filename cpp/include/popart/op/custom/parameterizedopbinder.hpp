// Python bindings of a ParameterizedOp. Empty if pybind11 is not installed.
// After popart/op/custom/parameterizedopbinder.hpp of PopART 3.
#ifndef popart_op_custom_parameterizedopbinder_hpp
#define popart_op_custom_parameterizedopbinder_hpp

#if __has_include(<pybind11/pybind11.h>)

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <popart/op.hpp>

#include <memory>

namespace py = pybind11;

namespace popart {
namespace ir {
namespace op {

/// Defines the Python class `name` with `default_opid()`, which returns a popir.OperatorIdentifier,
/// and the property `params`. The module must bind the type of `params`. There is no constructor:
/// models create the operators.
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
