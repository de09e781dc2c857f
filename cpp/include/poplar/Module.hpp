// One compiled program, for a loader other than an Engine. After poplar/Module.hpp of the Poplar SDK 3.
#ifndef poplar_Module_hpp
#define poplar_Module_hpp

#include <poplar/Executable.hpp>

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <utility>

#pragma GCC visibility push(default)

namespace poplar {

/// Created by compileModule().
class Module {
 public:
  Module() = default;
  explicit Module(Executable executable) : executable_(std::move(executable)) {}
  /// Appends the program to a stream, as an Executable does: Executable::deserialize() reads it.
  /// \throws poplar_error for an empty module, and if the stream takes no more
  void serialize(std::ostream& out) const { executable_.serialize(out); }
  /// \throws poplar_error always: no code is compiled for a tile, so that no tile has an image
  void forEachSegment(
      std::function<void(std::size_t tile, std::size_t address, std::size_t fileSize,
                         std::size_t memorySize, const char* data)>
          function) const;
  void forEachLoadableSegment(
      std::function<void(std::size_t tile, std::size_t address, std::size_t size, const char* data)>
          function) const;

 private:
  Executable executable_;
};

/// Memory that others than a program have on tiles: none, since no loader shares a simulated tile.
class Preallocations {};

}  // namespace poplar

#pragma GCC visibility pop

#endif
