// poputil/exceptions.hpp: the error of the libraries above the graph.
#ifndef poputil_exceptions_hpp
#define poputil_exceptions_hpp

#include <stdexcept>
#include <string>

namespace poputil {

/// A call of a library function that cannot be carried out: who was called, what was given, what
/// was expected.
struct __attribute__((visibility("default"))) poplibs_error : std::runtime_error {
  explicit poplibs_error(const std::string& s);
  explicit poplibs_error(const char* s);
  ~poplibs_error() noexcept override;

  std::string type;
};

}  // namespace poputil

#endif
