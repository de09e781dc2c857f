// The exception of the libraries. After poputil/exceptions.hpp of PopLibs 3.
#ifndef poputil_exceptions_hpp
#define poputil_exceptions_hpp

#include <stdexcept>
#include <string>

namespace poputil {

/// Invalid arguments of a library function. The message says which function was called, what it was
/// given and what it expects.
struct __attribute__((visibility("default"))) poplibs_error : std::runtime_error {
  explicit poplibs_error(const std::string& s);
  explicit poplibs_error(const char* s);
  ~poplibs_error() noexcept override;

  std::string type;
};

}  // namespace poputil

#endif
