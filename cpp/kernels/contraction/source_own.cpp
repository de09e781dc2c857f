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

template <class T>
struct OwnRoutine {
  const gemm::Routines<T>* routines = gemm::routines<T>();

  void run(const gemm::BlockOf<T>& block, void* scratch) const {
    routines->run(block, static_cast<T*>(scratch));
  }
  std::size_t scratchBytes(std::int64_t m, std::int64_t n, std::int64_t k) const {
    return sizeof(T) * routines->scratchScalars(m, n, k);
  }
  std::int64_t columns() const { return routines->columns; }
};

std::string description() { return std::string("own ") + name(isa()); }

template <class T>
std::unique_ptr<Contraction> ownProduct(const MatMulSpec& spec, unsigned threads) {
  return std::make_unique<TiledMatMul<T, OwnRoutine<T>>>(spec, threads, OwnRoutine<T>(),
                                                         description());
}

}  // namespace

std::unique_ptr<Contraction> makeOwn(const MatMulSpec& spec, unsigned threads) {
  if (gemm::routines<float>() == nullptr || spec.inType != spec.outType) return nullptr;
  if (spec.inType == poplar::FLOAT) return ownProduct<float>(spec, threads);
  if (spec.inType == poplar::DOUBLE) return ownProduct<double>(spec, threads);
  return nullptr;
}

std::unique_ptr<Contraction> makeOwn(const ConvSpec& spec, unsigned threads) {
  const auto type = spec.in.type;
  if (gemm::routines<float>() == nullptr || spec.weights.type != type || spec.out.type != type)
    return nullptr;
  if (type == poplar::FLOAT)
    return makeColumnsConv<float>(spec, threads, OwnRoutine<float>(), description());
  if (type == poplar::DOUBLE)
    return makeColumnsConv<double>(spec, threads, OwnRoutine<double>(), description());
  return nullptr;
}

}  // namespace contraction
}  // namespace popir
