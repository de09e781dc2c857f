#include "kernels/movement/transpose.hpp"

#include <algorithm>

#include "kernels/check.hpp"
#include "kernels/movement/tiles.hpp"
#include "kernels/parallel.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<TransposeKernel> kSavedTranspose("transpose");

constexpr std::int64_t kColumns = 64;      // columns of a block of a matrix, at most
constexpr std::int64_t kTask = 16 * 1024;  // elements of a task, at least

class TransposeRunner : public Runner {
 public:
  TransposeRunner(const Layout& read, unsigned threads)
      : transpose_(transposeMatrix(read.type.sizeInBytes())),
        bytes_(static_cast<std::int64_t>(read.type.sizeInBytes())),
        matrices_(read.shape[0]),
        rows_(read.shape[1]),
        columns_(read.shape[2]),
        threads_(threads) {
    blockColumns_ = std::clamp<std::int64_t>(columns_, 1, kColumns);
    blockRows_ = std::clamp<std::int64_t>(rows_, 1, kTask / blockColumns_);
    across_ = (columns_ + blockColumns_ - 1) / blockColumns_;
    blocks_ = across_ * ((rows_ + blockRows_ - 1) / blockRows_);
    each_ = std::max<std::int64_t>(1, kTask / (blockRows_ * blockColumns_));
  }

  void run(void* const* operands, void*) const override {
    auto* out = static_cast<char*>(operands[0]);
    const auto* in = static_cast<const char*>(operands[1]);
    const std::int64_t all = matrices_ * blocks_, matrix = rows_ * columns_;
    parallelFor((all + each_ - 1) / each_, threads_, matrices_ * matrix, [&](std::int64_t task) {
      for (std::int64_t b = task * each_; b < std::min(all, (task + 1) * each_); ++b) {
        const std::int64_t from = b / blocks_ * matrix, block = b % blocks_;
        const std::int64_t row = block / across_ * blockRows_;
        const std::int64_t column = block % across_ * blockColumns_;
        transpose_(in + (from + row * columns_ + column) * bytes_, columns_ * bytes_,
                   out + (from + column * rows_ + row) * bytes_, rows_ * bytes_,
                   std::min(blockColumns_, columns_ - column), std::min(blockRows_, rows_ - row));
      }
    });
  }

 private:
  TransposeMatrix transpose_;
  std::int64_t bytes_, matrices_, rows_, columns_;
  std::int64_t blockRows_, blockColumns_, across_, blocks_, each_;
  unsigned threads_;
};

}  // namespace

std::unique_ptr<Runner> TransposeKernel::prepare(const std::vector<Layout>& operands,
                                                 const Setting& setting) const {
  return std::make_unique<TransposeRunner>(operands[1], setting.threads);
}

void TransposeKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, 2);
  const auto& read = operands[1];
  require(read.shape.size() == 3, "matrices are [matrices, rows, columns]");
  requireOperand(read, Access::Read, read.type, read.shape);
  requireOperand(operands[0], Access::Write, read.type,
                 {read.shape[0], read.shape[2], read.shape[1]});
}

Work TransposeKernel::work(const std::vector<Layout>& operands) const {
  const auto& shape = operands[1].shape;
  const auto size = [&](std::size_t d) { return static_cast<std::uint64_t>(shape[d]); };
  return {"popops::Transpose", TransposeWork{operands[1].type, size(0), size(1), size(2)}};
}

}  // namespace popir
