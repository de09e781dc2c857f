#include "kernels/contraction/bands.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "kernels/half.hpp"
#include "kernels/parallel.hpp"

namespace popir {
namespace contraction {
namespace {

constexpr std::size_t kIn = 0, kOut = 2;

/// Rows of the output, and those of the input that they read.
struct Band {
  std::int64_t first, rows, inFirst, inRows;
};

/// The rows from `first` on, `most` if there are as many.
Band bandOf(const ConvSpec& s, std::int64_t first, std::int64_t most) {
  const std::int64_t rows = std::min(most, s.out.shape[2] - first);
  const std::int64_t reach = (s.weights.shape[3] - 1) * s.dilation[0];
  const std::int64_t from = first * s.stride[0] - s.padLower[0];
  const std::int64_t to = (first + rows - 1) * s.stride[0] + reach + 1 - s.padLower[0];
  const std::int64_t begin = std::clamp<std::int64_t>(from, 0, s.in.shape[2]);
  return {first, rows, begin, std::clamp<std::int64_t>(to, begin, s.in.shape[2]) - begin};
}

/// Whether an operand is what Rows takes.
bool areRows(const Layout& layout) {
  return layout.channelBlock != Layout::kPlain || layout.dense();
}

/// An operand with rows of points, [n, c, y, x]: in memory, planes of rows.
class Rows {
 public:
  Rows(const Layout& layout, std::size_t operand)
      : operand(operand), type_(layout.type), height_(layout.shape[2]) {
    const std::int64_t channels = layout.shape[1];
    const int block = layout.channelBlock;
    planes_ = block == Layout::kPlain          ? channels
              : block == Layout::kChannelsLast ? 1
                                               : channels / block;
    row_ = channels / std::max<std::int64_t>(planes_, 1) * layout.shape[3];
  }

  /// Floats of `rows` rows of all channels.
  std::int64_t floats(std::int64_t rows) const { return planes_ * rows * row_; }

  /// Brings rows [first, first + rows) of an image into dense floats.
  void load(const void* all, std::int64_t image, std::int64_t first, std::int64_t rows,
            float* to) const {
    eachRun(image, first, rows, [&](std::int64_t at, std::int64_t own, std::int64_t count) {
      if (type_ == poplar::HALF)
        toFloats(static_cast<const half*>(all) + at, to + own, count);
      else if (type_ == poplar::BFLOAT16)
        toFloats(static_cast<const Bfloat16*>(all) + at, to + own, count);
      else
        std::copy_n(static_cast<const float*>(all) + at, count, to + own);
    });
  }
  /// Stores them. Results have the number of their place in memory.
  void store(const float* from, std::int64_t image, std::int64_t first, std::int64_t rows,
             const Rounding& rounding, void* all) const {
    eachRun(image, first, rows, [&](std::int64_t at, std::int64_t own, std::int64_t count) {
      if (type_ == poplar::HALF)
        fromFloats(from + own, static_cast<half*>(all) + at, count, rounding, at);
      else if (type_ == poplar::BFLOAT16)
        fromFloats(from + own, static_cast<Bfloat16*>(all) + at, count, rounding, at);
      else
        std::copy_n(from + own, count, static_cast<float*>(all) + at);
    });
  }

  const std::size_t operand;

 private:
  /// Calls run(at, own, count) for each run of elements: where it is in the operand, and in the band.
  template <class Run>
  void eachRun(std::int64_t image, std::int64_t first, std::int64_t rows, const Run& run) const {
    const std::int64_t count = rows * row_, base = image * planes_ * height_;
    if (rows == height_) return run(base * row_, 0, planes_ * count);
    for (std::int64_t p = 0; p < planes_; ++p)
      run((base + p * height_ + first) * row_, p * count, count);
  }

  poplar::Type type_;
  std::int64_t height_, planes_, row_;
};

class Bands final : public Contraction {
 public:
  /// Bands of one shape, and their convolution.
  struct Part {
    std::int64_t rows, inRows, padding;
    std::unique_ptr<Contraction> conv;
  };

  Bands(const ConvSpec& s, std::vector<Rows> read, std::size_t operands, std::int64_t rows,
        unsigned threads, const MakePart<ConvSpec>& make)
      : read_(std::move(read)),
        out_(s.out, kOut),
        images_(s.in.shape[0]),
        rounding_(s.rounding),
        threads_(threads),
        operands_(operands) {
    for (std::int64_t first = 0; first < s.out.shape[2]; first += rows) {
      bands_.push_back(bandOf(s, first, rows));
      const Band& band = bands_.back();
      const std::int64_t padding = s.padLower[0] + band.inFirst - band.first * s.stride[0];
      const auto same = [&](const Part& part) {
        return part.rows == band.rows && part.inRows == band.inRows && part.padding == padding;
      };
      const auto found = std::find_if(parts_.begin(), parts_.end(), same);
      partOf_.push_back(static_cast<std::size_t>(found - parts_.begin()));
      if (found != parts_.end()) continue;
      ConvSpec own = inFloat(s);
      own.in = denseRows(own.in, band.inRows);
      own.out = denseRows(own.out, band.rows);
      own.padLower[0] = padding;
      for (PostOp& op : own.postOps)
        if (op.extent == PostOp::Extent::Full) op.layout = denseRows(op.layout, band.rows);
      parts_.push_back({band.rows, band.inRows, padding, make(own)});
      if (parts_.back().conv == nullptr) return;
      formBytes_.push_back(aligned(parts_.back().conv->packedBytes()));
    }
    std::int64_t floats = 0;
    for (const Band& band : bands_) floats = std::max(floats, floatsOf(band));
    bandBytes_ = sizeof(float) * static_cast<std::size_t>(floats);
  }

  /// Whether all its convolutions were made.
  bool isMade() const { return parts_.back().conv != nullptr; }

  std::string describe() const override { return parts_.front().conv->describe() + " in bands"; }
  std::string describePacked() const override {
    return parts_.front().conv->describePacked() + " in bands";
  }
  std::size_t packedBytes() const override {
    std::size_t bytes = 0;
    for (const std::size_t each : formBytes_) bytes += each;
    return bytes;
  }
  void pack(const void* weights, void* packed) const override {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (formBytes_[i] == 0) continue;
      parts_[i].conv->pack(weights, packed);
      packed = at(packed, formBytes_[i]);
    }
  }
  bool readsBoth() const override {
    return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) {
      return part.conv->readsBoth() || part.conv->packedBytes() == 0;
    });
  }
  void runPacked(void* const* operands, const void* packed, void* /*work*/) const override {
    std::size_t workBytes = 0;
    for (const Part& part : parts_) workBytes = std::max(workBytes, part.conv->workBytes());
    each(operands, workBytes, [&](std::size_t part, void** own, void* work) {
      const void* form = packed;
      for (std::size_t i = 0; i < part; ++i) form = at(const_cast<void*>(form), formBytes_[i]);
      parts_[part].conv->runPacked(own, formBytes_[part] == 0 ? nullptr : form, work);
    });
  }
  std::optional<Prepacked> prepacked(std::size_t operands) const override {
    auto pack = std::make_unique<Pack>();
    auto run = std::make_unique<RunPacked>(*this, operands);
    std::size_t bytes = 0;
    bool readsBoth = false;
    for (const Part& part : parts_) {
      auto inner = part.conv->prepacked(operands_);
      readsBoth = readsBoth || !inner || inner->readsBoth;
      pack->add(inner ? std::move(inner->pack) : nullptr, bytes);
      run->add(*part.conv, inner ? std::move(inner->run) : nullptr, bytes);
      bytes += inner ? aligned(inner->bytes) : 0;
    }
    if (bytes == 0) return std::nullopt;
    return Prepacked{bytes, std::move(pack), std::move(run), readsBoth};
  }

 private:
  /// Packs the weights for each part that has a form of its own.
  class Pack final : public Runner {
   public:
    void add(std::unique_ptr<Runner> pack, std::size_t offset) {
      if (pack) packs_.emplace_back(std::move(pack), offset);
    }
    void run(void* const* operands, void* scratch) const override {
      for (const auto& [pack, offset] : packs_) {
        void* const own[] = {operands[0], at(operands[1], offset)};
        pack->run(own, scratch);
      }
    }
    std::size_t scratchBytes() const override {
      std::size_t bytes = 0;
      for (const auto& each : packs_) bytes = std::max(bytes, each.first->scratchBytes());
      return bytes;
    }

   private:
    std::vector<std::pair<std::unique_ptr<Runner>, std::size_t>> packs_;  // and where its form is
  };

  class RunPacked final : public Runner {
   public:
    RunPacked(const Bands& of, std::size_t operands) : of_(of), form_(operands) {}
    void add(const Runner& plain, std::unique_ptr<Runner> packed, std::size_t offset) {
      workBytes_ = std::max(workBytes_, packed ? packed->scratchBytes() : plain.scratchBytes());
      runs_.push_back({&plain, std::move(packed), offset});
    }
    void run(void* const* operands, void* /*scratch*/) const override {
      of_.each(operands, workBytes_, [&](std::size_t part, void** own, void* work) {
        const Run& run = runs_[part];
        own[of_.operands_] = at(operands[form_], run.offset);
        (run.packed ? *run.packed : *run.plain).run(own, work);
      });
    }

   private:
    struct Run {
      const Runner* plain;
      std::unique_ptr<Runner> packed;
      std::size_t offset;
    };
    const Bands& of_;
    std::size_t form_;  // index of the packed operand
    std::size_t workBytes_ = 0;
    std::vector<Run> runs_;
  };

  static Layout denseRows(const Layout& layout, std::int64_t rows) {
    Layout own = Layout::rowMajor(layout.type, {1, layout.shape[1], rows, layout.shape[3]});
    own.channelBlock = layout.channelBlock;
    return own;
  }

  std::int64_t rowsOf(const Rows& of, const Band& band) const {
    return of.operand == kIn ? band.inRows : band.rows;
  }
  /// Floats of what a band reads and writes, each at lines of the cache.
  std::int64_t floatsOf(const Band& band) const {
    std::int64_t floats = lines(out_.floats(band.rows));
    for (const Rows& rows : read_) floats += lines(rows.floats(rowsOf(rows, band)));
    return floats;
  }
  static std::int64_t lines(std::int64_t floats) { return (floats + 15) / 16 * 16; }

  /// Calls run(part, operands, work) for each band of each image. There is room for one operand more.
  template <class Run>
  void each(void* const* operands, std::size_t workBytes, const Run& run) const {
    const auto count = static_cast<std::int64_t>(bands_.size());
    parallelParts(images_ * count, 1, threads_,
                  [&](std::int64_t first, std::int64_t end, unsigned) {
                    const pool::OwnMemory memory(bandBytes_ + workBytes);
                    const pool::OwnArray<void*> own(operands_ + 1);
                    std::copy_n(operands, operands_, own.begin());
                    for (std::int64_t i = first; i < end; ++i) {
                      const std::int64_t image = i / count;
                      const auto b = static_cast<std::size_t>(i % count);
                      const Band& band = bands_[b];
                      auto* next = static_cast<float*>(memory.data());
                      for (const Rows& rows : read_) {
                        const std::int64_t n = rowsOf(rows, band);
                        rows.load(operands[rows.operand], image,
                                  rows.operand == kIn ? band.inFirst : band.first, n, next);
                        own[rows.operand] = next;
                        next += lines(rows.floats(n));
                      }
                      own[kOut] = next;
                      run(partOf_[b], own.begin(), at(memory.data(), bandBytes_));
                      out_.store(next, image, band.first, band.rows, rounding_, operands[kOut]);
                    }
                  });
  }

  std::vector<Rows> read_;
  Rows out_;
  std::int64_t images_;
  Rounding rounding_;
  unsigned threads_;
  std::size_t operands_;  // their number
  std::vector<Band> bands_;
  std::vector<std::size_t> partOf_;  // by band
  std::vector<Part> parts_;
  std::vector<std::size_t> formBytes_;  // by part
  std::size_t bandBytes_ = 0;
};

/// Rows of a band; 0 where whole tensors are converted.
std::int64_t rowsOfBand(const ConvSpec& s, const std::vector<Rows>& read, unsigned threads) {
  // Each thread reads all the weights, band after band, and of many multiplications for each output
  // conversions are a small part.
  constexpr std::int64_t kMostWeights = 1 << 16, kMostOfOutput = 200;
  constexpr std::int64_t kFloats = 3 << 16, kLeastRows = 7;
  const auto weights = static_cast<std::int64_t>(s.weights.elements());
  if (weights > kMostWeights || weights > kMostOfOutput * s.out.shape[1]) return 0;
  const std::int64_t images = s.in.shape[0], height = s.out.shape[2];
  std::int64_t floats = Rows(s.out, kOut).floats(height);
  for (const Rows& rows : read) floats += rows.floats(rows.operand == kIn ? s.in.shape[2] : height);
  std::int64_t count = (floats + kFloats - 1) / kFloats;
  count = std::min(count, std::max<std::int64_t>(height / kLeastRows, 1));
  // As many for each thread.
  while (images * count % threads != 0 && count < height) ++count;
  if (images * count < threads) return 0;
  return (height + count - 1) / count;
}

}  // namespace

std::unique_ptr<Contraction> makeInBands(const ConvSpec& s,
                                         const std::vector<FurtherOperand>& further,
                                         unsigned threads, const MakePart<ConvSpec>& make) {
  if (s.pass != Pass::Forward || s.fieldDims() != 2 || s.policy.deterministic ||
      !s.policy.has(Choice::Bands) || !isAll(s.inDilation, 1) || s.in.elements() == 0 ||
      s.out.elements() == 0 || s.weights.elements() == 0 || !areRows(s.in) || !areRows(s.out))
    return nullptr;
  std::vector<Rows> read{Rows(s.in, kIn)};
  std::size_t operands = s.bias ? 4 : 3;
  for (const FurtherOperand& each : further) {
    operands = std::max(operands, each.index + 1);
    if (each.extent != PostOp::Extent::Full) continue;
    if (!areRows(each.layout)) return nullptr;
    read.emplace_back(each.layout, each.index);
  }
  const std::int64_t rows = rowsOfBand(s, read, threads);
  if (rows == 0) return nullptr;
  auto made = std::make_unique<Bands>(s, std::move(read), operands, rows, threads, make);
  if (!made->isMade()) return nullptr;
  return made;
}

}  // namespace contraction
}  // namespace popir
