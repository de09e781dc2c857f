// Libraries of users' operators, and the symbols in them.
#ifndef popir_foreign_shared_library_hpp
#define popir_foreign_shared_library_hpp

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace popir::foreign {

#pragma GCC visibility push(default)

/// A library or a symbol that is not there; the text names both. The bindings raise
/// LibraryLoadError for it.
struct LibraryError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The integer that a library's symbol names, of 1, 2, 4 or 8 bytes by the size of the symbol;
/// nothing if there is no such symbol. It is read from the file: nothing of the library runs.
/// \throws LibraryError for a symbol that is no such integer, and for a file that is damaged
std::optional<std::int64_t> integerOf(const std::string& path, const std::string& symbol);

/// A loaded library; it stays loaded while copies of the object exist.
class SharedLibrary {
 public:
  /// Loads `path` with RTLD_NOW and RTLD_LOCAL. A file that has been replaced since it was last
  /// loaded is loaded anew. The constructors of the library run: what they throw ends the process,
  /// so a library that is not known to load is tried in another process before.
  /// \throws LibraryError with the message of the dynamic loader
  explicit SharedLibrary(const std::string& path);

  const std::string& path() const { return path_; }
  /// The address of a symbol, null if the library has none of that name.
  void* find(const std::string& symbol) const;
  /// The function of that name, null if the library has none. Nothing can check its signature.
  /// \throws LibraryError if the symbol is data
  template <typename Function>
  Function* function(const std::string& symbol) const {
    return reinterpret_cast<Function*>(findFunction(symbol));
  }
  /// The address of a function, null if the library has no symbol of that name.
  /// \throws LibraryError if the symbol is data
  void* findFunction(const std::string& symbol) const;
  /// The address of a function.
  /// \throws LibraryError that names the library and the symbol
  void* at(const std::string& symbol) const;

 private:
  std::string path_;
  std::shared_ptr<void> handle_;
};

#pragma GCC visibility pop

}  // namespace popir::foreign

#endif
