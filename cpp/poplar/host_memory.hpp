// How much memory the host can still give, so that a program too large is refused before it takes
// any. Linux grants pages that it does not have and kills a process when they are touched.
#ifndef popir_poplar_host_memory_hpp
#define popir_poplar_host_memory_hpp

#include <cstdint>
#include <string>

namespace popir {

/// Bytes that this process can still take: the least of what the system has available, what its
/// control group (version 1 or 2) and its RLIMIT_AS leave. The largest number if nothing says.
__attribute__((visibility("default"))) std::uint64_t availableMemory();

/// Throws poplar::graph_memory_allocation_error, beginning with `who`, if `bytes` are more than
/// that. Small requests are not looked into.
void requireMemory(const std::string& who, std::uint64_t bytes);

}  // namespace popir

#endif
