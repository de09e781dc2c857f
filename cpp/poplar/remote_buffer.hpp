// Remote buffers: host functions of names that an engine knows, and connects to its own memory.
#ifndef popir_poplar_remote_buffer_hpp
#define popir_poplar_remote_buffer_hpp

#include <poplar/Program.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace popir {

/// What the handle of a host function says that stands for a copy from or to a remote buffer.
struct RemoteCopy {
  bool reads = true;    // from the buffer to the device
  bool indexed = true;  // the first input has the numbers of the rows
  std::size_t rowBytes = 0, rows = 0, copied = 0;
  std::string buffer;
};
std::string handleOf(const RemoteCopy& copy);
/// Empty for other host functions.
/// \throws poplar::poplar_error if the arguments are not those of such a copy
std::optional<RemoteCopy> remoteCopyOf(const poplar::HostFunction& function);

}  // namespace popir

#endif
