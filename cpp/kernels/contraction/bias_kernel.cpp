#include "kernels/contraction/bias_kernel.hpp"

#include <algorithm>

#include "kernels/check.hpp"
#include "kernels/elementwise/expression.hpp"
#include "kernels/elementwise/forms.hpp"
#include "kernels/parallel.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<BiasKernel> kSavedBias("bias");

/// Dense activations as [outer, channel block, points, channel in the block].
struct Shape {
  std::int64_t outer, blocks, points, block;
};

Shape shapeOf(const Layout& l) {
  Shape s = {l.shape[0], l.shape[1], 1, 1};
  for (std::size_t d = 2; d < l.shape.size(); ++d) s.points *= l.shape[d];
  if (l.channelBlock == Layout::kChannelsLast) std::swap(s.blocks, s.block);
  if (l.channelBlock > 0) {
    s.block = l.channelBlock;
    s.blocks /= s.block;
  }
  return s;
}

/// Adds the bias to one channel block at all points.
void add(float* x, const float* bias, std::int64_t points, std::int64_t block) {
  if (block == 1) {
    const float b = *bias;
    for (std::int64_t i = 0; i < points; ++i) x[i] += b;
    return;
  }
  for (std::int64_t i = 0; i < points; ++i, x += block)
    for (std::int64_t c = 0; c < block; ++c) x[c] += bias[c];
}

class BiasRunner final : public Runner {
 public:
  BiasRunner(const Shape& shape, unsigned threads) : s_(shape), threads_(threads) {}

  void run(void* const* operands, void*) const override {
    auto* x = static_cast<float*>(operands[0]);
    const auto* bias = static_cast<const float*>(operands[1]);
    const std::int64_t lines = s_.outer * s_.blocks, line = s_.points * s_.block;
    parallelFor(lines, threads_, lines * line, [&](std::int64_t i) {
      add(x + i * line, bias + i % s_.blocks * s_.block, s_.points, s_.block);
    });
  }

 private:
  Shape s_;
  unsigned threads_;
};

}  // namespace

bool BiasKernel::accepts(std::size_t i, const Layout& layout) const {
  if (i > 0 || layout.channelBlock == Layout::kPlain) return layout.dense();
  return layout.channelBlock == Layout::kChannelsLast || layout.shape[1] % layout.channelBlock == 0;
}

std::unique_ptr<Runner> BiasKernel::prepare(const std::vector<Layout>& operands,
                                            const Setting& setting) const {
  return std::make_unique<BiasRunner>(shapeOf(operands[0]), setting.threads);
}

void BiasKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, 2);
  const auto& shape = operands[0].shape;
  require(shape.size() >= 2, "activations have a batch and channels");
  requireOperand(operands[0], Access::ReadWrite, poplar::FLOAT, shape);
  requireOperand(operands[1], Access::Read, poplar::FLOAT, {shape[1]});
}

Work BiasKernel::work(const std::vector<Layout>& operands) const {
  const std::uint64_t n = operands[0].elements();
  const auto columns = static_cast<std::uint64_t>(shapeOf(operands[0]).points);
  return {"popops::BroadcastVectorOuterInPlace",
          OperatorWork{operands[0].type, n, Operator::ADD, columns}, n};
}

std::shared_ptr<const ElementWiseForm> BiasKernel::elementWise() const {
  auto form = std::make_shared<ElementWiseForm>();
  auto& p = form->program;
  p.output(p.apply(VecOp::Add, Lane::F32, {p.input(0, Lane::F32), p.input(1, Lane::F32)}));
  form->inputs = {{0, false}, {1, true}};
  form->outputs = {0};
  return form;
}

}  // namespace popir
