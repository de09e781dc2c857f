// C++ exceptions arrive in Python as the class of the same name in popir.errors.
#ifndef popir_bindings_errors_hpp
#define popir_bindings_errors_hpp

#include <pybind11/pytypes.h>

#include <exception>
#include <string>

namespace popir {

/// The message for a failed allocation of host memory.
extern const char* const noMemory;

/// Text of a library, with bytes that are no UTF-8 written as "\\xff".
pybind11::str decoded(const std::string& text);

/// The name of the class in popir.errors; null for an exception that is not popir's.
const char* pythonName(const std::exception& e);

/// Raises popir.errors.<name>.
[[noreturn]] void raise(const char* name, const std::string& message);

/// Adds words to the message of an error of popir's that is nothing but a message; others stay.
void say(pybind11::handle error, const std::string& words);

/// For all functions that are bound.
void registerErrors();

}  // namespace popir

#endif
