// Matrix products by a single-threaded routine, partitioned into tasks. Shared by the own and the
// portable source.
#ifndef popir_kernels_contraction_matmul_hpp
#define popir_kernels_contraction_matmul_hpp

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/contraction/gemm.hpp"
#include "kernels/parallel.hpp"
#include "kernels/streaming.hpp"

namespace popir {
namespace contraction {

/// `Routine` provides run(block, scratch), scratchBytes(rows, columns, depth) and tasks(spec,
/// threads). With `packs`, B is packed before the run, and it provides pack(b, strides, depth,
/// columns, first, last, to), packedBytes(depth, columns) and packedSteps().
template <class T, class Routine, bool packs = false>
class TiledMatMul final : public Contraction {
 public:
  TiledMatMul(const MatMulSpec& spec, unsigned threads, Routine routine, std::string description)
      : spec_(spec),
        tasks_(routine.tasks(spec, threads)),
        routine_(routine),
        description_(std::move(description)),
        streams_(isStreamed(sizeof(T) * static_cast<std::size_t>(spec.written()))),
        scratchBytes_(aligned(
            routine.scratchBytes(tasks_.mostRows(), packs ? 0 : tasks_.mostColumns(), spec.k))) {}

  std::string describe() const override { return description_; }
  std::size_t packedBytes() const override { return packedGroups() * groupBytes(); }
  bool movesWeights() const override { return packs; }

  void pack(const void* weights, void* packed) const override {
    if constexpr (packs) {
      const auto* b = static_cast<const T*>(weights);
      const std::int64_t unit = routine_.columns(), units = (spec_.n + unit - 1) / unit;
      parallelParts(packedGroups() * units, 1, tasks_.threads,
                    [&](std::int64_t first, std::int64_t last, unsigned) {
                      while (first < last) {
                        const std::int64_t group = first / units;
                        const std::int64_t end = std::min(last, (group + 1) * units);
                        routine_.pack(b + group * spec_.b.group, spec_.b, spec_.k, spec_.n,
                                      (first - group * units) * unit,
                                      std::min(spec_.n, (end - group * units) * unit),
                                      static_cast<T*>(at(packed, formOf(group))));
                        first = end;
                      }
                    });
    }
  }

  void runPacked(void* const* operands, const void* packed, void* /*work*/) const override {
    const auto* a = static_cast<const T*>(operands[0]);
    const auto* b = static_cast<const T*>(operands[1]);
    auto* c = static_cast<T*>(operands[2]);
    const auto* bias = spec_.bias ? static_cast<const T*>(operands[3]) : nullptr;
    parallelParts(tasks_.count(), 1, tasks_.threads,
                  [&](std::int64_t first, std::int64_t last, unsigned) {
                    const pool::OwnMemory own(scratchBytes_);
                    for (std::int64_t i = first; i < last; ++i) {
                      auto block = gemm::task(tasks_, i, spec_, a, b, c, bias);
                      block.streams = streams_;
                      if constexpr (packs) {
                        const auto* forms = static_cast<const T*>(packed);
                        block.packed = forms + formOf(tasks_.groupOf(i)) / sizeof(T);
                        block.packedColumns = packedColumns();
                        block.packedSteps = routine_.packedSteps();
                      }
                      if (block.m > 0 && block.n > 0) routine_.run(block, own.data());
                    }
                  });
  }

 private:
  std::int64_t packedGroups() const { return spec_.b.group == 0 ? 1 : spec_.groups; }
  std::size_t groupBytes() const {
    if constexpr (packs) return aligned(routine_.packedBytes(spec_.k, spec_.n));
    return 0;
  }
  /// Those of B, and of what fills its last vector: of one row.
  std::int64_t packedColumns() const {
    if constexpr (packs) return routine_.packedBytes(1, spec_.n) / sizeof(T);
    return 0;
  }
  /// Where the packed form of the B of a group begins, in bytes; at 0 for all if they share it.
  std::size_t formOf(std::int64_t group) const {
    return spec_.b.group == 0 ? 0 : static_cast<std::size_t>(group) * groupBytes();
  }

  MatMulSpec spec_;
  gemm::Tasks tasks_;
  Routine routine_;
  std::string description_;
  bool streams_;  // C is written past the caches
  std::size_t scratchBytes_;
};

/// gemm::portable as a Routine.
template <class T>
struct PortableRoutine {
  void run(const gemm::BlockOf<T>& block, void*) const { gemm::portable(block); }
  std::size_t scratchBytes(std::int64_t, std::int64_t, std::int64_t) const { return 0; }
  gemm::Tasks tasks(const MatMulSpec& spec, unsigned threads) const {
    constexpr std::int64_t kColumns = 64;
    return {spec, kColumns, threads};
  }
};

}  // namespace contraction
}  // namespace popir

#endif
