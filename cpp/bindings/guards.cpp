#include "bindings/guards.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "poplar/graph_impl.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using py::detail::function_call;
using py::detail::function_record;
using Implementation = py::handle (*)(function_call&);

/// A wrapped function.
struct Wrapped {
  Implementation run;    // without the checks
  bool takesAnyTensor;   // also tensors that are not valid
  bool checksArguments;  // itself, with messages that say more
};

std::unordered_map<const function_record*, Wrapped>& wrapped() {
  static auto* const known = new std::unordered_map<const function_record*, Wrapped>();
  return *known;
}

/// Whether a class bound by pybind11, or a class derived from one, has made the value.
bool isBound(py::handle value) {
  static PyTypeObject* const metaclass = py::detail::get_internals().default_metaclass;
  return PyObject_TypeCheck(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())), metaclass);
}

template <class T>
const T* as(py::handle value) {
  static PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(py::type::of<T>().ptr());
  return PyObject_TypeCheck(value.ptr(), type) ? value.cast<const T*>() : nullptr;
}

/// Calls `visit` for a value, or for each value inside of a list, a tuple or a dict, keys included.
template <class Visit>
void forEach(py::handle value, const Visit& visit) {
  PyObject* const held = value.ptr();
  if (PyList_Check(held) || PyTuple_Check(held)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(held); ++i)
      forEach(PySequence_Fast_GET_ITEM(held, i), visit);
  } else if (PyDict_Check(held)) {
    for (const auto& item : py::reinterpret_borrow<py::dict>(value)) {
      visit(item.first);
      forEach(item.second, visit);
    }
  } else {
    visit(value);
  }
}

/// What is looked at of a call's arguments: the objects of bound classes, each with the place of
/// its argument. Left out is `self` of a constructor, which is not made yet.
using Objects = std::pmr::vector<std::pair<std::size_t, py::handle>>;

/// "Class.function" or "module.function".
std::string nameOf(const function_record& record) {
  std::string scope =
      py::cast<std::string>(py::str(py::getattr(record.scope, "__name__", py::str())));
  return scope.substr(scope.rfind('.') + 1) + "." + record.name;
}

/// "Class.function: argument 'name'", for messages.
std::string place(const function_call& call, std::size_t i) {
  const auto& known = call.func.args;
  const bool named = i < known.size() && known[i].name != nullptr;
  return nameOf(call.func) + ": argument " +
         (named ? std::string("'") + known[i].name + "'" : std::to_string(i + 1));
}

/// What kind of part of a graph a value is, and of which graph.
struct Part {
  const char* what = nullptr;        // null: no part of a graph
  const GraphImpl* graph = nullptr;  // null: belongs to no graph yet
};

Part partOf(py::handle value) {
  if (const auto* t = as<poplar::Tensor>(value))
    return {"a tensor", t->valid() ? t->view().graph() : nullptr};
  if (const auto* set = as<poplar::ComputeSet>(value)) return {"a compute set", set->graph()};
  if (const auto* function = as<poplar::Function>(value)) return {"a function", function->graph()};
  if (const auto* vertex = as<poplar::VertexRef>(value)) return {"a vertex", vertex->graph()};
  if (const auto* field = as<poplar::FieldRef>(value)) return {"a field", field->vertex().graph()};
  return {};
}

/// Refuses a string that UTF-8 cannot encode: it has half of a surrogate pair.
void checkText(const function_call& call, std::size_t i, py::handle text) {
  if (PyUnicode_AsUTF8(text.ptr()) != nullptr) return;
  PyErr_Clear();
  const auto shown = py::reinterpret_steal<py::str>(PyObject_ASCII(text.ptr()));
  throw poplar::poplar_error(place(call, i) + ": the text " + py::cast<std::string>(shown) +
                             " has half of a surrogate pair, which is no character; leave it out");
}

/// The objects of a call, in `memory`. Checks its strings.
Objects objectsOf(const function_call& call, std::pmr::memory_resource& memory) {
  Objects found(&memory);
  for (std::size_t i = call.init_self ? 1 : 0; i < call.args.size(); ++i)
    forEach(call.args[i], [&](py::handle value) {
      if (PyUnicode_Check(value.ptr()))
        checkText(call, i, value);
      else if (isBound(value))
        found.emplace_back(i, value);
    });
  return found;
}

/// Refuses tensors that are not valid, and parts of another graph than the one given.
void check(const function_call& call, const Wrapped& function, const Objects& objects) {
  if (function.checksArguments) return;
  const GraphImpl* graph = nullptr;
  for (const auto& [i, value] : objects)
    if (const auto* found = as<poplar::Graph>(value); found != nullptr && value.is(call.args[i])) {
      graph = found->impl().get();
      break;
    }
  for (const auto& [i, value] : objects) {
    const auto* t = as<poplar::Tensor>(value);
    if (t != nullptr && !t->valid() && !function.takesAnyTensor)
      throw poplar::index_error(
          place(call, i) + " is not valid: Tensor() shows nothing; Graph.addVariable makes others");
    if (graph == nullptr) continue;
    const Part part = partOf(value);
    if (part.graph != nullptr && part.graph != graph)
      throw poplar::graph_connection_error(place(call, i) + " is " + part.what +
                                           " of another graph than the one given");
  }
}

/// The capsule that keeps a graph alive for its parts in Python. A graph has one, for as long as a
/// part holds it. Parts hold the graph and not each other: pybind11 does not show such references
/// to Python's garbage collector, so a cycle of them would never be freed.
py::object ownerOf(const GraphImpl& graph) {
  static auto* const owners = new std::unordered_map<const GraphImpl*, PyObject*>();
  if (const auto found = owners->find(&graph); found != owners->end())
    return py::reinterpret_borrow<py::object>(found->second);
  using Held = std::shared_ptr<const GraphImpl>;
  Held held = graph.weak_from_this().lock();
  if (held == nullptr) return {};
  py::capsule owner(new Held(std::move(held)), [](void* kept) {
    const std::unique_ptr<Held> last(static_cast<Held*>(kept));
    owners->erase(last->get());
  });
  (*owners)[&graph] = owner.ptr();
  return owner;
}

/// Lets `nurse` keep the graph alive. The names are pybind11's: a nurse keeps patients alive.
void keepGraph(py::handle nurse, const GraphImpl* graph) {
  if (graph == nullptr) return;
  const py::object owner = ownerOf(*graph);
  if (!owner) return;
  const bool isKnown = py::detail::with_internals([&](py::detail::internals& internals) {
    const auto found = internals.patients.find(nurse.ptr());
    if (found == internals.patients.end()) return false;
    const auto& patients = found->second;
    return std::find(patients.begin(), patients.end(), owner.ptr()) != patients.end();
  });
  if (!isKnown) py::detail::keep_alive_impl(nurse, owner);
}

/// Keeps graphs alive after a call. A part that was made keeps its own graph. A program that was
/// made, and each sequence that was given, keep the graphs of all arguments. A program also keeps
/// the programs that it was constructed from, or that a method of it has added.
void keep(const function_call& call, const Objects& objects, py::handle result) {
  const auto keepAll = [&](py::handle program, bool programs) {
    for (const auto& object : objects) {
      const py::handle value = object.second;
      if (value.is(program)) continue;
      if (const auto* graph = as<poplar::Graph>(value)) keepGraph(program, graph->impl().get());
      keepGraph(program, partOf(value).graph);
      if (programs && as<poplar::program::Program>(value))
        py::detail::keep_alive_impl(program, value);
    }
  };
  const auto keepMade = [&](py::handle made) {
    if (!isBound(made)) return;
    keepGraph(made, partOf(made).graph);
    if (as<poplar::program::Program>(made)) keepAll(made, bool(call.init_self));
  };
  if (call.init_self) return keepMade(call.init_self);
  if (result) forEach(result, keepMade);
  for (const auto& [i, value] : objects)  // the first argument is what a method is called on
    if (value.is(call.args[i]) && as<poplar::program::Sequence>(value)) keepAll(value, i == 0);
}

/// Refuses to construct an enum from a number that no member has.
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

/// The implementation that wrapped functions have.
py::handle guarded(function_call& call) {
  const Wrapped& function = wrapped().at(&call.func);
  checkMember(call);
  alignas(std::max_align_t) std::array<std::byte, 512>
      enough;  // for most calls, such as Engine.run
  std::pmr::monotonic_buffer_resource memory(enough.data(), enough.size());
  const Objects objects = objectsOf(call, memory);
  check(call, function, objects);
  const py::handle result = function.run(call);
  if (result.ptr() != PYBIND11_TRY_NEXT_OVERLOAD) keep(call, objects, result);
  return result;
}

Wrapped wrappedOf(const function_record& record) {
  const std::string name = record.name;
  return {record.impl,
          name == "valid" || name == "__repr__" || name == "__eq__" || name == "__ne__",
          record.scope.is(py::type::of<poplar::Graph>()) ||
              record.scope.is(py::type::of<poplar::program::Copy>())};
}

/// Wraps all overloads of a function. Does nothing to an object that pybind11 has not made.
void guardRecords(py::handle callable) {
  PyObject* function = callable.ptr();
  if (PyInstanceMethod_Check(function)) function = PyInstanceMethod_GET_FUNCTION(function);
  if (!PyCFunction_Check(function)) return;
  PyObject* self = PyCFunction_GET_SELF(function);
  if (self == nullptr) return;
  auto* record = py::detail::function_record_ptr_from_PyObject(self);
  for (; record != nullptr; record = record->next) {
    if (wrapped().count(record) > 0) continue;
    if (record->is_method && record->args.empty())
      record->args.emplace_back(strdup("self"), nullptr, py::handle(), true,
                                false);  // freed with the record
    wrapped()[record] = wrappedOf(*record);
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
