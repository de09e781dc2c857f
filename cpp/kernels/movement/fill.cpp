#include "kernels/movement/fill.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/check.hpp"
#include "kernels/loops.hpp"
#include "kernels/parallel.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<FillKernel> kSavedFill("fill");

constexpr std::int64_t kBlock = 32 * 1024;  // elements of a task

template <class T>
void fillRun(void* to, std::int64_t n, std::int64_t stride, const void* value) {
  T v;
  std::memcpy(&v, value, sizeof v);
  auto* out = static_cast<T*>(to);
  if (stride == 1)
    std::fill_n(out, n, v);
  else
    for (std::int64_t i = 0; i < n; ++i) out[i * stride] = v;
}

class FillRunner : public Runner {
 public:
  FillRunner(const Layout& layout, std::array<unsigned char, 8> value, unsigned threads)
      : value_(value),
        bytes_(layout.type.sizeInBytes()),
        elements_(layout.elements()),
        threads_(threads) {
    if (layout.channelBlock != Layout::kPlain) {
      loops_ = {{elements_, 1, 0}};
      return;
    }
    for (std::size_t d = 0; d < layout.shape.size(); ++d)
      loops_.push_back({layout.shape[d], layout.strides[d], 0});
    std::stable_sort(loops_.begin(), loops_.end(),
                     [](const Loop& x, const Loop& y) { return x.a > y.a; });
    loops_ = simplified(loops_);
  }

  void run(void* const* operands, void*) const override {
    auto* out = static_cast<char*>(operands[0]);
    const std::int64_t stride = loops_.empty() ? 1 : loops_.back().a;
    const auto fill = bytes_ == 1   ? fillRun<std::uint8_t>
                      : bytes_ == 2 ? fillRun<std::uint16_t>
                      : bytes_ == 4 ? fillRun<std::uint32_t>
                                    : fillRun<std::uint64_t>;
    parallelFor((elements_ + kBlock - 1) / kBlock, threads_, elements_, [&](std::int64_t task) {
      forRuns(loops_, task * kBlock, std::min((task + 1) * kBlock, elements_),
              [&](std::int64_t, std::int64_t count, std::int64_t a, std::int64_t) {
                fill(out + a * bytes_, count, stride, value_.data());
              });
    });
  }

 private:
  std::array<unsigned char, 8> value_;
  std::vector<Loop> loops_;
  std::int64_t bytes_, elements_;
  unsigned threads_;
};

}  // namespace

bool FillKernel::accepts(std::size_t, const Layout& layout) const {
  if (layout.channelBlock != Layout::kPlain) return true;
  for (std::size_t d = 0; d < layout.shape.size(); ++d)
    if (layout.shape[d] > 1 && layout.strides[d] < 1) return false;
  return true;
}

std::unique_ptr<Runner> FillKernel::prepare(const std::vector<Layout>& operands,
                                            const Setting& setting) const {
  return std::make_unique<FillRunner>(operands[0], value_, setting.threads);
}

void FillKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, 1);
  requireOperand(operands[0], Access::Write, operands[0].type, operands[0].shape);
}

Work FillKernel::work(const std::vector<Layout>& operands) const {
  return {"popops::Fill", ElementsWork{operands[0].type, operands[0].elements()}};
}

}  // namespace popir
