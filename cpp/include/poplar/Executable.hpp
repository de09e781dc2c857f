// Compiled programs that can be saved to a file. After poplar/Executable.hpp of the Poplar SDK 3.
#ifndef poplar_Executable_hpp
#define poplar_Executable_hpp

#include <iosfwd>
#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace poplar {

/// Created by compileGraph() or deserialize(). An Engine constructed from it needs neither graph
/// nor codelet sources. Copies share their data. An executable contains native code of its
/// codelets: load it only from a trusted source.
class Executable {
 public:
  /// An empty executable, to assign to. Other functions throw poplar_error.
  Executable() = default;
  /// Appends the executable to a stream, which may contain other data before and after it.
  void serialize(std::ostream& out) const;
  /// Reads an executable from the current position of the stream.
  /// \throws poplar_error if there is none, it is damaged, or another version of popir wrote it
  static Executable deserialize(std::istream& in);

  explicit Executable(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}
  const std::string& bytes() const;

 private:
  std::shared_ptr<const std::string> bytes_;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
