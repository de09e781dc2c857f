// The memory that the host can still provide. A program that is too large is refused before it
// allocates: Linux overcommits, so the allocation succeeds and the process is killed when it
// touches the pages.
#ifndef popir_support_host_memory_hpp
#define popir_support_host_memory_hpp

#include <cstdint>
#include <string>

namespace popir {

/// Bytes that this process can still allocate: the minimum of the system's available memory, the
/// limit of the control group (version 1 or 2), and RLIMIT_AS. UINT64_MAX if none of them is known.
__attribute__((visibility("default"))) std::uint64_t availableMemory();

/// \throws poplar::graph_memory_allocation_error if `bytes` exceeds availableMemory(). The message
/// begins with `who`. Requests of less than 64 MiB are not checked.
void requireMemory(const std::string& who, std::uint64_t bytes);

}  // namespace popir

#endif
