// Counts the blocks of memory that a process asks malloc and its relatives for, operator new among
// them: to be preloaded. Between allocations_count(1) and allocations_count(0) all threads count.
#include <atomic>
#include <cerrno>
#include <cstddef>

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

static std::atomic<bool> counts{false};
static std::atomic<long> found{0};

static void note() {
  if (counts.load(std::memory_order_relaxed)) ++found;
}

/// Begins to count from 0, or ends; how many there were.
long allocations_count(int on) {
  counts = on != 0;
  return on != 0 ? found.exchange(0) : found.load();
}

void* malloc(std::size_t bytes) {
  note();
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  note();
  return __libc_calloc(count, bytes);
}
void* realloc(void* block, std::size_t bytes) {
  note();
  return __libc_realloc(block, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  note();
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  note();
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** to, std::size_t alignment, std::size_t bytes) {
  note();
  *to = __libc_memalign(alignment, bytes);
  return *to == nullptr ? ENOMEM : 0;
}

}  // extern "C"
