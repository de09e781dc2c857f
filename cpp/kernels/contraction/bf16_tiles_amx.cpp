// bf16_tiles.inc with the tile instructions of AMX.
#include <cstdint>
#include <cstring>

#include "kernels/contraction/bf16_tiles.hpp"

namespace popir {
namespace tiles {
namespace amx {
namespace {

// The intrinsics of the compiler take numbers of tiles as text only, so these are written out.
struct Tiles {
  /// Tiles exist in a thread while one of these lives. Left configured, they would be saved with
  /// the thread's registers at each switch.
  class Scope {
   public:
    Scope() {
      struct alignas(64) {
        std::uint8_t palette = 1, startRow = 0, reserved[14] = {};
        std::uint16_t rowBytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
        std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
      } config;
      asm volatile("ldtilecfg %0" ::"m"(config));
    }
    ~Scope() { asm volatile("tilerelease"); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };

  template <int T>
  __attribute__((always_inline)) static inline void zero() {
    asm volatile("tilezero %%tmm%c0" ::"i"(T));
  }
  template <int T>
  __attribute__((always_inline)) static inline void load(const char* from) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2"
                 :
                 : "r"(from), "r"(std::int64_t{64}), "i"(T)
                 : "memory");
  }
  template <int T>
  __attribute__((always_inline)) static inline void store(float* to, std::int64_t rowBytes) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(rowBytes), "i"(T) : "memory");
  }
  template <int C, int A, int B>
  __attribute__((always_inline)) static inline void dot() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(C), "i"(A), "i"(B));
  }
};

#include "kernels/contraction/bf16_tiles.inc"

}  // namespace
}  // namespace amx

const Loops& amxLoops(FpMath math) { return amx::loopsFor(math); }

}  // namespace tiles
}  // namespace popir
