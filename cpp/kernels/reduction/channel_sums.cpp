// A unit of work is a box: some channels of a sample with all their positions or, of a block of
// channels with many, a leaf of them (reduce_functions.hpp). The element-wise program runs over the
// box, into memory that stays in the cache, and the sums read it there. Then each sample has a sum
// for each channel; samples are joined in the order of ReduceKernel.
#include "kernels/reduction/channel_sums.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "kernels/elementwise/expression.hpp"
#include "kernels/parallel.hpp"
#include "kernels/reduction/reduce_functions.hpp"

namespace popir {
namespace {

constexpr std::int64_t kBoxElements = 16 * 1024;  // of a box: part of an L2 cache
constexpr std::int64_t kBoxesOfThread = 4;        // at least, so that threads end together
constexpr std::int64_t kTogether = 8;             // partial results joined at a time

std::int64_t positionsOf(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (std::size_t d = 2; d < shape.size(); ++d) n *= shape[d];
  return n;
}

/// Where an operand's element is at [sample, group, position, channel of the group], in elements.
/// Channels that are plain have groups of one.
struct Strides {
  std::int64_t sample, group, position, channel;
};

/// The stride of the positions of a plain layout; nothing if they have no common one.
std::optional<std::int64_t> positionStride(const Layout& layout) {
  std::optional<std::int64_t> stride;
  std::int64_t expected = 0;
  for (std::size_t d = layout.shape.size(); d-- > 2;) {
    if (layout.shape[d] == 1) continue;
    if (stride && layout.strides[d] != expected) return std::nullopt;
    if (!stride) stride = layout.strides[d];
    expected = layout.strides[d] * layout.shape[d];
  }
  return stride.value_or(0);
}

Strides stridesOf(const Layout& layout, std::int64_t block) {
  if (layout.channelBlock == Layout::kPlain)
    return {layout.strides[0], layout.strides[1] * block, *positionStride(layout),
            block == 1 ? 0 : layout.strides[1]};
  const auto split = layout.split(block);
  return {split.strides[0], split.strides[1], block, 1};
}

class ChannelSumsRunner final : public Runner {
 public:
  struct Operand {
    std::size_t number;  // among the kernel's operands; kOwn: memory of the thread
    Strides strides;     // in bytes
  };
  static constexpr std::size_t kOwn = ~std::size_t{0};
  struct Shape {
    std::int64_t samples, groups, positions, block;  // block: channels of a group
    std::int64_t width, depth;                       // of a box: groups and positions
  };
  struct Sum {
    std::size_t value;    // the operand of the box that is summed
    std::size_t operand;  // of the kernel: the result
  };
  /// The program over boxes of some groups and some positions.
  struct Boxes {
    std::unique_ptr<Runner> full, last;  // last: of the groups, or positions, that are left
  };

  ChannelSumsRunner(std::vector<Operand> operands, std::vector<Sum> sums, Shape shape, Boxes boxes,
                    unsigned threads)
      : operands_(std::move(operands)),
        sums_(std::move(sums)),
        shape_(shape),
        boxes_(std::move(boxes)),
        functions_(reduceFunctions(poplar::FLOAT, popops::Operation::ADD)),
        threads_(threads),
        channels_(shape.groups * shape.block) {
    std::size_t at = lines(operands_.size() * sizeof(void*));
    programAt_ = at;
    at += lines(std::max(boxes_.full->scratchBytes(), boxes_.last->scratchBytes()));
    lanesAt_ = at;
    if (isDeep()) at += sums_.size() * kDepth * laneBytes();
    for (const auto& operand : operands_) {
      ownAt_.push_back(at);
      if (operand.number == kOwn) at += lines(4 * shape_.width * shape_.depth * shape_.block);
    }
    threadBytes_ = at;
  }

  std::size_t scratchBytes() const override {
    return 4 * sums_.size() * shape_.samples * channels_;
  }

  void run(void* const* operands, void* scratch) const override {
    auto* const partial = static_cast<float*>(scratch);
    const std::int64_t each = divideUp(shape_.groups, shape_.width);
    const std::int64_t work = shape_.samples * channels_ * shape_.positions;
    parallelFor(shape_.samples * each, threads_, work, [&](std::int64_t i) {
      const pool::OwnMemory own(threadBytes_);
      const std::int64_t first = i % each * shape_.width;
      (isDeep() ? &ChannelSumsRunner::deep : &ChannelSumsRunner::flat)(
          *this, operands, static_cast<char*>(own.data()), i / each, first, partial);
    });
    parallelFor(divideUp(channels_, kReduceColumns), threads_,
                shape_.samples * channels_ * static_cast<std::int64_t>(sums_.size()),
                [&](std::int64_t i) {
                  for (std::size_t k = 0; k < sums_.size(); ++k)
                    join(partial + k * shape_.samples * channels_, i * kReduceColumns,
                         static_cast<float*>(operands[sums_[k].operand]));
                });
  }

 private:
  // Leaves of a row of kReduceRow positions, and one more.
  static constexpr std::size_t kDepth = 10;
  static_assert(kReduceRow <= kReduceLeaf << (kDepth - 2));

  static std::size_t lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

  /// Whether the positions of a block of channels are more than a leaf.
  bool isDeep() const { return shape_.depth < shape_.positions; }
  std::size_t laneBytes() const { return 4 * kReduceLanes * shape_.block; }

  /// Runs the program over a box, and leaves the addresses of its operands at `memory`.
  void runBox(void* const* operands, char* memory, std::int64_t sample, std::int64_t group,
              std::int64_t position) const {
    auto** pointers = reinterpret_cast<void**>(memory);
    for (std::size_t o = 0; o < operands_.size(); ++o) {
      const auto& [number, strides] = operands_[o];
      pointers[o] = number == kOwn
                        ? memory + ownAt_[o]
                        : static_cast<char*>(operands[number]) + sample * strides.sample +
                              group * strides.group + position * strides.position;
    }
    const bool isFull =
        group + shape_.width <= shape_.groups && position + shape_.depth <= shape_.positions;
    (isFull ? boxes_.full : boxes_.last)->run(pointers, memory + programAt_);
  }

  float* sumOf(float* partial, std::size_t k, std::int64_t sample, std::int64_t group) const {
    return partial + (k * shape_.samples + sample) * channels_ + group * shape_.block;
  }

  static void flat(const ChannelSumsRunner& self, void* const* operands, char* memory,
                   std::int64_t sample, std::int64_t group, float* partial) {
    const auto& [samples, groups, positions, block, width, depth] = self.shape_;
    self.runBox(operands, memory, sample, group, 0);
    const std::int64_t count = std::min(width, groups - group);
    for (std::size_t k = 0; k < self.sums_.size(); ++k) {
      const auto* x =
          static_cast<const float*>(reinterpret_cast<void**>(memory)[self.sums_[k].value]);
      float* to = self.sumOf(partial, k, sample, group);
      if (block == 1) {
        self.functions_.rows(x, count, positions, positions, to);
        continue;
      }
      for (std::int64_t i = 0; i < count; ++i)
        self.functions_.block(x + i * positions * block, block, positions, to + i * block);
    }
  }

  /// As Reduce::block() of reduce_functions.inc, a leaf at a time.
  static void deep(const ChannelSumsRunner& self, void* const* operands, char* memory,
                   std::int64_t sample, std::int64_t group, float* partial) {
    const auto& [samples, groups, positions, block, width, depth] = self.shape_;
    const auto lanes = [&](std::size_t k, std::size_t level) {
      return memory + self.lanesAt_ + (k * kDepth + level) * self.laneBytes();
    };
    const std::int64_t numbers = kReduceLanes * block;
    std::size_t level = 0;
    std::uint64_t leaves = 0;
    for (std::int64_t position = 0; position < positions; position += depth) {
      self.runBox(operands, memory, sample, group, position);
      const std::int64_t n = std::min(depth, positions - position);
      for (std::size_t k = 0; k < self.sums_.size(); ++k)
        self.functions_.blockLeaf(reinterpret_cast<void**>(memory)[self.sums_[k].value], block, n,
                                  lanes(k, level));
      const bool isLast = position + depth >= positions;
      const auto joinTwo = [&] {
        for (std::size_t k = 0; k < self.sums_.size(); ++k)
          self.functions_.join(lanes(k, level - 1), lanes(k, level), numbers);
        --level;
      };
      if (isLast)
        while (level > 0) joinTwo();
      else
        for (std::uint64_t carry = leaves++; carry & 1; carry >>= 1) joinTwo();
      if (!isLast) ++level;
    }
    for (std::size_t k = 0; k < self.sums_.size(); ++k)
      self.functions_.blockEnd(lanes(k, 0), block, self.sumOf(partial, k, sample, group));
  }

  /// Joins the sums of all samples for some channels, as ReduceRunner does.
  void join(float* partial, std::int64_t first, float* out) const {
    const std::int64_t n = std::min(kReduceColumns, channels_ - first);
    const std::int64_t chunk = std::max<std::int64_t>(1, kReduceRow / shape_.positions);
    float waiting[kTogether * kReduceColumns];
    std::int64_t chunks = 0;
    for (std::int64_t begin = 0; begin < shape_.samples; begin += chunk, ++chunks) {
      const std::int64_t end = std::min(begin + chunk, shape_.samples);
      std::int64_t count = 0;
      for (std::int64_t s = begin; s < end; ++s) {
        if (count == kTogether) {
          functions_.fold(waiting, count, n);
          count = 1;
        }
        std::memcpy(waiting + count++ * n, partial + s * channels_ + first,
                    sizeof(float) * static_cast<std::size_t>(n));
      }
      functions_.fold(waiting, count, n);
      // The sums of these samples are read; those of the chunk take the place of one of them.
      std::memcpy(partial + chunks * channels_ + first, waiting,
                  sizeof(float) * static_cast<std::size_t>(n));
    }
    // As functions_.fold(), of rows that are further apart.
    for (std::int64_t rows = chunks; rows > 1; rows = (rows + 1) / 2)
      for (std::int64_t r = (rows + 1) / 2; r < rows; ++r)
        functions_.join(partial + (r - (rows + 1) / 2) * channels_ + first,
                        partial + r * channels_ + first, n);
    std::memcpy(out + first, partial + first, sizeof(float) * static_cast<std::size_t>(n));
  }

  std::vector<Operand> operands_;
  std::vector<Sum> sums_;
  Shape shape_;
  Boxes boxes_;
  ReduceFunctions functions_;
  unsigned threads_;
  std::int64_t channels_;
  std::vector<std::size_t> ownAt_;  // by operand of a box, in a thread's memory
  std::size_t programAt_, lanesAt_, threadBytes_;
};

}  // namespace

bool ChannelSumsKernel::fits(const std::vector<std::int64_t>& shape) {
  if (shape.size() < 3 || shape[0] < 1 || shape[1] < 1) return false;
  // Of one channel ReduceKernel adds the positions of all samples as one row.
  if (shape[1] == 1 && shape[0] > 1) return false;
  const std::int64_t positions = positionsOf(shape);
  return positions > 1 && positions <= kReduceRow;
}

bool ChannelSumsKernel::isSum(std::size_t operand) const {
  return std::find(form_.sums.begin(), form_.sums.end(), operand) != form_.sums.end();
}

bool ChannelSumsKernel::accepts(std::size_t i, const Layout& layout) const {
  if (isSum(i)) return layout.dense();
  if (layout.channelBlock != Layout::kPlain)
    return layout.channelBlock > 0 && layout.channelBlock <= kReduceBlock;
  const auto& outputs = form_.map.outputs;
  if (std::find(outputs.begin(), outputs.end(), i) != outputs.end())
    for (std::size_t d = 0; d < layout.shape.size(); ++d)
      if (layout.strides[d] == 0 && layout.shape[d] > 1) return false;
  return positionStride(layout).has_value();
}

std::vector<std::size_t> ChannelSumsKernel::tied(const std::vector<Layout>& operands) const {
  std::vector<std::size_t> whole;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Layout& l = operands[i];
    bool repeated = isSum(i);
    for (std::size_t d = 0; d < l.shape.size(); ++d)
      repeated =
          repeated || (l.channelBlock == Layout::kPlain && l.strides[d] == 0 && l.shape[d] > 1);
    if (!repeated) whole.push_back(i);
  }
  return whole;
}

std::unique_ptr<Runner> ChannelSumsKernel::prepare(const std::vector<Layout>& layouts,
                                                   const Setting& setting) const {
  using Boxed = ChannelSumsRunner;
  std::int64_t block = 1;
  const Layout* whole = nullptr;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    if (isSum(i)) continue;
    whole = &layouts[i];
    if (layouts[i].channelBlock != Layout::kPlain) block = layouts[i].channelBlock;
  }
  Boxed::Shape shape{
      whole->shape[0], whole->shape[1] / block, positionsOf(whole->shape), block, 1, 0};
  shape.depth = block > 1 ? std::min(shape.positions, kReduceLeaf) : shape.positions;
  if (shape.depth == shape.positions) {
    const auto boxes = kBoxesOfThread * static_cast<std::int64_t>(setting.threads);
    shape.width = std::clamp<std::int64_t>(std::min(kBoxElements / (shape.positions * block),
                                                    divideUp(shape.samples * shape.groups, boxes)),
                                           1, shape.groups);
  }
  const std::int64_t restWidth = shape.groups % shape.width,
                     restDepth = shape.positions % shape.depth;

  // The program writes what is summed to memory of its own, where it is dense.
  MapProgram program(form_.map.program.values(), {}, form_.map.program.inputCount());
  std::vector<Boxed::Operand> operands;
  std::vector<poplar::Type> types;
  std::vector<std::size_t> inputs, outputs;
  std::vector<std::size_t> numbers(layouts.size(), Boxed::kOwn);
  const auto operandOf = [&](std::size_t i) {
    if (numbers[i] != Boxed::kOwn) return numbers[i];
    auto strides = stridesOf(layouts[i], block);
    const auto bytes = static_cast<std::int64_t>(layouts[i].type.sizeInBytes());
    for (auto* s : {&strides.sample, &strides.group, &strides.position, &strides.channel})
      *s *= bytes;
    operands.push_back({i, strides});
    types.push_back(layouts[i].type);
    return numbers[i] = operands.size() - 1;
  };
  std::vector<Boxed::Sum> sums;
  const auto& values = form_.map.program.outputs();
  for (std::size_t k = 0; k < form_.sums.size(); ++k) {
    program.output(values[form_.map.outputs.size() + k]);
    outputs.push_back(operands.size());
    sums.push_back({operands.size(), form_.sums[k]});
    operands.push_back({Boxed::kOwn, {0, 4 * shape.depth * block, 4 * block, 4}});
    types.push_back(poplar::FLOAT);
  }
  for (std::size_t k = 0; k < form_.map.outputs.size(); ++k) {
    program.output(values[k]);
    outputs.push_back(operandOf(form_.map.outputs[k]));
  }
  for (const auto& input : form_.map.inputs) inputs.push_back(operandOf(input.operand));

  const MapKernel kernel(std::move(program), inputs, outputs);
  const auto boxes = [&](std::int64_t width, std::int64_t depth) {
    std::vector<Layout> parts;
    for (std::size_t o = 0; o < operands.size(); ++o) {
      const auto& [number, strides] = operands[o];
      const auto bytes = static_cast<std::int64_t>(types[o].sizeInBytes());
      const auto group = number == Boxed::kOwn ? depth * block : strides.group / bytes;
      parts.push_back({types[o],
                       {width, depth, block},
                       {group, strides.position / bytes, strides.channel / bytes},
                       Layout::kPlain});
    }
    const Setting one{1, setting.rounding, setting.policy};
    return kernel.prepare(parts, one);
  };
  Boxed::Boxes made{boxes(shape.width, shape.depth), nullptr};
  made.last = boxes(restWidth ? restWidth : shape.width, restDepth ? restDepth : shape.depth);
  return std::make_unique<Boxed>(std::move(operands), std::move(sums), shape, std::move(made),
                                 setting.threads);
}

std::shared_ptr<const SummingForm> ChannelSumsKernel::summing() const {
  return std::make_shared<SummingForm>(form_);
}

Work ChannelSumsKernel::work(const std::vector<Layout>&) const {
  throw std::logic_error("map+sums: only the host has this kernel");
}

}  // namespace popir
