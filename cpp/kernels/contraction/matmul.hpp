// Matrix products by a single-threaded routine, partitioned into tasks. Shared by the own and the
// portable source.
#ifndef popir_kernels_contraction_matmul_hpp
#define popir_kernels_contraction_matmul_hpp

#include <string>
#include <utility>

#include "kernels/contraction/gemm.hpp"
#include "kernels/parallel.hpp"

namespace popir {
namespace contraction {

/// `Routine` provides run(block, scratch), scratchBytes(rows, columns, depth) and columns().
template <class T, class Routine>
class TiledMatMul final : public Contraction {
 public:
  TiledMatMul(const MatMulSpec& spec, unsigned threads, Routine routine, std::string description)
      : spec_(spec),
        tasks_(spec, routine.columns(), threads),
        routine_(routine),
        description_(std::move(description)),
        scratchBytes_(
            aligned(routine.scratchBytes(tasks_.mostRows(), tasks_.mostColumns(), spec.k))) {}

  std::string describe() const override { return description_; }
  std::size_t workBytes() const override { return scratchBytes_ * tasks_.threads; }

  void runPacked(void* const* operands, const void*, void* work) const override {
    const auto* a = static_cast<const T*>(operands[0]);
    const auto* b = static_cast<const T*>(operands[1]);
    auto* c = static_cast<T*>(operands[2]);
    const auto* bias = spec_.bias ? static_cast<const T*>(operands[3]) : nullptr;
    parallelParts(tasks_.count(), 1, tasks_.threads,
                  [&](std::int64_t first, std::int64_t last, unsigned thread) {
                    for (std::int64_t i = first; i < last; ++i) {
                      const auto block = gemm::task(tasks_, i, spec_, a, b, c, bias);
                      if (block.m > 0 && block.n > 0)
                        routine_.run(block, at(work, thread * scratchBytes_));
                    }
                  });
  }

 private:
  MatMulSpec spec_;
  gemm::Tasks tasks_;
  Routine routine_;
  std::string description_;
  std::size_t scratchBytes_;
};

/// gemm::portable as a Routine.
template <class T>
struct PortableRoutine {
  void run(const gemm::BlockOf<T>& block, void*) const { gemm::portable(block); }
  std::size_t scratchBytes(std::int64_t, std::int64_t, std::int64_t) const { return 0; }
  std::int64_t columns() const { return 64; }
};

}  // namespace contraction
}  // namespace popir

#endif
