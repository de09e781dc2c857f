#include "bindings/errors.hpp"

#include <pybind11/pybind11.h>
#include <popart/error.hpp>
#include <poplar/exceptions.hpp>
#include <poputil/exceptions.hpp>

#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "foreign/habana/kernels.hpp"
#include "foreign/habana/operators.hpp"
#include "foreign/shared_library.hpp"
#include "popart/attribute_error.hpp"
#include "support/budget.hpp"

namespace popir {
namespace {

namespace py = pybind11;

struct ErrorName {
  const char* name;
  bool (*matches)(const std::exception&);
};

template <class E>
bool is(const std::exception& e) {
  return dynamic_cast<const E*>(&e) != nullptr;
}

// The first row that matches is used, so derived classes stand before their bases.
const ErrorName rows[] = {
    {"OperatorAttributeError", is<AttributeError>},
    {"LibraryLoadError", is<foreign::LibraryError>},
    {"OperatorInputError", is<foreign::habana::GlueError>},
    {"OperatorInputError", is<foreign::habana::DefinitionError>},
    {"popart_internal_exception", is<popart::internal_error>},
    {"popart_runtime_error", is<popart::runtime_error>},
    {"popart_exception", is<popart::error>},
    {"poplibs_exception", is<poputil::poplibs_error>},
    {"poplar_index_error", is<poplar::index_error>},
    {"poplar_invalid_option", is<poplar::invalid_option>},
    {"poplar_invalid_tile_mapping", is<poplar::invalid_tile_mapping>},
    {"poplar_graph_connection_error", is<poplar::graph_connection_error>},
    {"poplar_graph_memory_allocation_error", is<poplar::graph_memory_allocation_error>},
    {"poplar_link_error", is<poplar::link_error>},
    {"poplar_graph_program_compilation_error", is<poplar::graph_program_compilation_error>},
    {"poplar_graph_cycle_error", is<poplar::graph_cycle_error>},
    {"poplar_type_error", is<poplar::type_error>},
    {"poplar_stream_connection_error", is<poplar::stream_connection_error>},
    {"poplar_tensor_io_state_error", is<poplar::tensor_io_state_error>},
    {"poplar_control_program_error", is<poplar::control_program_error>},
    {"poplar_profiling_disabled", is<poplar::profiling_disabled>},
    {"poplar_recoverable_runtime_error", is<poplar::recoverable_runtime_error>},
    {"poplar_unrecoverable_runtime_error", is<poplar::unrecoverable_runtime_error>},
    {"poplar_unknown_runtime_error", is<poplar::unknown_runtime_error>},
    {"poplar_system_runtime_error", is<poplar::system_runtime_error>},
    {"poplar_application_runtime_error", is<poplar::application_runtime_error>},
    {"poplar_runtime_error", is<poplar::runtime_error>},
    {"WorkLimitError", is<work_limit_error>},
    {"poplar_exception", is<poplar::poplar_error>},
};

/// What brings a device back after the exception that is being handled, if that says so.
std::optional<poplar::RecoveryAction> recoveryOfCurrent() {
  const std::exception_ptr current = std::current_exception();
  if (current == nullptr) return std::nullopt;
  try {
    std::rethrow_exception(current);
  } catch (const poplar::recoverable_runtime_error& fault) {
    return fault.getRecoveryAction();
  } catch (...) {
    return std::nullopt;
  }
}

void set(const char* name, const std::string& message) {
  const py::object type = py::module_::import("popir.errors").attr(name);
  const py::object error = type(decoded(message));
  if (const auto action = recoveryOfCurrent())
    error.attr("recoveryAction") =
        py::module_::import("popir.enums").attr("RecoveryAction")(static_cast<int>(*action));
  PyErr_SetObject(type.ptr(), error.ptr());
}

}  // namespace

const char* const noMemory = "The host cannot give the memory that was asked for.";

py::str decoded(const std::string& text) {
  PyObject* made =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

const char* pythonName(const std::exception& e) {
  for (const ErrorName& row : rows)
    if (row.matches(e)) return row.name;
  return nullptr;
}

void raise(const char* name, const std::string& message) {
  set(name, message);
  throw py::error_already_set();
}

void say(py::handle error, const std::string& words) {
  if (!py::isinstance(error, py::module_::import("popir.errors").attr("PopirError"))) return;
  const py::str message(error);
  const py::object args = error.attr("args");
  if (args.equal(py::object(py::make_tuple(message))))
    error.attr("args") = py::make_tuple(message + decoded(words));
}

void registerErrors() {
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const std::exception& e) {
      // Containers throw either of these for a size beyond the host's memory.
      if (is<std::bad_alloc>(e) || is<std::length_error>(e)) {
        set("poplar_graph_memory_allocation_error", noMemory);
        return;
      }
      if (is<std::system_error>(e)) {  // mostly from files
        set("poplar_system_runtime_error", e.what());
        return;
      }
      if (is<py::cast_error>(e)) {  // a value inside of an argument has the wrong type
        PyErr_SetString(PyExc_TypeError, e.what());
        return;
      }
      const char* name = pythonName(e);
      if (name == nullptr) throw;
      set(name, e.what());
    }
  });
}

}  // namespace popir
