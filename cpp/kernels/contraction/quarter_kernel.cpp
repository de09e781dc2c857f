#include "kernels/contraction/quarter_kernel.hpp"

#include <algorithm>
#include <tuple>
#include <variant>

#include "kernels/check.hpp"
#include "kernels/contraction/conv_kernel.hpp"
#include "kernels/contraction/matmul_kernel.hpp"
#include "kernels/parallel.hpp"
#include "kernels/quarter.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

// Operands of a contraction, and with the metadata of two of them.
constexpr std::size_t kContracted = 3, kOperands = kContracted + 2;

using contraction::aligned;

class QuarterRunner final : public Runner {
 public:
  QuarterRunner(std::unique_ptr<Runner> inner, const std::array<std::size_t, 2>& quarters,
                const std::vector<Layout>& operands, unsigned threads)
      : inner_(std::move(inner)), quarters_(quarters), threads_(threads) {
    for (std::size_t n = 0; n < quarters.size(); ++n) {
      elements_[n] = operands[quarters[n]].elements();
      widened_ += aligned(elements_[n] * sizeof(float));
    }
  }

  std::size_t scratchBytes() const override { return widened_ + inner_->scratchBytes(); }

  void run(void* const* operands, void* scratch) const override {
    auto* at = static_cast<char*>(scratch);
    std::array<void*, kOperands> given;
    std::copy_n(operands, kOperands, given.begin());
    for (std::size_t n = 0; n < quarters_.size(); ++n) {
      given[quarters_[n]] = at;
      widen(static_cast<const unsigned char*>(operands[quarters_[n]]),
            *static_cast<const MetadataType*>(operands[kContracted + n]), elements_[n],
            reinterpret_cast<float*>(at));
      at += aligned(elements_[n] * sizeof(float));
    }
    inner_->run(given.data(), at);
  }

 private:
  void widen(const unsigned char* codes, MetadataType byte, std::size_t count, float* to) const {
    const auto values = quarterValues(byte);
    constexpr std::int64_t kBlock = 4096;
    const auto all = static_cast<std::int64_t>(count);
    parallelFor((all + kBlock - 1) / kBlock, threads_, all, [&](std::int64_t block) {
      const auto last = std::min(all, (block + 1) * kBlock);
      for (auto i = block * kBlock; i < last; ++i) to[i] = values[codes[i]];
    });
  }

  const std::unique_ptr<Runner> inner_;
  const std::array<std::size_t, 2> quarters_;
  const unsigned threads_;
  std::array<std::size_t, 2> elements_{};
  std::size_t widened_ = 0;  // bytes
};

// A saved kernel has the product or convolution without the name that saveKernel() gives kernels, so
// that it holds none of any other class.
void saveQuarter(const Kernel& kernel, Writer& to) {
  const auto& quarter = static_cast<const QuarterKernel&>(kernel);
  for (const auto i : quarter.quarters()) to.put(i);
  const auto* product = dynamic_cast<const MatMulKernel*>(&quarter.inner());
  to.put(product != nullptr);
  if (product != nullptr)
    to.put(*product);
  else
    to.put(static_cast<const ConvKernel&>(quarter.inner()));
}

template <class K>
std::shared_ptr<const Kernel> loadAs(Reader& from) {
  return std::apply(
      [](auto&&... member) { return std::make_shared<const K>(std::move(member)...); },
      from.getTuple<archive::StateOf<K>>());
}

std::shared_ptr<const Kernel> loadQuarter(Reader& from) {
  const auto first = from.get<std::size_t>(), second = from.get<std::size_t>();
  return std::make_shared<const QuarterKernel>(
      from.get<bool>() ? loadAs<MatMulKernel>(from) : loadAs<ConvKernel>(from), first, second);
}

const struct Saved {
  Saved() {
    addSavedKernel({"quarter contraction", &typeid(QuarterKernel), saveQuarter, loadQuarter});
  }
} kSavedQuarters;

}  // namespace

bool QuarterKernel::accepts(std::size_t i, const Layout& layout) const {
  const bool widened = std::count(quarters_.begin(), quarters_.end(), i) > 0;
  return widened || i >= kContracted ? layout.dense() : inner_->accepts(i, layout);
}

std::unique_ptr<Runner> QuarterKernel::prepare(const std::vector<Layout>& operands,
                                               const Setting& setting) const {
  std::vector<Layout> contracted(operands.begin(), operands.begin() + kContracted);
  for (const auto i : quarters_) contracted[i] = Layout::rowMajor(poplar::FLOAT, operands[i].shape);
  return std::make_unique<QuarterRunner>(inner_->prepare(contracted, setting), quarters_, operands,
                                         setting.threads);
}

void QuarterKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, kOperands);
  require(quarters_[0] < quarters_[1] && quarters_[1] < kContracted,
          "the operands of quarter are not two of the contraction");
  std::vector<OperandInfo> contracted(operands.begin(), operands.begin() + kContracted);
  for (std::size_t n = 0; n < quarters_.size(); ++n) {
    auto& operand = contracted[quarters_[n]];
    requireOperand(operand, Access::Read, poplar::QUARTER, operand.shape);
    operand.type = poplar::FLOAT;
    requireOperand(operands[kContracted + n], Access::Read, poplar::UNSIGNED_CHAR, {1});
  }
  inner_->check(contracted);
}

Work QuarterKernel::work(const std::vector<Layout>&) const {
  Work work = inner_->work({});
  std::get<ContractionWork>(work.whole).type = poplar::QUARTER;
  return work;
}

}  // namespace popir
