// Types of arguments and results in signatures: those in docstrings, and the stubs made from them.
//
// Every file that binds a function includes this one, so that a class has the same name in all
// signatures.
#ifndef popir_bindings_signatures_hpp
#define popir_bindings_signatures_hpp

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/typing.h>
#include <poplar/Graph.hpp>
#include <poplin/MatMul.hpp>
#include <popops/Reduce.hpp>

#include <optional>
#include <utility>

namespace popir {

inline bool isObject(PyObject*) { return true; }

/// Any Python object. The signature says that it is one of `Types`; the function has to check it.
template <class... Types>
class OneOf : public pybind11::object {
 public:
  PYBIND11_OBJECT_DEFAULT(OneOf, object, isObject)
};

/// An object that numpy can make an array of.
class ArrayLike : public pybind11::object {
 public:
  PYBIND11_OBJECT_DEFAULT(ArrayLike, object, isObject)
};

/// An object that numpy can make a dtype of.
class DTypeLike : public pybind11::object {
 public:
  PYBIND11_OBJECT_DEFAULT(DTypeLike, object, isObject)
};

// Objects of the compiler, which is written in Python.
#define POPIR_OF_COMPILER(CLASS)                     \
  class CLASS : public pybind11::object {            \
   public:                                           \
    PYBIND11_OBJECT_DEFAULT(CLASS, object, isObject) \
  };
POPIR_OF_COMPILER(PyGraph)
POPIR_OF_COMPILER(PyOp)
POPIR_OF_COMPILER(PyOpSettings)
POPIR_OF_COMPILER(PyTensor)
POPIR_OF_COMPILER(PyTensorInfo)
#undef POPIR_OF_COMPILER

/// Values by name.
using Values = pybind11::typing::Dict<pybind11::str, pybind11::object>;

/// (domain, type, version).
using Opid = pybind11::typing::Tuple<pybind11::str, pybind11::str, pybind11::int_>;

/// A callback that is called with (done, total), or None.
using Progress = OneOf<pybind11::typing::Callable<void(int, int)>, pybind11::none>;

/// The argument `debugContext` of functions that add to a graph: '' by default.
inline pybind11::arg_v debugContext() { return {"debugContext", poplar::DebugContext(), "''"}; }

namespace detail {

/// How withOptionals() takes an argument from Python, and passes it on.
template <class T>
struct Taken {
  using type = T;
  static T pass(T given) { return static_cast<T>(given); }
};
template <>
struct Taken<const poplar::Tensor*> {
  using type = const std::optional<poplar::Tensor>&;
  static const poplar::Tensor* pass(type given) { return given ? &*given : nullptr; }
};

}  // namespace detail

/// Adapts a function that takes null pointers for tensors: Python passes None.
template <class Result, class... Args>
auto withOptionals(Result (*function)(Args...)) {
  return [function](typename detail::Taken<Args>::type... args) {
    return function(detail::Taken<Args>::pass(args)...);
  };
}

}  // namespace popir

namespace pybind11 {
namespace detail {

template <class... Types>
struct handle_type_name<popir::OneOf<Types...>> {
  static constexpr auto name = union_concat(make_caster<Types>::name...);
};

#define POPIR_NAMED(CLASS, NAME)                   \
  template <>                                      \
  struct handle_type_name<CLASS> {                 \
    static constexpr auto name = const_name(NAME); \
  };
POPIR_NAMED(popir::ArrayLike, "numpy.typing.ArrayLike")
POPIR_NAMED(popir::DTypeLike, "numpy.typing.DTypeLike")
POPIR_NAMED(popir::PyGraph, "popir.ir.graph.Graph")
POPIR_NAMED(popir::PyOp, "popir.ir.graph.Op")
POPIR_NAMED(popir::PyOpSettings, "popir.ir.graph.OpSettings")
POPIR_NAMED(popir::PyTensor, "popir.ir.graph.Tensor")
POPIR_NAMED(popir::PyTensorInfo, "popir.types.TensorInfo")
#undef POPIR_NAMED

// Objects of other types convert to these classes. As types of arguments they name both.
#define POPIR_CONVERTS(CLASS, FROM)                           \
  template <>                                                 \
  class type_caster<CLASS> : public type_caster_base<CLASS> { \
   public:                                                    \
    static constexpr auto name = const_name<CLASS>() + FROM;  \
  };
POPIR_CONVERTS(poplar::DebugContext, io_name(" | str", ""))
POPIR_CONVERTS(poplar::OptionFlags, io_name(" | dict[str, str]", ""))
POPIR_CONVERTS(popops::ReduceParams, io_name(" | popir._device.popops.Operation", ""))
// Functions of poplin take a pointer to a cache, which may be null.
POPIR_CONVERTS(poplin::PlanningCache, io_name(" | None", ""))
#undef POPIR_CONVERTS

}  // namespace detail
}  // namespace pybind11

#endif
