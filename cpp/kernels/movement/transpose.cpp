#include "kernels/movement/transpose.hpp"

#include <algorithm>

#include "kernels/check.hpp"
#include "kernels/movement/tiles.hpp"
#include "kernels/parallel.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<TransposeKernel> kSavedTranspose("transpose");

constexpr std::int64_t kColumns = 16;      // columns of a matrix that are written together
constexpr std::int64_t kTask = 16 * 1024;  // elements of a task, at least

template <class T>
class TransposeRunner : public Runner {
 public:
  TransposeRunner(const Layout& read, unsigned threads)
      : matrices_(read.shape[0]), rows_(read.shape[1]), columns_(read.shape[2]), threads_(threads) {
    blocks_ = (columns_ + kColumns - 1) / kColumns;
    const std::int64_t block = std::max<std::int64_t>(1, rows_ * std::min(columns_, kColumns));
    each_ = std::max<std::int64_t>(1, kTask / block);
  }

  void run(void* const* operands, void*) const override {
    auto* out = static_cast<T*>(operands[0]);
    const auto* in = static_cast<const T*>(operands[1]);
    const std::int64_t all = matrices_ * blocks_, matrix = rows_ * columns_;
    parallelFor((all + each_ - 1) / each_, threads_, matrices_ * matrix, [&](std::int64_t task) {
      for (std::int64_t b = task * each_; b < std::min(all, (task + 1) * each_); ++b) {
        const std::int64_t from = b / blocks_ * matrix, first = b % blocks_ * kColumns;
        const std::int64_t last = std::min(columns_, first + kColumns);
        constexpr std::int64_t kBytes = sizeof(T);
        transposeMatrix<T>(reinterpret_cast<const char*>(in + from + first), columns_ * kBytes,
                           reinterpret_cast<char*>(out + from + first * rows_), rows_ * kBytes,
                           last - first, rows_);
      }
    });
  }

 private:
  std::int64_t matrices_, rows_, columns_, blocks_, each_;
  unsigned threads_;
};

}  // namespace

std::unique_ptr<Runner> TransposeKernel::prepare(const std::vector<Layout>& operands,
                                                 const Setting& setting) const {
  switch (operands[1].type.sizeInBytes()) {
    case 1: return std::make_unique<TransposeRunner<std::uint8_t>>(operands[1], setting.threads);
    case 2: return std::make_unique<TransposeRunner<std::uint16_t>>(operands[1], setting.threads);
    case 4: return std::make_unique<TransposeRunner<std::uint32_t>>(operands[1], setting.threads);
    default: return std::make_unique<TransposeRunner<std::uint64_t>>(operands[1], setting.threads);
  }
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
