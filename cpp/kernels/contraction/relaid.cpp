#include "kernels/contraction/relaid.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernels/movement/tiles.hpp"
#include "kernels/parallel.hpp"

namespace popir {
namespace contraction {
namespace {

constexpr std::int64_t kBytes = sizeof(float);

/// Copies activations [n, c, y, x] of FLOAT between plain memory and blocks of channels.
class BlockCopy {
 public:
  BlockCopy(const Layout& plain, int block, std::size_t operand)
      : operand(operand), bytes(aligned(plain.bytes())), plain_(plain), block_(block) {}

  void toBlocks(const void* plain, void* blocks, unsigned threads) const {
    move<true>(static_cast<char*>(const_cast<void*>(plain)), static_cast<char*>(blocks), threads);
  }
  void toPlain(const void* blocks, void* plain, unsigned threads) const {
    move<false>(static_cast<char*>(plain), static_cast<char*>(const_cast<void*>(blocks)), threads);
  }

  std::size_t operand;
  std::size_t bytes;  ///< of the blocks, in the scratch memory

 private:
  template <bool toBlocks>
  void move(char* plain, char* blocks, unsigned threads) const {
    const auto &shape = plain_.shape, &stride = plain_.strides;
    const std::int64_t parts = shape[1] / block_, height = shape[2], width = shape[3];
    const std::int64_t channel = stride[1] * kBytes, line = block_ * kBytes;
    const bool isRows = stride[3] == 1, isPlane = isRows && stride[2] == width;
    const auto transpose = transposeMatrix(kBytes);
    const auto moveRun = [&](char* from, char* to, std::int64_t count) {
      if (toBlocks)
        transpose(from, channel, to, line, count, block_);
      else
        transpose(to, line, from, channel, block_, count);
    };
    const auto moveRow = [&](char* from, char* to) {
      if (isRows) return moveRun(from, to, width);
      for (std::int64_t x = 0; x < width; ++x)
        for (std::int64_t c = 0; c < block_; ++c) {
          auto& a = *reinterpret_cast<float*>(from + c * channel + x * stride[3] * kBytes);
          auto& b = *reinterpret_cast<float*>(to + x * line + c * kBytes);
          (toBlocks ? b : a) = toBlocks ? a : b;
        }
    };
    const auto elements = static_cast<std::int64_t>(plain_.elements());
    parallelFor(shape[0] * parts, threads, elements, [&](std::int64_t i) {
      char* from = plain + (i / parts * stride[0] + i % parts * block_ * stride[1]) * kBytes;
      char* to = blocks + i * height * width * line;
      if (isPlane) return moveRun(from, to, height * width);
      for (std::int64_t y = 0; y < height; ++y)
        moveRow(from + y * stride[2] * kBytes, to + y * width * line);
    });
  }

  Layout plain_;
  std::int64_t block_;
};

class Relaid final : public Contraction {
 public:
  Relaid(std::unique_ptr<Contraction> inner, std::vector<BlockCopy> copies, std::size_t written,
         std::size_t operands, unsigned threads)
      : inner_(std::move(inner)),
        copies_(std::move(copies)),
        written_(written),
        operands_(operands),
        threads_(threads) {
    for (const auto& copy : copies_) copied_ += copy.bytes;
  }

  std::string describe() const override { return inner_->describe() + " on copies"; }
  std::size_t packedBytes() const override { return inner_->packedBytes(); }
  void pack(const void* weights, void* packed) const override { inner_->pack(weights, packed); }
  bool readsBoth() const override { return inner_->readsBoth(); }
  bool movesWeights() const override { return inner_->movesWeights(); }
  std::size_t workBytes() const override { return copied_ + inner_->workBytes(); }

  void runPacked(void* const* operands, const void* packed, void* work) const override {
    const pool::OwnArray<void*> all(operands_);
    std::copy_n(operands, operands_, all.begin());
    std::size_t offset = 0;
    for (const auto& copy : copies_) {
      all[copy.operand] = at(work, offset);
      offset += copy.bytes;
      if (copy.operand != written_)
        copy.toBlocks(operands[copy.operand], all[copy.operand], threads_);
    }
    inner_->runPacked(all.begin(), packed, at(work, copied_));
    for (const auto& copy : copies_)
      if (copy.operand == written_) copy.toPlain(all[written_], operands[written_], threads_);
  }

 private:
  std::unique_ptr<Contraction> inner_;
  std::vector<BlockCopy> copies_;
  std::size_t written_, operands_, copied_ = 0;
  unsigned threads_;
};

}  // namespace

std::unique_ptr<Contraction> makeInBlocks(const ConvSpec& spec, int block, unsigned threads,
                                          const MakeConv& make) {
  ConvSpec blocked = spec;
  std::vector<BlockCopy> copies;
  bool fits = true;
  const auto relay = [&](Layout& layout, std::size_t operand) {
    if (layout.channelBlock != Layout::kPlain) return;
    const auto channels = layout.shape[1];
    const bool areLast =
        spec.pass == Pass::Forward && spec.groups == 1 && channels % block == block / 2;
    if (operand == 0 && spec.pass == Pass::Forward && channels % block != 0 && !areLast) return;
    fits = fits && layout.type == poplar::FLOAT && layout.shape.size() == 4 &&
           (channels % block == 0 || areLast);
    if (!fits) return;
    copies.emplace_back(layout, areLast ? static_cast<int>(channels) : block, operand);
    layout.channelBlock = areLast ? Layout::kChannelsLast : block;
  };
  relay(blocked.in, 0);
  relay(blocked.out, 2);
  std::size_t operands = spec.bias ? 4 : 3;
  for (auto& op : blocked.postOps) {
    if (op.extent == PostOp::Extent::Full) relay(op.layout, op.operand);
    operands = std::max(operands, op.operand + 1);
  }
  if (!fits) return nullptr;
  auto made = make(blocked, threads);
  if (!made || copies.empty()) return made;
  const std::size_t written = spec.pass == Pass::Forward        ? 2
                              : spec.pass == Pass::DataGradient ? 0
                                                                : 1;
  return std::make_unique<Relaid>(std::move(made), std::move(copies), written, operands, threads);
}

}  // namespace contraction
}  // namespace popir
