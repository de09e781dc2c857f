#include "kernels/contraction/im2col.hpp"
#include "kernels/contraction/shorts.hpp"

namespace popir {
namespace contraction {
namespace {

template <class T>
std::unique_ptr<Contraction> product(const MatMulSpec& spec, unsigned threads) {
  return std::make_unique<TiledMatMul<T, PortableRoutine<T>>>(spec, threads, PortableRoutine<T>(),
                                                              "portable");
}

}  // namespace

std::unique_ptr<Contraction> makePortable(const MatMulSpec& spec, unsigned threads) {
  if (auto made = makeShorts(spec, threads)) return made;
  if (spec.inType != spec.outType) return nullptr;
  // Signed integers are multiplied as unsigned, which gives the same bits and may overflow.
  switch (spec.inType.kind()) {
    case poplar::Type::Kind::Float: return product<float>(spec, threads);
    case poplar::Type::Kind::Double: return product<double>(spec, threads);
    case poplar::Type::Kind::Int:
    case poplar::Type::Kind::UnsignedInt: return product<std::uint32_t>(spec, threads);
    case poplar::Type::Kind::Longlong:
    case poplar::Type::Kind::UnsignedLonglong: return product<std::uint64_t>(spec, threads);
    default: return nullptr;
  }
}

std::unique_ptr<Contraction> makePortable(const ConvSpec& spec, unsigned threads) {
  const auto type = spec.in.type;
  if (spec.weights.type != type || spec.out.type != type) return nullptr;
  if (type == poplar::FLOAT)
    return makeColumnsConv<float>(spec, threads, PortableRoutine<float>(), "portable");
  if (type == poplar::DOUBLE)
    return makeColumnsConv<double>(spec, threads, PortableRoutine<double>(), "portable");
  return nullptr;
}

}  // namespace contraction
}  // namespace popir
