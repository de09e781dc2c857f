#include "bindings/guards.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>

#include <cstring>
#include <string>
#include <unordered_map>

#include "poplar/graph_impl.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using py::detail::function_call;
using py::detail::function_record;
using Implementation = py::handle (*)(function_call&);

/// What a function does without its guards.
std::unordered_map<const function_record*, Implementation>& unguarded() {
  static auto* const known = new std::unordered_map<const function_record*, Implementation>();
  return *known;
}

template <class T>
const T* as(py::handle value) {
  static PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(py::type::of<T>().ptr());
  return PyObject_TypeCheck(value.ptr(), type) ? value.cast<const T*>() : nullptr;
}

/// Calls `visit` for a value, or for those in a list, a tuple or a dict, its keys included.
template <class Visit>
void forEach(py::handle value, const Visit& visit) {
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
    for (py::handle each : value) forEach(each, visit);
  } else if (PyDict_Check(value.ptr())) {
    for (const auto& item : py::reinterpret_borrow<py::dict>(value)) {
      visit(item.first);
      forEach(item.second, visit);
    }
  } else {
    visit(value);
  }
}

/// The arguments; the object that a constructor makes is none yet.
template <class Visit>
void forEachArgument(const function_call& call, const Visit& visit) {
  for (std::size_t i = call.init_self ? 1 : 0; i < call.args.size(); ++i) visit(i, call.args[i]);
}

std::string nameOf(const function_record& record) {
  std::string scope =
      py::cast<std::string>(py::str(py::getattr(record.scope, "__name__", py::str())));
  return scope.substr(scope.rfind('.') + 1) + "." + record.name;
}

/// The function and the argument, for messages.
std::string place(const function_call& call, std::size_t i) {
  const auto& known = call.func.args;
  const bool named = i < known.size() && known[i].name != nullptr;
  return nameOf(call.func) + ": argument " +
         (named ? std::string("'") + known[i].name + "'" : std::to_string(i + 1));
}

bool takesAnyTensor(const function_record& record) {
  const std::string name = record.name;
  return name == "valid" || name == "__repr__" || name == "__eq__" || name == "__ne__";
}

/// A tensor, a compute set, a function or a vertex: what it is, and whether it is of `graph`. Null
/// for anything else.
const char* partOf(py::handle value, const GraphImpl& graph, bool& isOf) {
  if (const auto* t = as<poplar::Tensor>(value)) {
    isOf = !t->valid() || t->view().graph() == &graph;
    return "a tensor";
  }
  if (const auto* set = as<poplar::ComputeSet>(value)) {
    isOf = !set->valid() || set->isOf(graph);
    return "a compute set";
  }
  if (const auto* function = as<poplar::Function>(value)) {
    isOf = !function->valid() || function->isOf(graph);
    return "a function";
  }
  if (const auto* vertex = as<poplar::VertexRef>(value)) {
    isOf = vertex->isOf(graph);
    return "a vertex";
  }
  if (const auto* field = as<poplar::FieldRef>(value)) {
    isOf = field->vertex().isOf(graph);
    return "a field";
  }
  return nullptr;
}

/// A surrogate without its other half is in no text that C++ can have.
void checkText(const function_call& call) {
  forEachArgument(call, [&](std::size_t i, py::handle argument) {
    forEach(argument, [&](py::handle value) {
      if (!PyUnicode_Check(value.ptr()) || PyUnicode_AsUTF8(value.ptr()) != nullptr) return;
      PyErr_Clear();
      const auto shown = py::reinterpret_steal<py::str>(PyObject_ASCII(value.ptr()));
      throw poplar::poplar_error(place(call, i) + ": the text " + py::cast<std::string>(shown) +
                                 " has half of a surrogate pair, which is no character; leave it "
                                 "out");
    });
  });
}

void check(const function_call& call) {
  // These have words of their own for it.
  if (call.func.scope.is(py::type::of<poplar::Graph>()) ||
      call.func.scope.is(py::type::of<poplar::program::Copy>()))
    return;
  const GraphImpl* graph = nullptr;
  forEachArgument(call, [&](std::size_t, py::handle value) {
    if (graph != nullptr) return;
    if (const auto* found = as<poplar::Graph>(value)) graph = found->impl().get();
  });
  const bool takesAny = takesAnyTensor(call.func);
  forEachArgument(call, [&](std::size_t i, py::handle argument) {
    forEach(argument, [&](py::handle value) {
      const auto* t = as<poplar::Tensor>(value);
      if (t != nullptr && !t->valid() && !takesAny)
        throw poplar::index_error(
            place(call, i) +
            " is not valid: Tensor() shows nothing; Graph.addVariable makes others");
      bool isOf = true;
      if (graph == nullptr) return;
      if (const char* what = partOf(value, *graph, isOf); what != nullptr && !isOf)
        throw poplar::graph_connection_error(place(call, i) + " is " + what +
                                             " of another graph than the one given");
    });
  });
}

bool isPart(py::handle value) {
  return as<poplar::Tensor>(value) || as<poplar::program::Program>(value) ||
         as<poplar::ComputeSet>(value) || as<poplar::VertexRef>(value) ||
         as<poplar::FieldRef>(value) || as<poplar::Function>(value);
}

/// The result, or the object that was made, keeps alive what it was made from; a sequence the graph
/// whose function adds to it, or the program that is added.
void keep(const function_call& call, py::handle result) {
  bool graphGiven = false;
  const auto hold = [&](py::handle nurse, bool parts) {
    forEachArgument(call, [&](std::size_t, py::handle argument) {
      forEach(argument, [&](py::handle value) {
        const bool isGraph = as<poplar::Graph>(value) != nullptr;
        graphGiven = graphGiven || isGraph;
        if (value.ptr() != nurse.ptr() && (isGraph || (parts && isPart(value))))
          py::detail::keep_alive_impl(nurse, value);
      });
    });
  };
  if (call.init_self) {
    if (isPart(call.init_self)) hold(call.init_self, true);
    return;
  }
  if (result)
    forEach(result, [&](py::handle value) {
      if (isPart(value)) hold(value, true);
    });
  forEachArgument(call, [&](std::size_t, py::handle value) {
    if (!as<poplar::program::Sequence>(value)) return;
    hold(value, false);
    if (!graphGiven) hold(value, true);
  });
}

/// An enum is made of the number of one of its members.
void checkMember(const function_call& call) {
  if (!call.init_self || call.args.size() != 2 || !PyLong_Check(call.args[1].ptr())) return;
  const py::handle type = call.func.scope;
  if (!py::hasattr(type, "__members__")) return;
  std::string known;
  for (const auto& item : py::cast<py::dict>(type.attr("__members__"))) {
    if (py::int_(py::reinterpret_borrow<py::object>(item.second)).equal(call.args[1])) return;
    known += (known.empty() ? "" : ", ") + py::cast<std::string>(py::str(item.first));
  }
  throw poplar::poplar_error(py::cast<std::string>(py::str(type.attr("__name__"))) + "(" +
                             py::cast<std::string>(py::str(call.args[1])) +
                             "): no member has this number; there are " + known);
}

py::handle guarded(function_call& call) {
  checkMember(call);
  checkText(call);
  check(call);
  const py::handle result = unguarded().at(&call.func)(call);
  if (result.ptr() != PYBIND11_TRY_NEXT_OVERLOAD) keep(call, result);
  return result;
}

void guardRecords(py::handle callable) {
  PyObject* function = callable.ptr();
  if (PyInstanceMethod_Check(function)) function = PyInstanceMethod_GET_FUNCTION(function);
  if (!PyCFunction_Check(function)) return;
  PyObject* self = PyCFunction_GET_SELF(function);
  if (self == nullptr) return;
  auto* record = py::detail::function_record_ptr_from_PyObject(self);
  for (; record != nullptr; record = record->next) {
    if (unguarded().count(record) > 0) continue;
    if (record->is_method && record->args.empty())
      record->args.emplace_back(strdup("self"), nullptr, py::handle(), true,
                                false);  // freed with it
    unguarded()[record] = record->impl;
    record->impl = guarded;
  }
}

void guardClass(py::handle type) {
  for (const auto& item : type.attr("__dict__").attr("copy")().cast<py::dict>()) {
    const py::handle value = item.second;
    if (PyType_Check(value.ptr())) {
      guardClass(value);
    } else if (PyObject_IsInstance(value.ptr(), reinterpret_cast<PyObject*>(&PyProperty_Type))) {
      for (const char* access : {"fget", "fset"}) guardRecords(value.attr(access));
    } else if (PyObject_IsInstance(value.ptr(),
                                   reinterpret_cast<PyObject*>(&PyStaticMethod_Type))) {
      guardRecords(value.attr("__func__"));
    } else {
      guardRecords(value);
    }
  }
}

}  // namespace

void guard(const py::module_& m) {
  const std::string name = py::cast<std::string>(m.attr("__name__"));
  for (const auto& item : py::cast<py::dict>(m.attr("__dict__"))) {
    const py::handle value = item.second;
    if (PyModule_Check(value.ptr())) {
      const auto part = py::reinterpret_borrow<py::module_>(value);
      if (py::cast<std::string>(part.attr("__name__")).rfind(name + ".", 0) == 0) guard(part);
    } else if (PyType_Check(value.ptr())) {
      guardClass(value);
    } else {
      guardRecords(value);
    }
  }
}

}  // namespace popir
