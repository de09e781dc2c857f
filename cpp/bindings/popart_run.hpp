// Calls C++ code of operators and patterns, and translates its exceptions to Python.
#ifndef popir_bindings_popart_run_hpp
#define popir_bindings_popart_run_hpp

#include <pybind11/pybind11.h>
#include <popart/error.hpp>

#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "bindings/errors.hpp"
#include "bindings/popart_convert.hpp"
#include "bindings/popart_ir.hpp"
#include "popart/registry.hpp"
#include "support/division.hpp"

namespace popir {

/// The path of the library that defines an object's class, found by its table of virtual functions.
template <class T>
const std::string& libraryOf(const T& object) {
  static std::unordered_map<const void*, std::string> known;
  const void* table = *reinterpret_cast<const void* const*>(&object);
  const auto found = known.find(table);
  if (found != known.end()) return found->second;
  return known[table] = Origin::of(table, nullptr).path;
}

/// Runs C++ code. An exception of popir becomes the class of popir.errors of its name, and any other
/// a popart_exception. who(), the name and the library of the code, is appended to the message;
/// std::bad_alloc becomes poplar_graph_memory_allocation_error. A Python error that passes through
/// the code stays the same object.
template <class Who, class Code>
auto translated(const Who& who, const Code& code) -> decltype(code()) {
  try {
    return code();
  } catch (const pybind11::error_already_set& e) {
    say(e.value(), who());  // Python code that was called from there
    throw;
  } catch (const std::bad_alloc&) {
    raise("poplar_graph_memory_allocation_error", noMemory + who());
  } catch (const std::exception& e) {
    const char* name = pythonName(e);
    raise(name == nullptr ? "popart_exception" : name, e.what() + who());
  } catch (...) {
    raise("popart_exception", "It threw something that is no std::exception" + who());
  }
}

/// The same for popir's own code, of which messages say enough.
template <class Code>
auto translated(const Code& code) -> decltype(code()) {
  return translated([] { return std::string(); }, code);
}

/// The same for code of an operator or a pattern of a library, which may divide by zero.
template <class Who, class Code>
auto run(const Who& who, const Code& code) -> decltype(code()) {
  Call call;
  takeDivisions();
  const auto divided = [] { throw std::runtime_error(std::string("Failed: ") + kDivision); };
  return translated(who, [&]() -> decltype(code()) {
    if constexpr (std::is_void_v<decltype(code())>) {
      if (!completes(code)) divided();
      call.finish();
    } else {
      std::optional<decltype(code())> result;
      if (!completes([&] { result.emplace(code()); })) divided();
      call.finish();
      return std::move(*result);
    }
  });
}

/// " (what, in function() of 'library')", for run().
inline std::string place(const std::string& what, const char* function,
                         const std::string& library) {
  return popart::logging::format(" ({}, in {}() of '{}')", what, function, library);
}

/// The same for a function of an operator. `code` gets the operator's C++ object, updated.
template <class Code>
auto runOp(pybind11::handle pyOp, const char* function, const Code& code) {
  popart::Op& op = opOf(pyOp);
  return run([&] { return place(op.debugName(), function, libraryOf(op)); },
             [&] { return code(op); });
}

// These bind the parts of popir._device.popart.
void bindOps(pybind11::module_& m);
void bindOpxs(pybind11::module_& m);
void bindLikeness(pybind11::module_& m);
void bindPatterns(pybind11::module_& m);
/// Passes the ONNX schemas that libraries register to Python.
void installSchemas();

}  // namespace popir

#endif
