// Matrix products by a single-threaded routine, partitioned into tasks. Shared by the own and the
// portable source.
#ifndef popir_kernels_contraction_matmul_hpp
#define popir_kernels_contraction_matmul_hpp

#include <string>
#include <utility>

#include "kernels/contraction/gemm.hpp"

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
    const auto count = tasks_.count();
    const auto threads = static_cast<std::int64_t>(tasks_.threads);
    const auto runTask = [&](std::int64_t i, std::int64_t thread) {
      const auto block = gemm::task(tasks_, i, spec_, a, b, c, bias);
      if (block.m > 0 && block.n > 0) routine_.run(block, at(work, thread * scratchBytes_));
    };
    if (threads == 1) {
      for (std::int64_t i = 0; i < count; ++i) runTask(i, 0);
      return;
    }
#pragma omp parallel for num_threads(tasks_.threads) schedule(static, 1)
    for (std::int64_t t = 0; t < threads; ++t)
      for (std::int64_t i = count * t / threads; i < count * (t + 1) / threads; ++i) runTask(i, t);
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
