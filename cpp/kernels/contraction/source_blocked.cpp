#include <algorithm>
#include <string>
#include <utility>

#include "kernels/contraction/contraction.hpp"
#include "kernels/contraction/winograd.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace contraction {
namespace {

const winograd::Routines* routines() {
  switch (isa()) {
    case Isa::Avx512: return &winograd::avx512::kRoutines;
    case Isa::Avx2: return &winograd::avx2::kRoutines;
    default: return nullptr;
  }
}

class Winograd final : public Contraction {
 public:
  Winograd(const ConvSpec& s, const winograd::Shape& shape, unsigned threads)
      : shape_(shape), bias_(s.bias), posts_(s.postOps), threads_(threads) {
    // What a thread works on stays in half of a second-level cache; all threads get as much.
    constexpr std::int64_t kFloats = 1 << 18, kLeastTiles = 14;
    const std::int64_t tiles = shape_.tiles();
    const std::int64_t most = std::max(kLeastTiles, kFloats / winograd::scratchFloats(shape_, 1));
    std::int64_t parts = std::max<std::int64_t>(1, (tiles + most - 1) / most);
    if (parts > 1 || tiles >= 2 * kLeastTiles) parts = (parts + threads - 1) / threads * threads;
    parts_ = std::max<std::int64_t>(1, std::min(parts, tiles));
    each_ = (tiles + parts_ - 1) / parts_;
    scratchBytes_ = aligned(sizeof(float) * winograd::scratchFloats(shape_, each_));
  }

  std::string describe() const override { return std::string("winograd ") + name(isa()); }
  std::size_t packedBytes() const override {
    return sizeof(float) * winograd::packedFloats(shape_);
  }
  void pack(const void* weights, void* packed) const override {
    routines()->pack(shape_, static_cast<const float*>(weights), static_cast<float*>(packed));
  }
  std::size_t workBytes() const override { return threads_ * scratchBytes_; }

  void runPacked(void* const* operands, const void* packed, void* work) const override {
    std::vector<winograd::Step> steps;
    if (bias_)
      steps.push_back(
          {PostOp::Kind::Add, PostOp::Extent::Channel, 0, static_cast<const float*>(operands[3])});
    for (const PostOp& op : posts_)
      steps.push_back(
          {op.kind, op.extent, op.number,
           op.operand == 0 ? nullptr : static_cast<const float*>(operands[op.operand])});
    const winograd::Operands at{
        static_cast<const float*>(operands[0]), static_cast<const float*>(operands[1]),
        static_cast<const float*>(packed), static_cast<float*>(operands[2]), &steps};
    const std::int64_t tiles = shape_.tiles(), threads = threads_;
#pragma omp parallel for num_threads(threads_) schedule(static, 1) if (threads > 1)
    for (std::int64_t t = 0; t < threads; ++t)
      for (std::int64_t i = parts_ * t / threads; i < parts_ * (t + 1) / threads; ++i) {
        const std::int64_t first = tiles * i / parts_, end = tiles * (i + 1) / parts_;
        routines()->run(shape_, at, first, end - first,
                        static_cast<float*>(contraction::at(work, t * scratchBytes_)));
      }
  }

 private:
  winograd::Shape shape_;
  bool bias_;
  std::vector<PostOp> posts_;
  unsigned threads_;
  std::int64_t parts_, each_;
  std::size_t scratchBytes_;
};

bool isFloat(const Layout& l) { return l.type == poplar::FLOAT; }

}  // namespace

std::unique_ptr<Contraction> makeWinograd(const ConvSpec& s, unsigned threads) {
  if (routines() == nullptr || s.pass != Pass::Forward || s.groups != 1 || s.fieldDims() != 2)
    return nullptr;
  if (!isFloat(s.in) || !isFloat(s.weights) || !isFloat(s.out) || !s.weights.dense())
    return nullptr;
  for (std::size_t d = 0; d < 2; ++d)
    if (s.weights.shape[d + 3] != 3 || s.stride[d] != 1 || s.dilation[d] != 1 ||
        s.inDilation[d] != 1 || s.padLower[d] < 0)
      return nullptr;
  const int vector = static_cast<int>(routines()->vector);
  if (s.in.channelBlock != vector || s.out.channelBlock != vector) return nullptr;
  const winograd::Shape shape{s.in.shape[0],  s.in.shape[1], s.out.shape[1],
                              s.in.shape[2],  s.in.shape[3], s.out.shape[2],
                              s.out.shape[3], s.padLower[0], s.padLower[1]};
  if (shape.in % vector != 0 || shape.out % (2 * vector) != 0 || shape.tiles() == 0) return nullptr;
  for (const PostOp& op : s.postOps)
    if (op.extent == PostOp::Extent::Full && op.layout.channelBlock != vector) return nullptr;
  return std::make_unique<Winograd>(s, shape, threads);
}

}  // namespace contraction
}  // namespace popir
