// The memory that an engine's variables share.
#ifndef popir_engine_arena_hpp
#define popir_engine_arena_hpp

#include <cstddef>

namespace popir {

/// Zero-filled, 64-byte aligned memory. The system provides pages when they are first touched.
class Arena {
 public:
  explicit Arena(std::size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  char* data() const { return data_; }
  /// Sets all bytes to zero.
  void clear();
  /// Gives the pages of a part that lie within it back; they are zero when they are used again.
  void release(std::size_t offset, std::size_t bytes);
  /// Poisons the bytes from `begin` on; see popir::poison().
  void poison(std::size_t begin);

 private:
  char* data_;
  std::size_t bytes_;
};

/// Fills memory with a pattern that is NaN in every floating-point type, an implausible value in
/// every integer type, and true as bool. A read of memory that was never written then shows in the
/// results.
void poison(char* begin, std::size_t bytes);

}  // namespace popir

#endif
