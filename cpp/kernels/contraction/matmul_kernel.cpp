#include "kernels/contraction/matmul_kernel.hpp"

#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "kernels/check.hpp"
#include "kernels/half.hpp"
#include "kernels/saved_kernel.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace {

const SavedKernel<MatMulKernel> kSavedMatMul("matmul");

constexpr std::int64_t kFewestRows = 128;
/// The multiply-adds up to which one thread computes some rows() faster by our own loops.
constexpr std::int64_t kMostOwn = 1 << 24;

using Strides = contraction::MatMulSpec::Strides;

std::int64_t spanOf(const Layout& l, const Strides& s) {
  return (l.shape[0] - 1) * s.group + (l.shape[1] - 1) * s.row + (l.shape[2] - 1) * s.column + 1;
}

/// Strides of [groups, rows, columns]. The stride of a dimension of size 1 is set as if the operand
/// were dense.
Strides stridesOf(const Layout& l) {
  Strides s = {l.strides[0], l.strides[1], l.strides[2]};
  if (l.shape[2] == 1) s.column = s.row == 1 && l.shape[1] > 1 ? l.shape[1] : 1;
  if (l.shape[1] == 1) s.row = s.column == 1 ? l.shape[2] : 1;
  if (l.shape[0] == 1) s.group = spanOf(l, {0, s.row, s.column});
  return s;
}

/// True if one of the two inner dimensions is contiguous and does not overlap the other.
bool denseInside(const Layout& l, const Strides& s) {
  return (s.column == 1 && s.row >= l.shape[2]) || (s.row == 1 && s.column >= l.shape[1]);
}

}  // namespace

bool operator<(const MatMulKernel::Problem& a, const MatMulKernel::Problem& b) {
  const auto key = [](const MatMulKernel::Problem& p) {
    return std::make_tuple(p.inType, p.outType, p.groups, p.m, p.n, p.k, p.alpha, p.accumulate);
  };
  if (key(a) != key(b)) return key(a) < key(b);
  return a.options < b.options;
}

bool operator<(const MachineOptions& a, const MachineOptions& b) { return a.state() < b.state(); }

bool MatMulKernel::accepts(std::size_t i, const Layout& layout) const {
  if (layout.channelBlock != Layout::kPlain) return false;
  const Strides s = stridesOf(layout);
  if (!denseInside(layout, s)) return false;
  if (i < 2 && s.group == 0) return true;
  return s.group >= spanOf(layout, {0, s.row, s.column});
}

std::unique_ptr<Runner> MatMulKernel::prepare(const std::vector<Layout>& operands,
                                              const Setting& setting) const {
  contraction::MatMulSpec spec;
  spec.inType = p_.inType;
  spec.outType = p_.outType;
  spec.groups = operands[2].shape[0];
  spec.m = operands[2].shape[1];
  spec.n = p_.n;
  spec.k = p_.k;
  spec.a = stridesOf(operands[0]);
  spec.b = stridesOf(operands[1]);
  spec.c = stridesOf(operands[2]);
  spec.alpha = p_.alpha;
  spec.accumulate = p_.accumulate;
  spec.rounding = setting.rounding;
  spec.policy = setting.policy;
  const bool isPart = spec.groups != p_.groups || spec.m != p_.m;
  const bool own = isPart && isFloatOrHalf(p_.inType) && isFloatOrHalf(p_.outType) &&
                   spec.m * spec.n * spec.k <= kMostOwn && isa() != Isa::Base;
  return contraction::make(spec, setting.threads,
                           own ? contraction::Source::Own : contraction::Source::Any);
}

void MachineOptions::check() const {
  require(availableMemoryProportion >= 0 && availableMemoryProportion <= 1,
          "the proportion of memory is not between 0 and 1");
}

void MatMulKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, 3);
  requireOperand(operands[0], Access::Read, p_.inType, {p_.groups, p_.m, p_.k});
  requireOperand(operands[1], Access::Read, p_.inType, {p_.groups, p_.k, p_.n});
  requireOperand(operands[2], p_.accumulate ? Access::ReadWrite : Access::Write, p_.outType,
                 {p_.groups, p_.m, p_.n});
  p_.options.check();
}

Rows MatMulKernel::rows(const std::vector<OperandInfo>&) const {
  if (p_.groups == 1) return {};
  return {2, {2, 1, 2}, kFewestRows};
}

Work MatMulKernel::work(const std::vector<Layout>&) const {
  const auto size = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  return contractionWork({p_.inType, size(p_.groups), size(p_.m), size(p_.k), size(p_.n)},
                         p_.options, size(p_.groups * p_.m * p_.n * p_.k));
}

std::uint64_t MatMulKernel::operations(const std::vector<Layout>&) const {
  return 2 * static_cast<std::uint64_t>(p_.groups * p_.m * p_.n * p_.k);
}

Work contractionWork(ContractionWork work, const MachineOptions& options,
                     std::uint64_t multiplications) {
  work.partialsBits = options.partialsType.sizeInBytes() * 8;
  work.availableMemoryPermille =
      static_cast<std::uint64_t>(std::llround(1000 * options.availableMemoryProportion));
  work.wideWeightLoads = options.wideWeightLoads;
  work.layer = options.layer;
  work.multiStageReduce = options.multiStageReduce;
  work.fastReduce = options.fastReduce;
  work.preArranged = options.preArranged;
  const char* const vertexClass =
      work.kernelElements == 1 ? "poplin::ConvPartial1x1Out" : "poplin::ConvPartialnx1";
  return {vertexClass, std::move(work), 2 * multiplications};
}

std::shared_ptr<const Kernel> MatMulKernel::accumulating(float factor) const {
  if (p_.inType != poplar::FLOAT || p_.outType != poplar::FLOAT || p_.alpha != 1.0f ||
      p_.accumulate)
    return nullptr;
  auto problem = p_;
  problem.alpha = factor;
  problem.accumulate = true;
  return std::make_shared<MatMulKernel>(problem);
}

}  // namespace popir
