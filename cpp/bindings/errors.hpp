// C++ exceptions arrive in Python as the class of the same name in popir.errors.
#ifndef popir_bindings_errors_hpp
#define popir_bindings_errors_hpp

#include <exception>
#include <string>

namespace popir {

/// The name of the class in popir.errors; null for an exception that is none of ours.
const char* pythonName(const std::exception& e);

/// Raises popir.errors.<name>.
[[noreturn]] void raise(const char* name, const std::string& message);

/// For all functions that are bound.
void registerErrors();

}  // namespace popir

#endif
