#include "kernels/contraction/gemm_own.hpp"
#include "kernels/contraction/im2col.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace gemm {

const Routines* routines() {
  switch (isa()) {
    case Isa::Avx512: return &avx512::kRoutines;
    case Isa::Avx2: return &avx2::kRoutines;
    default: return nullptr;
  }
}

}  // namespace gemm

namespace contraction {
namespace {

struct OwnRoutine {
  const gemm::Routines* routines;

  void run(const gemm::Block& block, void* scratch) const {
    routines->run(block, static_cast<float*>(scratch));
  }
  std::size_t scratchBytes(std::int64_t m, std::int64_t n, std::int64_t k) const {
    return sizeof(float) * routines->scratchFloats(m, n, k);
  }
  std::int64_t columns() const { return routines->columns; }
};

std::string description() { return std::string("own ") + name(isa()); }

}  // namespace

std::unique_ptr<Contraction> makeOwn(const MatMulSpec& spec, unsigned threads) {
  if (gemm::routines() == nullptr || spec.inType != poplar::FLOAT || spec.outType != poplar::FLOAT)
    return nullptr;
  return std::make_unique<TiledMatMul<float, OwnRoutine>>(
      spec, threads, OwnRoutine{gemm::routines()}, description());
}

std::unique_ptr<Contraction> makeOwn(const ConvSpec& spec, unsigned threads) {
  if (gemm::routines() == nullptr || spec.in.type != poplar::FLOAT ||
      spec.weights.type != poplar::FLOAT || spec.out.type != poplar::FLOAT)
    return nullptr;
  return makeColumnsConv<float>(spec, threads, OwnRoutine{gemm::routines()}, description());
}

}  // namespace contraction
}  // namespace popir
