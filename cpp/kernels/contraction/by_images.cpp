#include "kernels/contraction/by_images.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/parallel.hpp"

namespace popir {
namespace contraction {
namespace {

/// The number of images of a part, of which each thread has the same number; 0 if there are none.
std::int64_t imagesOfPart(const ConvSpec& s, unsigned threads) {
  const std::int64_t images = s.in.shape[0];
  if (threads == 1 || s.pass == Pass::WeightsGradient || images % threads != 0) return 0;
  // Of little work, what oneDNN does for each part is most of it.
  constexpr std::size_t kLeastWork = 2'000'000;
  const auto channels = static_cast<std::size_t>(std::max<std::int64_t>(s.weights.shape[1], 1));
  if (s.out.elements() * (s.weights.elements() / channels / static_cast<std::size_t>(s.groups)) <
      kLeastWork)
    return 0;
  const std::size_t activations = s.in.elements() + s.out.elements();
  if (activations < 2 * threads * s.weights.elements()) return 0;
  // Two parts for each thread, so that one takes over what another is late with.
  return images % (2 * threads) == 0 ? images / (2 * threads) : images / threads;
}

class ByImages final : public Contraction {
 public:
  ByImages(const ConvSpec& s, std::int64_t images, std::unique_ptr<Contraction> part,
           unsigned threads)
      : part_(std::move(part)),
        parts_(s.in.shape[0] / images),
        steps_{images * imageStep(s.in), 0, images * imageStep(s.out)},
        threads_(threads) {
    if (s.bias) steps_.push_back(0);
    for (const PostOp& op : s.postOps) {
      if (op.operand == 0) continue;
      steps_.resize(std::max(steps_.size(), op.operand + 1));
      if (op.extent == PostOp::Extent::Full) steps_[op.operand] = images * imageStep(op.layout);
    }
  }

  std::string describe() const override { return part_->describe() + " by images"; }
  std::size_t packedBytes() const override { return part_->packedBytes(); }
  void pack(const void* weights, void* packed) const override { part_->pack(weights, packed); }
  bool readsBoth() const override { return part_->readsBoth(); }
  bool movesWeights() const override { return part_->movesWeights(); }
  void runPacked(void* const* operands, const void* packed, void* /*work*/) const override {
    parallelParts(parts_, 1, threads_, [&](std::int64_t first, std::int64_t end, unsigned) {
      const pool::OwnMemory work(part_->workBytes());
      const pool::OwnArray<void*> own(steps_.size());
      for (std::int64_t i = first; i < end; ++i) {
        for (std::size_t o = 0; o < steps_.size(); ++o)
          own[o] = static_cast<float*>(operands[o]) + i * steps_[o];
        part_->runPacked(own.begin(), packed, work.data());
      }
    });
  }

 private:
  std::unique_ptr<Contraction> part_;
  std::int64_t parts_;
  std::vector<std::int64_t> steps_;  // by operand: elements from one part to the next
  unsigned threads_;
};

}  // namespace

std::unique_ptr<Contraction> makeByImages(const ConvSpec& s, unsigned threads,
                                          const MakePart<ConvSpec>& make) {
  const std::int64_t images = imagesOfPart(s, threads);
  if (images == 0) return nullptr;
  ConvSpec own = s;
  own.in.shape[0] = own.out.shape[0] = images;
  for (PostOp& op : own.postOps)
    if (op.extent == PostOp::Extent::Full) op.layout.shape[0] = images;
  auto part = make(own);
  if (part == nullptr) return nullptr;
  return std::make_unique<ByImages>(s, images, std::move(part), threads);
}

}  // namespace contraction
}  // namespace popir
