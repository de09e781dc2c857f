// poplar/Executable.hpp: a graph and its programs, made into something that can be saved.
#ifndef poplar_Executable_hpp
#define poplar_Executable_hpp

#include <iosfwd>
#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace poplar {

/// By compileGraph, or from what serialize() wrote. An Engine of it needs neither graph nor
/// sources. Copies share what they hold. An executable has the code of its codelets: load only
/// what you would run.
class Executable {
 public:
  /// One to be assigned to; all else is a poplar_error.
  Executable() = default;
  /// Anything may have gone before in the stream, and may follow.
  void serialize(std::ostream& out) const;
  /// \throws poplar_error if what follows in the stream is no executable, is damaged or was written
  ///         by another version of popir.
  static Executable deserialize(std::istream& in);

  explicit Executable(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}
  const std::string& bytes() const;

 private:
  std::shared_ptr<const std::string> bytes_;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
