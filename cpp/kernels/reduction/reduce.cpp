// A reduction is a nest of loops over the input, some kept and some reduced, sorted by stride,
// longest first. The innermost loop selects the method:
//   reduced  each row of neighbouring elements is reduced to a number (by rows)
//   kept     rows are joined element by element, for several outputs at once (by columns)
// Channels in blocks of memory are reduced by rows, too, all channels of a block at once, in the
// same order as plain ones: a model has the same bits whatever layouts are chosen.
// The work is split into tasks. A task is a block of neighbouring outputs times a chunk of the
// reduced elements. With several chunks each gives a partial result, and the partial results are
// joined pairwise. All sizes depend only on shapes, so results do not depend on the number of
// threads.
#include "kernels/reduction/reduce.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/check.hpp"
#include "kernels/elementwise/forms.hpp"
#include "kernels/loops.hpp"
#include "kernels/parallel.hpp"
#include "kernels/reduction/reduce_functions.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<ReduceKernel> kSavedReduce("reduce");

constexpr std::int64_t kChunk = kReduceRow;  // minimum number of elements per partial result
constexpr std::int64_t kAccumulatorBytes = 8;
constexpr std::int64_t kLeastRow = 128;           // elements of a row that threads share
constexpr std::int64_t kLeastShared = 32 * 1024;  // elements of an operand whose rows they share

struct Nest {
  std::vector<Loop> kept;     // kept loops without the innermost; a: input stride, b: output stride
  Loop across = {1, 1, 1};    // the innermost kept loop
  std::vector<Loop> reduced;  // reduced loops without `length`; a: input stride
  std::int64_t length = 1;    // by rows: number of contiguous elements that are reduced
  bool byRows = true;
  bool inBlocks = false;  // by rows, where `across` are the channels of a block
};

/// The loops over channels in blocks, which are kept; all positions are reduced.
Nest nestOfBlocks(const Layout& in, const Layout& out, const std::vector<bool>& reduced) {
  const Layout split = in.split(in.channelBlock);
  Nest nest;
  nest.inBlocks = true;
  nest.across = {in.channelBlock, 1, 1};
  nest.length = split.strides[1] / in.channelBlock;
  const Loop samples = {split.shape[0], split.strides[0], reduced[0] ? 0 : out.strides[0]};
  const Loop blocks = {split.shape[1], split.strides[1], in.channelBlock};
  if (reduced[0])
    nest.reduced = simplified({samples});
  else
    nest.kept = {samples};
  nest.kept.push_back(blocks);
  nest.kept = simplified(nest.kept);
  return nest;
}

Nest nestOf(const Layout& in, const Layout& out, const std::vector<bool>& reduced) {
  if (in.channelBlock != Layout::kPlain) return nestOfBlocks(in, out, reduced);
  struct Dimension {
    Loop loop;
    bool reduced;
  };
  std::vector<Dimension> all;
  for (std::size_t d = 0, o = 0; d < in.shape.size(); ++d) {
    const std::int64_t b = reduced[d] ? 0 : out.strides[o++];
    if (in.shape[d] != 1) all.push_back({{in.shape[d], in.strides[d], b}, reduced[d]});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Dimension& x, const Dimension& y) { return x.loop.a > y.loop.a; });
  Nest nest;
  nest.byRows = all.empty() || all.back().reduced;
  for (const Dimension& d : all) (d.reduced ? nest.reduced : nest.kept).push_back(d.loop);
  nest.kept = simplified(nest.kept);
  nest.reduced = simplified(nest.reduced);
  if (nest.byRows && !nest.reduced.empty()) {
    nest.length = nest.reduced.back().count;
    nest.reduced.pop_back();
  }
  if (!nest.kept.empty()) {
    nest.across = nest.kept.back();
    nest.kept.pop_back();
  }
  return nest;
}

class ReduceRunner : public Runner {
 public:
  ReduceRunner(const Layout& in, const Layout& out, const ReduceFunctions& functions,
               ReduceStore store, Nest nest, bool update, bool scaled, const Setting& setting)
      : functions_(functions),
        store_(store),
        nest_(std::move(nest)),
        inBytes_(in.type.sizeInBytes()),
        outBytes_(out.type.sizeInBytes()),
        accBytes_(functions.accumulator.sizeInBytes()),
        outputs_(out.elements()),
        work_(in.elements()),
        rows_(product(nest_.reduced)),
        update_(update),
        scaled_(scaled),
        threads_(setting.threads),
        rounding_(setting.rounding) {
    if (work_ == 0) return;
    const std::int64_t n = nest_.length;
    if (nest_.byRows) {
      pieces_ = divideUp(n, kChunk);
      chunk_ = std::max<std::int64_t>(1, kChunk / n);
      // Enough outputs per task to outweigh its overhead and to read memory in long runs.
      const std::int64_t enough = std::max(8 * 1024 / (n * std::min(rows_, chunk_)), 1024 / n);
      width_ =
          nest_.inBlocks ? nest_.across.count : std::clamp<std::int64_t>(enough, 1, kReduceColumns);
    } else {
      width_ = kReduceColumns;
      chunk_ =
          std::max<std::int64_t>(128, kChunk / std::min(nest_.across.count, width_) / 128 * 128);
    }
    blocks_ = divideUp(nest_.across.count, width_);
    partials_ = divideUp(rows_, chunk_) * pieces_;
    tasks_ = product(nest_.kept) * blocks_;
    const auto outermost = [](const std::vector<Loop>& loops) {
      return loops.empty() ? 0 : loops.front().a;
    };
    chunksAreOuter_ = outermost(nest_.reduced) > std::max(outermost(nest_.kept), nest_.across.a);
    rowsAreShared_ = chunksAreOuter_ && nest_.byRows && partials_ == 1 && rows_ >= threads_ &&
                     threads_ > 1 && n >= kLeastRow && work_ >= kLeastShared;
  }

  std::size_t scratchBytes() const override {
    if (rowsAreShared_) return outputs_ * rows_ * accBytes_;
    return partials_ <= 1 ? 0 : outputs_ * partials_ * accBytes_;
  }

  void run(void* const* operands, void* scratch) const override {
    const auto* in = static_cast<const char*>(operands[0]);
    auto* out = static_cast<char*>(operands[1]);
    const auto* scale = scaled_ ? static_cast<const float*>(operands[2]) : nullptr;
    if (work_ == 0) return neutral(out, scale);
    if (rowsAreShared_) return runByRows(in, out, scale, static_cast<char*>(scratch));
    if (partials_ == 1) {
      parallelFor(tasks_, threads_, work_, [&](std::int64_t task) {
        alignas(8) char acc[kReduceColumns * kAccumulatorBytes];
        const Block block = blockOf(task);
        chunk(in, block, 0, acc);
        put(acc, block, out, scale);
      });
      return;
    }
    // [task][chunk][output of the block]
    const auto partial = [&](const Block& block, std::int64_t p) {
      return static_cast<char*>(scratch) +
             (block.firstOutput * partials_ + p * block.width) * accBytes_;
    };
    parallelFor(tasks_ * partials_, threads_, work_, [&](std::int64_t i) {
      const Block block = blockOf(chunksAreOuter_ ? i % tasks_ : i / partials_);
      const std::int64_t p = chunksAreOuter_ ? i / tasks_ : i % partials_;
      chunk(in, block, p, partial(block, p));
    });
    parallelFor(tasks_, threads_, outputs_ * partials_, [&](std::int64_t task) {
      const Block block = blockOf(task);
      char* acc = partial(block, 0);
      functions_.fold(acc, partials_, block.width);
      put(acc, block, out, scale);
    });
  }

 private:
  /// A block of neighbouring outputs: offsets of the first in the input and the output, their
  /// number, and the index of the first among all outputs.
  struct Block {
    std::int64_t in, out, width, firstOutput;
  };

  Block blockOf(std::int64_t task) const {
    const std::int64_t kept = task / blocks_, at = task % blocks_ * width_;
    Block block{at * nest_.across.a, at * nest_.across.b, std::min(width_, nest_.across.count - at),
                kept * nest_.across.count + at};
    forRuns(nest_.kept, kept, kept + 1,
            [&](std::int64_t, std::int64_t, std::int64_t a, std::int64_t b) {
              block.in += a;
              block.out += b;
            });
    return block;
  }

  void put(const void* acc, const Block& block, char* out, const float* scale) const {
    store_.store(acc, block.width, out + block.out * outBytes_, nest_.across.b, scale, update_,
                 rounding_, block.firstOutput);
  }

  // For empty reductions: writes the neutral element. The output is dense.
  void neutral(char* out, const float* scale) const {
    alignas(8) char acc[kReduceColumns * kAccumulatorBytes];
    functions_.neutral(acc, std::min(outputs_, kReduceColumns));
    for (std::int64_t i = 0; i < outputs_; i += kReduceColumns)
      store_.store(acc, std::min(kReduceColumns, outputs_ - i), out + i * outBytes_, 1, scale,
                   update_, rounding_, i);
  }

  /// The same bits with threads sharing rows, in the order in which the operand lies.
  void runByRows(const char* in, char* out, const float* scale, char* scratch) const {
    const auto results = [&](const Block& block) {  // [row][output]
      return scratch + block.firstOutput * accBytes_;
    };
    parallelFor(tasks_ * rows_, threads_, work_, [&](std::int64_t i) {
      const Block block = blockOf(i % tasks_);
      const std::int64_t row = i / tasks_;
      forRuns(nest_.reduced, row, row + 1,
              [&](std::int64_t, std::int64_t, std::int64_t a, std::int64_t) {
                reduceRow(in + (block.in + a) * inBytes_, block, nest_.length,
                          results(block) + row * outputs_ * accBytes_);
              });
    });
    parallelFor(tasks_, threads_, outputs_ * rows_, [&](std::int64_t task) {
      alignas(8) char acc[kReduceColumns * kAccumulatorBytes];
      const Block block = blockOf(task);
      chunk(in, block, 0, acc, results(block));
      put(acc, block, out, scale);
    });
  }

  void reduceRow(const char* row, const Block& block, std::int64_t length, char* result) const {
    if (nest_.inBlocks)
      functions_.block(row, block.width, length, result);
    else
      functions_.rows(row, block.width, nest_.across.a, length, result);
  }

  /// Reduces one chunk for all outputs of a block. `rows`: the results of its rows, if they are there.
  void chunk(const char* in, const Block& block, std::int64_t p, char* acc,
             const char* rows = nullptr) const {
    const std::int64_t begin = p / pieces_ * chunk_, end = std::min(begin + chunk_, rows_);
    const std::int64_t from = p % pieces_ * kChunk, length = std::min(nest_.length - from, kChunk);
    const std::int64_t stride = nest_.reduced.empty() ? 0 : nest_.reduced.back().a;
    const char* x = in + (block.in + from * (nest_.inBlocks ? block.width : 1)) * inBytes_;
    // Collect partial results of successive runs and join kWaiting of them at a time.
    constexpr std::int64_t kWaiting = 8;
    alignas(8) char buffer[kWaiting * kReduceColumns * kAccumulatorBytes];
    std::int64_t waiting = 0;
    const auto next = [&](bool only) {
      if (only) return acc;
      if (waiting == kWaiting) {
        functions_.fold(buffer, waiting, block.width);
        waiting = 1;
      }
      return buffer + waiting++ * block.width * accBytes_;
    };
    forRuns(nest_.reduced, begin, end,
            [&](std::int64_t first, std::int64_t count, std::int64_t a, std::int64_t) {
              if (!nest_.byRows)
                return functions_.columns(x + a * inBytes_, count, stride, block.width,
                                          next(count == end - begin));
              for (std::int64_t i = 0; i < count; ++i) {
                char* result = next(end - begin == 1);
                if (rows != nullptr)
                  std::memcpy(result, rows + (first + i) * outputs_ * accBytes_,
                              block.width * accBytes_);
                else
                  reduceRow(x + (a + i * stride) * inBytes_, block, length, result);
              }
            });
    if (waiting == 0) return;
    functions_.fold(buffer, waiting, block.width);
    std::memcpy(acc, buffer, block.width * accBytes_);
  }

  ReduceFunctions functions_;
  ReduceStore store_;
  Nest nest_;
  std::int64_t inBytes_, outBytes_, accBytes_;
  std::int64_t outputs_, work_;
  std::int64_t rows_;          // iterations of the reduced loops
  std::int64_t width_ = 1;     // outputs per block
  std::int64_t blocks_ = 1;    // blocks in the innermost kept loop
  std::int64_t chunk_ = 1;     // iterations of the reduced loops per partial result
  std::int64_t pieces_ = 1;    // parts of a row, each with its own partial result
  std::int64_t partials_ = 1;  // partial results per output
  std::int64_t tasks_ = 0;     // total number of blocks
  // Whether threads share chunks first: the order in which the operand lies, and they share other steps.
  bool chunksAreOuter_ = false;
  bool rowsAreShared_ = false;  // of one chunk
  bool update_, scaled_;
  unsigned threads_;
  Rounding rounding_;
};

}  // namespace

bool ReduceKernel::supports(popops::Operation op, poplar::Type in, poplar::Type out) {
  const ReduceFunctions functions = reduceFunctions(in, op);
  if (!functions || reduceStore(functions.accumulator, out, op).store == nullptr) return false;
  return in == out || (functions.accumulator == poplar::FLOAT);
}

bool ReduceKernel::accepts(std::size_t i, const Layout& layout) const {
  if (i != 0) return layout.dense();
  if (layout.channelBlock != Layout::kPlain) return acceptsBlocks(layout);
  bool wide = false, unit = false;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (layout.shape[d] == 1) continue;
    if (layout.strides[d] < 1) return false;
    wide = true;
    unit = unit || layout.strides[d] == 1;
  }
  return unit || !wide;
}

bool ReduceKernel::acceptsBlocks(const Layout& layout) const {
  // Of one position, plain channels are reduced by columns.
  const auto positions = std::find_if(layout.shape.begin() + 2, layout.shape.end(),
                                      [](std::int64_t n) { return n > 1; });
  return layout.channelBlock > 0 && layout.channelBlock <= kReduceBlock &&
         positions != layout.shape.end() && !reduced_[1] &&
         std::find(reduced_.begin() + 2, reduced_.end(), false) == reduced_.end() &&
         reduceFunctions(layout.type, op_).block != nullptr;
}

std::unique_ptr<Runner> ReduceKernel::prepare(const std::vector<Layout>& operands,
                                              const Setting& setting) const {
  const Layout &in = operands[0], &out = operands[1];
  const ReduceFunctions functions = reduceFunctions(in.type, op_);
  return std::make_unique<ReduceRunner>(in, out, functions,
                                        reduceStore(functions.accumulator, out.type, op_),
                                        nestOf(in, out, reduced_), update_, scaled_, setting);
}

void ReduceKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, scaled_ ? 3 : 2);
  const auto &in = operands[0], &out = operands[1];
  require(supports(op_, in.type, out.type), "the operation does not take these element types");
  require(reduced_.size() == in.shape.size(), "its dimensions are not the input's");
  std::vector<std::int64_t> kept;
  for (std::size_t d = 0; d < in.shape.size(); ++d)
    if (!reduced_[d]) kept.push_back(in.shape[d]);
  requireOperand(in, Access::Read, in.type, in.shape);
  requireOperand(out, update_ ? Access::ReadWrite : Access::Write, out.type, kept);
  if (!scaled_) return;
  require(elementsOf(operands[2]) == 1, "the scale is one element");
  requireOperand(operands[2], Access::Read, poplar::FLOAT, operands[2].shape);
}

Rows ReduceKernel::rows(const std::vector<OperandInfo>&) const {
  const auto first = std::find(reduced_.begin(), reduced_.end(), true);
  const auto kept = static_cast<std::size_t>(first - reduced_.begin());
  return {kept, {kept, kept, 0}};
}

std::shared_ptr<const SummingForm> ReduceKernel::summing() const {
  if (op_ != popops::Operation::ADD || update_ || scaled_ || reduced_.size() < 3) return nullptr;
  for (std::size_t d = 0; d < reduced_.size(); ++d)
    if (reduced_[d] == (d == 1)) return nullptr;
  auto form = std::make_shared<SummingForm>();
  form->map.program.output(form->map.program.input(0, Lane::F32));
  form->map.inputs = {{0, false}};
  form->sums = {1};
  return form;
}

bool ReduceKernel::isExtremum() const {
  return (op_ == popops::Operation::MIN || op_ == popops::Operation::MAX) && !update_ && !scaled_;
}

Work ReduceKernel::work(const std::vector<Layout>& operands) const {
  const std::uint64_t in = operands[0].elements(), out = operands[1].elements();
  const std::uint64_t each = op_ == popops::Operation::SQUARE_ADD ? 2 : 1;
  std::uint64_t run = 1;
  for (std::size_t d = reduced_.size(); d-- > 0 && reduced_[d];)
    run *= static_cast<std::uint64_t>(operands[0].shape[d]);
  return {"popops::Reduce", ReduceWork{operands[0].type, in, out, run, op_},
          in > out ? each * (in - out) : 0};
}

}  // namespace popir
