#include "engine/arena.hpp"

#include <sys/mman.h>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <string>

#include "engine/plan/plan.hpp"
#include "support/host_memory.hpp"

namespace popir {

Arena::Arena(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, kAlign)) {
  requireMemory("Engine: the program", bytes_);
  void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    throw poplar::graph_memory_allocation_error("Engine: the host cannot give " +
                                                std::to_string(bytes_) + " bytes");
  madvise(p, bytes_, MADV_HUGEPAGE);
  data_ = static_cast<char*>(p);
}
Arena::~Arena() { munmap(data_, bytes_); }
void Arena::clear() { madvise(data_, bytes_, MADV_DONTNEED); }
void Arena::release(std::size_t offset, std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::size_t first = (offset + kPage - 1) / kPage * kPage;
  const std::size_t last = (offset + bytes) / kPage * kPage;
  if (first < last) madvise(data_ + first, last - first, MADV_DONTNEED);
}
void Arena::poison(std::size_t begin) { popir::poison(data_ + begin, bytes_ - begin); }

void poison(char* begin, std::size_t bytes) {
  // The pattern 0x7ff5, repeated. Memory of variables begins at even addresses.
  for (std::size_t i = 0; i < bytes; ++i) begin[i] = i % 2 == 0 ? '\xf5' : '\x7f';
}

}  // namespace popir
