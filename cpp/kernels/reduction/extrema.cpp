#include "kernels/reduction/extrema.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/parallel.hpp"
#include "kernels/reduction/reduce_functions.hpp"

namespace popir {
namespace {

/// Rows of floats, one after the other. A long one has a partial result for each kReduceRow elements, as
/// one that is reduced alone.
class ExtremaRunner final : public Runner {
 public:
  ExtremaRunner(std::int64_t rows, std::int64_t length, bool leastFirst, unsigned threads)
      : rows_(rows),
        length_(length),
        pieces_(divideUp(length, kReduceRow)),
        leastFirst_(leastFirst),
        threads_(threads),
        rowsOfTask_(pieces_ > 1 ? 1 : std::max<std::int64_t>(1, 8 * 1024 / length)),
        extrema_(reduceExtrema()) {}

  std::size_t scratchBytes() const override {
    return pieces_ == 1 ? 0 : 2 * rows_ * pieces_ * sizeof(float);
  }

  void run(void* const* operands, void* scratch) const override {
    const auto* const x = static_cast<const float*>(operands[0]);
    auto* const least = static_cast<float*>(operands[leastFirst_ ? 1 : 2]);
    auto* const most = static_cast<float*>(operands[leastFirst_ ? 2 : 1]);
    if (pieces_ == 1) {
      parallelFor(divideUp(rows_, rowsOfTask_), threads_, rows_ * length_, [&](std::int64_t task) {
        const std::int64_t row = task * rowsOfTask_;
        extrema_(x + row * length_, std::min(rowsOfTask_, rows_ - row), length_, length_,
                 least + row, most + row);
      });
      return;
    }
    auto* const leastOf = static_cast<float*>(scratch);  // [row][piece]
    auto* const mostOf = leastOf + rows_ * pieces_;
    parallelFor(rows_ * pieces_, threads_, rows_ * length_, [&](std::int64_t i) {
      const std::int64_t from = i % pieces_ * kReduceRow;
      extrema_(x + i / pieces_ * length_ + from, 1, length_, std::min(kReduceRow, length_ - from),
               leastOf + i, mostOf + i);
    });
    const auto min = reduceFunctions(poplar::FLOAT, popops::Operation::MIN);
    const auto max = reduceFunctions(poplar::FLOAT, popops::Operation::MAX);
    for (std::int64_t row = 0; row < rows_; ++row) {
      min.fold(leastOf + row * pieces_, pieces_, 1);
      max.fold(mostOf + row * pieces_, pieces_, 1);
      least[row] = leastOf[row * pieces_];
      most[row] = mostOf[row * pieces_];
    }
  }

 private:
  std::int64_t rows_, length_, pieces_;
  bool leastFirst_;
  unsigned threads_;
  std::int64_t rowsOfTask_;
  ReduceExtrema extrema_;
};

/// One after the other.
class BothRunner final : public Runner {
 public:
  BothRunner(std::unique_ptr<Runner> first, std::unique_ptr<Runner> second)
      : first_(std::move(first)), second_(std::move(second)) {}
  std::size_t scratchBytes() const override {
    return std::max(first_->scratchBytes(), second_->scratchBytes());
  }
  void run(void* const* operands, void* scratch) const override {
    first_->run(operands, scratch);
    void* const others[] = {operands[0], operands[2]};
    second_->run(others, scratch);
  }

 private:
  std::unique_ptr<Runner> first_, second_;
};

}  // namespace

std::shared_ptr<const Kernel> extremaOf(const Kernel& first, const Kernel& second) {
  const auto* a = dynamic_cast<const ReduceKernel*>(&first);
  const auto* b = a == nullptr ? nullptr : dynamic_cast<const ReduceKernel*>(&second);
  if (b == nullptr || !a->isExtremum() || !b->isExtremum() || a->reduced() != b->reduced() ||
      a->operation() == b->operation())
    return nullptr;
  return std::make_shared<ExtremaKernel>(a->reduced(), a->operation() == popops::Operation::MIN);
}

bool ExtremaKernel::accepts(std::size_t i, const Layout& layout) const {
  return first_.accepts(std::min<std::size_t>(i, 1), layout);
}

std::unique_ptr<Runner> ExtremaKernel::prepare(const std::vector<Layout>& operands,
                                               const Setting& setting) const {
  const Layout& in = operands[0];
  const auto& reduced = first_.reduced();
  const auto begin = std::find(reduced.begin(), reduced.end(), true);
  const bool areRows = std::find(begin, reduced.end(), false) == reduced.end();
  const auto elements = static_cast<std::int64_t>(in.elements());
  const auto rows = static_cast<std::int64_t>(operands[1].elements());
  if (in.type == poplar::FLOAT && operands[1].type == poplar::FLOAT && in.dense() && areRows &&
      elements > rows)
    return std::make_unique<ExtremaRunner>(rows, elements / rows, leastFirst_, setting.threads);
  return std::make_unique<BothRunner>(first_.prepare({in, operands[1]}, setting),
                                      second_.prepare({in, operands[2]}, setting));
}

Rows ExtremaKernel::rows(const std::vector<OperandInfo>& operands) const {
  Rows rows = first_.rows({operands[0], operands[1]});
  rows.had.push_back(rows.had.back());
  return rows;
}

Work ExtremaKernel::work(const std::vector<Layout>& /*operands*/) const {
  throw std::logic_error("extrema: the machine reads the two reductions");
}

}  // namespace popir
