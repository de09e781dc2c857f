#include <functional>
#include <numeric>

#include "kernels/contraction/gemm_own.hpp"
#include "kernels/contraction/im2col.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace gemm {

template <>
const Routines<float>* routines() {
  switch (isa()) {
    case Isa::Avx512: return &avx512::kFloats;
    case Isa::Avx2: return &avx2::kFloats;
    default: return nullptr;
  }
}

template <>
const Routines<double>* routines() {
  switch (isa()) {
    case Isa::Avx512: return &avx512::kDoubles;
    case Isa::Avx2: return &avx2::kDoubles;
    default: return nullptr;
  }
}

}  // namespace gemm

namespace contraction {
namespace {

/// Of a B that is packed before the run, if it `packs`.
template <class T, bool packs = false>
struct OwnRoutine {
  const gemm::Routines<T>* routines = gemm::routines<T>();
  bool ordered;  // sums of a packed B are those of one that is not

  void run(const gemm::BlockOf<T>& block, void* scratch) const {
    routines->run(block, static_cast<T*>(scratch));
  }
  std::size_t scratchBytes(std::int64_t m, std::int64_t n, std::int64_t k) const {
    return sizeof(T) * routines->scratchScalars(m, n, k);
  }
  void pack(const T* b, const MatMulSpec::Strides& strides, std::int64_t k, std::int64_t n,
            std::int64_t first, std::int64_t last, T* to) const {
    routines->pack(b, strides.row, strides.column, k, n, packedSteps(), first, last, to);
  }
  std::size_t packedBytes(std::int64_t k, std::int64_t n) const {
    return sizeof(T) * routines->packedScalars(k, n);
  }
  std::int64_t packedSteps() const { return ordered ? routines->steps : routines->keptSteps; }
  std::int64_t columns() const { return routines->columns; }
  gemm::Tasks tasks(const MatMulSpec& spec, unsigned threads) const {
    if (packs) return gemm::Tasks::ofKept(spec, columns(), threads);
    return {spec, columns(), threads};
  }
};

/// Products of many floats by panels of four vectors.
struct WideRoutine {
  const gemm::Routines<float>* routines = gemm::routines<float>();

  void run(const gemm::BlockOf<float>& block, void* scratch) const {
    routines->runWide(block, static_cast<float*>(scratch));
  }
  std::size_t scratchBytes(std::int64_t, std::int64_t n, std::int64_t k) const {
    return sizeof(float) * routines->wideScalars(k, n);
  }
  gemm::Tasks tasks(const MatMulSpec& spec, unsigned threads) const {
    return gemm::Tasks::square(spec, routines->wideColumns, threads);
  }
};

std::string description() { return std::string("own ") + name(isa()); }

std::string wideDescription() { return std::string("wide ") + name(isa()); }

/// Forward convolutions of so few steps that the output is most of the memory, which wide panels fetch
/// before they write it, and of more channels than a register block of our others has rows.
bool writesMuch(const ConvSpec& s) {
  constexpr std::int64_t kSteps = 64, kRows = 16, kLarge = 6000000;  // elements
  const auto& w = s.weights.shape;
  const std::int64_t channel =
      std::accumulate(w.begin() + 2, w.end(), std::int64_t(1), std::multiplies<>());
  return gemm::routines<float>()->runWide != nullptr && s.policy.has(Choice::WidePanels) &&
         s.pass == Pass::Forward && channel < kSteps && w[1] >= kRows && s.out.elements() >= kLarge;
}

template <class T, bool packs>
std::unique_ptr<Contraction> ownProduct(const MatMulSpec& spec, unsigned threads) {
  return std::make_unique<TiledMatMul<T, OwnRoutine<T, packs>, packs>>(
      spec, threads, OwnRoutine<T, packs>{gemm::routines<T>(), spec.policy.deterministic},
      description() + (packs ? " packed" : ""));
}

template <bool packs>
std::unique_ptr<Contraction> makeProduct(const MatMulSpec& spec, unsigned threads) {
  if (gemm::routines<float>() == nullptr || spec.inType != spec.outType) return nullptr;
  if (spec.inType == poplar::FLOAT) return ownProduct<float, packs>(spec, threads);
  if (spec.inType == poplar::DOUBLE) return ownProduct<double, packs>(spec, threads);
  return nullptr;
}

}  // namespace

std::unique_ptr<Contraction> makeOwn(const MatMulSpec& spec, unsigned threads) {
  return makeProduct<false>(spec, threads);
}

std::unique_ptr<Contraction> makeOwnPacked(const MatMulSpec& spec, unsigned threads) {
  return makeProduct<true>(spec, threads);
}

std::unique_ptr<Contraction> makeWide(const MatMulSpec& spec, unsigned threads) {
  const auto* routines = gemm::routines<float>();
  if (routines == nullptr || routines->runWide == nullptr || spec.inType != poplar::FLOAT ||
      spec.outType != poplar::FLOAT)
    return nullptr;
  return std::make_unique<TiledMatMul<float, WideRoutine>>(spec, threads, WideRoutine(),
                                                           wideDescription());
}

std::unique_ptr<Contraction> makeOwn(const ConvSpec& spec, unsigned threads) {
  const auto type = spec.in.type;
  if (gemm::routines<float>() == nullptr || spec.weights.type != type || spec.out.type != type)
    return nullptr;
  if (type == poplar::FLOAT && writesMuch(spec))
    return makeColumnsConv<float>(spec, threads, WideRoutine(), wideDescription());
  if (type == poplar::FLOAT)
    return makeColumnsConv<float>(spec, threads, OwnRoutine<float>(), description());
  if (type == poplar::DOUBLE)
    return makeColumnsConv<double>(spec, threads, OwnRoutine<double>(), description());
  return nullptr;
}

}  // namespace contraction
}  // namespace popir
