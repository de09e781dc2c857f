// The functions that oneDNN's library calls for its memory. The build renames them in our copy of
// that library (cmake/WheelFiles.cmake). Each call of a primitive takes about ten small blocks, and
// some products one of many KiB: a thread keeps what it gave back, so that a run after the first few
// asks the system for none.
#if POPIR_HAVE_ONEDNN
#include <malloc.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace popir {
namespace onednn {
namespace {

/// Blocks from one function of the system, kept by size, each in the list of the largest power of
/// two that it holds. The links are in the blocks themselves.
class Kept {
 public:
  /// Null if there is none of `bytes` bytes at a multiple of `alignment`.
  void* take(std::size_t bytes, std::size_t alignment) {
    const unsigned list = listFor(bytes);
    if (list >= kLists) return nullptr;
    for (Block** at = &lists_[list]; *at != nullptr; at = &(*at)->next) {
      Block* const block = *at;
      if (reinterpret_cast<std::uintptr_t>(block) % alignment != 0) continue;
      *at = block->next;
      bytes_ -= malloc_usable_size(block);
      return block;
    }
    return nullptr;
  }
  /// False if the block is not kept: it is larger than others, or there are enough.
  bool keep(void* memory) {
    const std::size_t bytes = malloc_usable_size(memory);
    if (bytes < kLeastBytes || bytes_ + bytes > kMostBytes) return false;
    const unsigned list = floorLog2(bytes);
    if (list >= kLists) return false;
    bytes_ += bytes;
    lists_[list] = new (memory) Block{lists_[list]};
    return true;
  }
  template <class Free>
  void clear(const Free& free) {
    for (Block*& first : lists_)
      while (Block* const block = first) {
        first = block->next;
        free(block);
      }
    bytes_ = 0;
  }
  /// The size to ask the system for, so that the block is found for the same size again.
  static std::size_t rounded(std::size_t bytes) {
    const unsigned list = listFor(bytes);
    return list < kLists ? std::size_t{1} << list : bytes;
  }

 private:
  struct Block {
    Block* next;
  };
  static constexpr unsigned kLists = 23;
  static constexpr std::size_t kLeastBytes = 16;  // a Block, and what the system gives for less
  static constexpr std::size_t kMostBytes = std::size_t{4} << 20;

  static unsigned floorLog2(std::size_t n) {
    return 63 - static_cast<unsigned>(__builtin_clzll(n));
  }
  static unsigned listFor(std::size_t bytes) {
    return bytes <= kLeastBytes ? floorLog2(kLeastBytes) : floorLog2(bytes - 1) + 1;
  }

  std::array<Block*, kLists> lists_{};
  std::size_t bytes_ = 0;
};

/// What a thread keeps. The two kinds go back to the system by functions of their own.
struct Memory {
  Kept ofNew, ofMalloc;
  ~Memory();
};

/// Trivial, so that it can be read when the thread's other objects are gone.
thread_local bool isGone = false;

Memory::~Memory() {
  isGone = true;
  ofNew.clear([](void* block) { ::operator delete(block); });
  ofMalloc.clear([](void* block) { std::free(block); });
}

/// Null at the end of a thread, and with AddressSanitizer, which is to see each block come and go.
Memory* memory() {
#ifdef __SANITIZE_ADDRESS__
  return nullptr;
#else
  if (isGone) return nullptr;
  thread_local Memory own;
  return &own;
#endif
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  void* made = nullptr;
  return posix_memalign(&made, alignment, bytes) == 0 ? made : nullptr;
}

void* takeOrAllocate(std::size_t bytes, std::size_t alignment) {
  Memory* const own = memory();
  if (own == nullptr) return allocate(bytes, alignment);
  void* const kept = own->ofMalloc.take(bytes, alignment);
  return kept != nullptr ? kept : allocate(Kept::rounded(bytes), alignment);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

/// operator new
void* popir__Znwm(std::size_t bytes) {
  Memory* const own = memory();
  if (own == nullptr) return ::operator new(bytes);
  void* const kept = own->ofNew.take(bytes, 1);
  return kept != nullptr ? kept : ::operator new(Kept::rounded(bytes));
}

/// operator delete
void popir__ZdlPv(void* block) {
  if (block == nullptr) return;
  Memory* const own = memory();
  if (own == nullptr || !own->ofNew.keep(block)) ::operator delete(block);
}

void* popir_malloc(std::size_t bytes) { return takeOrAllocate(bytes, alignof(std::max_align_t)); }

int popir_posix_memalign(void** to, std::size_t alignment, std::size_t bytes) {
  *to = takeOrAllocate(bytes, alignment);
  return *to == nullptr ? ENOMEM : 0;
}

void popir_free(void* block) {
  if (block == nullptr) return;
  Memory* const own = memory();
  if (own == nullptr || !own->ofMalloc.keep(block)) std::free(block);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace onednn
}  // namespace popir
#endif
