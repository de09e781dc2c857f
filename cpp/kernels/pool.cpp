#include "kernels/pool.hpp"

#include <omp.h>

#define POPIR_POOL_ALL
#define POPIR_ISA_NAMESPACE base
#include "kernels/isa.hpp"
#include "kernels/parallel.hpp"
#include "kernels/pool.inc"

namespace popir {
namespace {

class PoolRunner : public Runner {
 public:
  PoolRunner(PoolPlan plan, const PoolFunctions& functions)
      : plan_(std::move(plan)), functions_(functions) {
    each_ = (functions_.scratchBytes(plan_) + 63) / 64 * 64;
    rows_ = isGrad(plan_.kind) ? 1 : plan_.outerOut;
    work_ = std::max(plan_.in.plane, plan_.out.plane * plan_.row.kernel) * plan_.lanes;
    // A task has 4096 elements or so to read.
    rowsOfTask_ = std::max<std::int64_t>(
        1, 4096 * rows_ / std::max<std::int64_t>(plan_.in.plane * plan_.lanes, 1));
  }

  std::size_t scratchBytes() const override { return each_ * plan_.threads; }

  void run(void* const* operands, void* scratch) const override {
    if (plan_.out.plane == 0 && !isGrad(plan_.kind)) return;
    const std::int64_t parts = (rows_ + rowsOfTask_ - 1) / rowsOfTask_;
    parallelFor(plan_.planes() * parts, plan_.threads, plan_.planes() * work_,
                [&](std::int64_t task) {
                  const std::int64_t begin = task % parts * rowsOfTask_;
                  functions_.run(plan_, operands,
                                 static_cast<char*>(scratch) + each_ * omp_get_thread_num(),
                                 task / parts, begin, std::min(begin + rowsOfTask_, rows_));
                });
  }

 private:
  PoolPlan plan_;
  PoolFunctions functions_;
  std::size_t each_;
  std::int64_t rows_, rowsOfTask_, work_;
};

}  // namespace

PoolOperand::PoolOperand(const Layout& layout)
    : channels(layout.shape[1]), plane(1), block(std::max(layout.channelBlock, 1)) {
  for (std::size_t d = 2; d < layout.shape.size(); ++d) plane *= layout.shape[d];
}

PoolFunctions poolFunctions(poplar::Type type, PoolKind kind) {
  PoolFunctions f{};
  if (isa() == Isa::Avx512) f = avx512::poolFunctions(type, kind);
  if (isa() == Isa::Avx2) f = avx2::poolFunctions(type, kind);
  return f ? f : base::poolFunctions(type, kind);
}

bool PoolKernel::accepts(std::size_t, const Layout& layout) const {
  return layout.dense() || layout.channelBlock > 0;
}

std::unique_ptr<Runner> PoolKernel::prepare(const std::vector<Layout>& operands,
                                            unsigned threads) const {
  // Which operand is what; shapes of gradients are those of what they are gradients of.
  const bool grad = isGrad(kind_), max = isMax(kind_);
  const Layout& in = operands[grad && !max ? 1 : 0];
  const Layout& out = operands[grad ? (max ? 1 : 0) : 1];
  PoolPlan plan;
  plan.kind = kind_;
  plan.outer.assign(axes_.begin(), axes_.end() - 1);
  plan.row = axes_.back();
  plan.batch = in.shape[0];
  plan.channels = in.shape[1];
  plan.in = plan.inGrad = PoolOperand(in);
  plan.out = plan.outGrad = PoolOperand(out);
  if (grad && max) plan.inGrad = PoolOperand(operands[2]);
  plan.lanes = plan.in.block;
  plan.outerOut = plan.outerWindow = 1;
  for (const PoolAxis& a : plan.outer) {
    plan.outerOut *= a.out;
    plan.outerWindow *= a.kernel;
  }
  plan.threads = threads;
  return std::make_unique<PoolRunner>(std::move(plan), poolFunctions(in.type, kind_));
}

Work PoolKernel::work(const std::vector<Layout>& operands) const {
  const bool grad = isGrad(kind_), max = isMax(kind_);
  const std::uint64_t out = operands[grad ? (max ? 1 : 0) : 1].elements();
  std::uint64_t window = 1;
  for (const PoolAxis& a : axes_) window *= a.kernel;
  const char* vertex = !max   ? "popnn::SumPooling"
                       : grad ? "popnn::MaxPoolingGradient"
                              : "popnn::MaxPooling";
  return {vertex, operands[0].type, {out, window}, out * (window + isAverage(kind_))};
}

}  // namespace popir
