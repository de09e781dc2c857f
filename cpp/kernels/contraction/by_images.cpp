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

constexpr std::int64_t kChannelsOfVector = 16;

/// Whether it is a depthwise convolution of plain rows, or the gradient of its data, whose channels fill
/// vectors. Of such ones threads can share channels: otherwise each would bring channels into blocks that
/// others then read.
bool hasVectorsOfGroups(const ConvSpec& s) {
  const auto isPlain = [](const PostOp& op) {
    return op.extent != PostOp::Extent::Full || op.layout.channelBlock == Layout::kPlain;
  };
  return s.pass != Pass::WeightsGradient && s.weights.shape[1] == 1 && s.weights.shape[2] == 1 &&
         std::all_of(s.postOps.begin(), s.postOps.end(), isPlain) && s.groups > 0 &&
         s.groups % kChannelsOfVector == 0 && s.in.channelBlock == Layout::kPlain &&
         s.out.channelBlock == Layout::kPlain;
}

/// In how many parts the vectors of channels of an image are cut, so that the copies of a part stay in the
/// L2 cache beside what is copied, and threads have as many of one image.
std::int64_t partsOfVectors(const ConvSpec& s, unsigned threads) {
  constexpr std::size_t kBytes = 256 * 1024;
  const std::int64_t vectors = std::max<std::int64_t>(s.groups / kChannelsOfVector, 1),
                     images = std::max<std::int64_t>(s.in.shape[0], 1);
  const std::size_t copied = 2 * (s.in.bytes() + s.out.bytes()) / static_cast<std::size_t>(images);
  for (std::int64_t parts = 1; parts < vectors; ++parts)
    if (vectors % parts == 0 && parts * images % threads == 0 &&
        copied / static_cast<std::size_t>(parts) <= kBytes)
      return parts;
  return vectors;
}

/// Vectors of channels of each image apart, whose weights are packed apart.
class ByGroups final : public Contraction {
 public:
  ByGroups(const ConvSpec& s, std::int64_t parts, std::unique_ptr<Contraction> part,
           unsigned threads)
      : part_(std::move(part)),
        parts_(parts),
        images_(s.in.shape[0]),
        form_(aligned(part_->packedBytes())),
        threads_(threads) {
    const std::int64_t groups = s.groups / parts;
    steps_ = {groups * s.in.strides[1], groups * s.weights.strides[0], groups * s.out.strides[1]};
    imageSteps_ = {s.in.strides[0], 0, s.out.strides[0]};
    if (s.bias) steps_.push_back(groups);
    for (const FurtherOperand& each : furtherOf(s)) {
      steps_.resize(std::max(steps_.size(), each.index + 1));
      imageSteps_.resize(steps_.size());
      const bool isFull = each.extent == PostOp::Extent::Full;
      if (isFull) imageSteps_[each.index] = each.layout.strides[0];
      if (isFull || each.extent == PostOp::Extent::Channel)
        steps_[each.index] = groups * (isFull ? each.layout.strides[1] : 1);
    }
    imageSteps_.resize(steps_.size());
  }

  std::string describe() const override { return part_->describe() + " by groups"; }
  std::size_t packedBytes() const override { return static_cast<std::size_t>(parts_) * form_; }
  void pack(const void* weights, void* packed) const override {
    each(parts_, [&](std::int64_t i) {
      part_->pack(static_cast<const float*>(weights) + i * steps_[1], formOf(packed, i));
    });
  }
  bool readsBoth() const override { return part_->readsBoth(); }
  void runPacked(void* const* operands, const void* packed, void* /*work*/) const override {
    each(parts_ * images_, [&](std::int64_t i) {
      const std::int64_t group = i % parts_, image = i / parts_;
      const pool::OwnMemory work(part_->workBytes());
      const pool::OwnArray<void*> own(steps_.size());
      for (std::size_t o = 0; o < steps_.size(); ++o)
        own[o] = static_cast<float*>(operands[o]) + group * steps_[o] + image * imageSteps_[o];
      part_->runPacked(own.begin(),
                       packed == nullptr ? nullptr : formOf(const_cast<void*>(packed), group),
                       work.data());
    });
  }

 private:
  void* formOf(void* packed, std::int64_t part) const {
    return at(packed, static_cast<std::size_t>(part) * form_);
  }
  template <class Run>
  void each(std::int64_t count, const Run& run) const {
    parallelParts(count, 1, threads_, [&](std::int64_t first, std::int64_t end, unsigned) {
      for (std::int64_t i = first; i < end; ++i) run(i);
    });
  }

  std::unique_ptr<Contraction> part_;
  std::int64_t parts_, images_;
  std::vector<std::int64_t> steps_, imageSteps_;  // by operand: elements to the next part, or image
  std::size_t form_;
  unsigned threads_;
};

class ByImages final : public Contraction {
 public:
  ByImages(const ConvSpec& s, const std::vector<FurtherOperand>& further, std::int64_t images,
           std::unique_ptr<Contraction> part, unsigned threads)
      : part_(std::move(part)), parts_(s.in.shape[0] / images), threads_(threads) {
    const auto step = [&](const Layout& layout) {
      return images * imageStep(layout) * static_cast<std::int64_t>(layout.type.sizeInBytes());
    };
    steps_ = {step(s.in), 0, step(s.out)};
    if (s.bias) steps_.push_back(0);
    for (const FurtherOperand& each : further) {
      steps_.resize(std::max(steps_.size(), each.index + 1));
      if (each.extent == PostOp::Extent::Full) steps_[each.index] = step(each.layout);
    }
  }

  std::string describe() const override { return part_->describe() + " by images"; }
  std::size_t packedBytes() const override { return part_->packedBytes(); }
  void pack(const void* weights, void* packed) const override { part_->pack(weights, packed); }
  bool readsBoth() const override { return part_->readsBoth(); }
  bool movesWeights() const override { return part_->movesWeights(); }
  void runPacked(void* const* operands, const void* packed, void* /*work*/) const override {
    each(operands, steps_.size(), nullptr, part_->workBytes(),
         [&](void* const* own, void* work) { part_->runPacked(own, packed, work); });
  }

  std::optional<Prepacked> prepacked(std::size_t operands) const override {
    auto inner = part_->prepacked(operands);
    if (inner) inner->run = std::make_unique<RunPacked>(*this, std::move(inner->run), operands);
    return inner;
  }

 private:
  class RunPacked final : public Runner {
   public:
    RunPacked(const ByImages& of, std::unique_ptr<Runner> inner, std::size_t operands)
        : of_(of), inner_(std::move(inner)), form_(operands) {}
    void run(void* const* operands, void* /*scratch*/) const override {
      of_.each(operands, form_, operands[form_], inner_->scratchBytes(),
               [&](void* const* own, void* work) { inner_->run(own, work); });
    }

   private:
    const ByImages& of_;
    std::unique_ptr<Runner> inner_;
    std::size_t form_;  // index of the operand that may be packed
  };

  /// Calls run(operands, work) for each part, with `count` operands, then the packed weights `form`. All
  /// parts share operands that have no step.
  template <class Run>
  void each(void* const* operands, std::size_t count, void* form, std::size_t workBytes,
            const Run& run) const {
    parallelParts(parts_, 1, threads_, [&](std::int64_t first, std::int64_t end, unsigned) {
      const pool::OwnMemory work(workBytes);
      const pool::OwnArray<void*> own(count + 1);
      own[count] = form;
      for (std::int64_t i = first; i < end; ++i) {
        for (std::size_t o = 0; o < count; ++o) {
          const std::int64_t step = o < steps_.size() ? steps_[o] : 0;
          own[o] = at(operands[o], static_cast<std::size_t>(i * step));
        }
        run(own.begin(), work.data());
      }
    });
  }

  std::unique_ptr<Contraction> part_;
  std::int64_t parts_;
  std::vector<std::int64_t> steps_;  // by operand: bytes from one part to the next
  unsigned threads_;
};

/// In so many parts of the groups of each image.
std::unique_ptr<Contraction> byGroups(const ConvSpec& s, std::int64_t parts, unsigned threads,
                                      const MakePart<ConvSpec>& make) {
  if (!hasVectorsOfGroups(s)) return nullptr;
  ConvSpec own = s;
  own.groups = own.in.shape[1] = own.out.shape[1] = own.weights.shape[0] = s.groups / parts;
  own.in.shape[0] = own.out.shape[0] = 1;
  for (PostOp& op : own.postOps)
    if (op.extent == PostOp::Extent::Full) {
      op.layout.shape[0] = 1;
      op.layout.shape[1] = own.groups;
    }
  auto part = make(own);
  if (part == nullptr) return nullptr;
  return std::make_unique<ByGroups>(s, parts, std::move(part), threads);
}

}  // namespace

std::unique_ptr<Contraction> makeByGroups(const ConvSpec& s, unsigned threads,
                                          const MakePart<ConvSpec>& make) {
  if (threads == 1 || s.in.shape[0] != 1 || s.groups % (kChannelsOfVector * threads) != 0)
    return nullptr;
  return byGroups(s, threads, threads, make);
}

std::unique_ptr<Contraction> makeByVectors(const ConvSpec& s, unsigned threads,
                                           const MakePart<ConvSpec>& make) {
  // Of so many parts it takes little time if a thread has one more.
  constexpr std::int64_t kMany = 4;
  const std::int64_t parts = partsOfVectors(s, threads), all = parts * s.in.shape[0];
  return all % threads == 0 || all >= kMany * threads ? byGroups(s, parts, threads, make) : nullptr;
}

std::unique_ptr<Contraction> makeByImages(const ConvSpec& s,
                                          const std::vector<FurtherOperand>& further,
                                          unsigned threads, const MakePart<ConvSpec>& make) {
  const std::int64_t images = imagesOfPart(s, threads);
  if (images == 0) return nullptr;
  ConvSpec own = s;
  own.in.shape[0] = own.out.shape[0] = images;
  for (PostOp& op : own.postOps)
    if (op.extent == PostOp::Extent::Full) op.layout.shape[0] = images;
  auto part = make(own);
  if (part == nullptr) return nullptr;
  return std::make_unique<ByImages>(s, further, images, std::move(part), threads);
}

}  // namespace contraction
}  // namespace popir
