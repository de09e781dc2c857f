#include "kernels/joined_rows.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "kernels/parallel.hpp"

namespace popir {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kBlockBytes = 256 * 1024;  // of all operands of a block: part of an L2 cache
constexpr std::int64_t kBlocksPerThread = 4;     // at least, so that threads end together

std::size_t lines(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

class JoinedRowsRunner final : public Runner {
 public:
  struct Operand {
    std::size_t memory;
    bool isInner;
    std::int64_t offset;                               // bytes
    std::vector<JoinedRowsKernel::RowDimension> rows;  // strides in bytes
  };
  struct Part {
    std::unique_ptr<Runner> block, rest;  // rest: of fewer rows, the last block of a run
    std::vector<Operand> operands;
  };
  struct Sizes {
    std::int64_t run;    // neighbouring rows that blocks divide
    std::int64_t block;  // rows of a block
    std::int64_t runs;
  };

  JoinedRowsRunner(std::vector<Part> parts, Sizes sizes, std::vector<std::size_t> inner,
                   std::int64_t work, unsigned threads)
      : parts_(std::move(parts)),
        sizes_(sizes),
        inner_(std::move(inner)),
        work_(work),
        threads_(threads) {
    std::size_t most = 0;
    for (const auto& part : parts_) {
      most = std::max(most, part.operands.size());
      for (const auto* runner : {part.block.get(), part.rest.get()})
        if (runner) partBytes_ = std::max(partBytes_, lines(runner->scratchBytes()));
    }
    pointersAt_ = partBytes_;
    innerAt_ = pointersAt_ + lines(most * sizeof(void*));
    threadBytes_ = innerAt_;
    for (auto& bytes : inner_) {
      const auto size = lines(bytes * static_cast<std::size_t>(sizes_.block));
      bytes = threadBytes_;
      threadBytes_ += size;
    }
  }

  void run(void* const* operands, void* /*scratch*/) const override {
    const std::int64_t each = (sizes_.run + sizes_.block - 1) / sizes_.block;
    parallelFor(sizes_.runs * each, threads_, work_, [&](std::int64_t i) {
      const pool::OwnMemory own(threadBytes_);
      const std::int64_t first = i % each * sizes_.block;
      const std::int64_t row = i / each * sizes_.run + first;
      const bool isRest = sizes_.run - first < sizes_.block;
      char* mine = static_cast<char*>(own.data());
      void** pointers = reinterpret_cast<void**>(mine + pointersAt_);
      for (const auto& part : parts_) {
        for (std::size_t o = 0; o < part.operands.size(); ++o)
          pointers[o] = at(part.operands[o], operands, mine, row);
        (isRest ? part.rest : part.block)->run(pointers, mine);
      }
    });
  }

 private:
  char* at(const Operand& operand, void* const* operands, char* mine, std::int64_t row) const {
    if (operand.isInner) return mine + inner_[operand.memory] + operand.offset;
    char* p = static_cast<char*>(operands[operand.memory]) + operand.offset;
    for (std::size_t d = operand.rows.size(); d-- > 0; row /= operand.rows[d].size)
      p += row % operand.rows[d].size * operand.rows[d].stride;
    return p;
  }

  std::vector<Part> parts_;
  Sizes sizes_;
  std::vector<std::size_t> inner_;  // where each inner value begins in a thread's memory
  std::int64_t work_;
  unsigned threads_;
  std::size_t partBytes_ = 0, pointersAt_ = 0, innerAt_ = 0, threadBytes_ = 0;
};

}  // namespace

Layout JoinedRowsKernel::ofRows(Layout layout, std::size_t had, const Division& by,
                                std::int64_t count) {
  std::fill_n(layout.shape.begin(), std::min(had, by.dimensions), 1);
  if (had >= by.dimensions) layout.shape[by.dimensions - 1] = count * by.each;
  return layout;
}

std::unique_ptr<Runner> JoinedRowsKernel::prepare(const std::vector<Layout>&,
                                                  const Setting& setting) const {
  // Rows are neighbours in every operand as long as the innermost of its dimensions goes on.
  std::int64_t run = rows_, least = 1, most = rows_, work = 0;
  std::size_t bytesOutside = 0;  // of a row, without inner values
  for (const auto& part : parts_) {
    std::size_t elements = 0;
    for (const auto& operand : part.operands) {
      elements = std::max(elements, operand.layout.elements());
      run = std::gcd(run, operand.rows.back().size);
      if (!operand.isInner)
        bytesOutside += operand.layout.bytes() / static_cast<std::size_t>(rows_);
    }
    work += static_cast<std::int64_t>(elements);
    least = std::max(least, (part.least + part.by.each - 1) / part.by.each);
    if (part.oneByOne) most = 1;
  }
  const auto bytes = std::accumulate(inner_.begin(), inner_.end(), bytesOutside);
  const auto fits = static_cast<std::int64_t>(kBlockBytes / std::max<std::size_t>(bytes, 1));
  const auto shared =
      rows_ / (kBlocksPerThread * static_cast<std::int64_t>(setting.threadsOfChoices()));
  auto block = std::min({std::max(std::min(fits, shared), least), most, run});
  const auto blocks = (run + block - 1) / block;
  block = (run + blocks - 1) / blocks;
  const auto rest = run % block;
  const Setting one{1, setting.rounding, setting.policy};

  std::vector<JoinedRowsRunner::Part> parts;
  for (const auto& part : parts_) {
    JoinedRowsRunner::Part made;
    std::vector<Layout> full, last;
    for (const auto& operand : part.operands) {
      const auto& layout = operand.layout;
      const auto size = static_cast<std::int64_t>(layout.type.sizeInBytes());
      auto rows = operand.rows;
      for (auto& dimension : rows) dimension.stride *= size;
      made.operands.push_back(
          {operand.memory, operand.isInner, operand.offset * size, std::move(rows)});
      full.push_back(ofRows(layout, operand.had, part.by, block));
      if (rest) last.push_back(ofRows(layout, operand.had, part.by, rest));
    }
    // No part reads what the last one writes: it may be stored past the caches.
    auto alone = one;
    if (&part == &parts_.back()) alone.wholeBytes = bytesOutside * static_cast<std::size_t>(rows_);
    made.block = part.kernel->prepare(full, alone);
    if (rest) made.rest = part.kernel->prepare(last, alone);
    parts.push_back(std::move(made));
  }
  return std::make_unique<JoinedRowsRunner>(std::move(parts),
                                            JoinedRowsRunner::Sizes{run, block, rows_ / run},
                                            inner_, work, setting.threads);
}

Work JoinedRowsKernel::work(const std::vector<Layout>&) const {
  throw std::logic_error("joined rows: only the host has this kernel");
}

}  // namespace popir
