// Translates C++ exceptions to classes of popir.errors: poplar::index_error to poplar_index_error.
#ifndef popir_bindings_errors_hpp
#define popir_bindings_errors_hpp

#include <pybind11/pytypes.h>

#include <exception>
#include <string>

namespace popir {

/// The message for a failed allocation of host memory.
extern const char* const noMemory;

/// A str of text that may not be UTF-8, such as a library's message. Invalid bytes become escapes
/// such as "\\xff".
pybind11::str decoded(const std::string& text);

/// The name of the exception's class in popir.errors; null for an exception that is not popir's.
const char* pythonName(const std::exception& e);

/// Raises the class `name` of popir.errors.
[[noreturn]] void raise(const char* name, const std::string& message);

/// Appends `words` to the message of a PopirError that has no other arguments. Does nothing to
/// other errors.
void say(pybind11::handle error, const std::string& words);

/// Registers the translation, for all bound functions.
void registerErrors();

}  // namespace popir

#endif
