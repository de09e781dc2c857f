#include "kernels/matmul_kernel.hpp"

#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "kernels/check.hpp"
#include "kernels/half.hpp"

namespace popir {
namespace {

using Strides = contraction::MatMulSpec::Strides;

std::int64_t spanOf(const Layout& l, const Strides& s) {
  return (l.shape[0] - 1) * s.group + (l.shape[1] - 1) * s.row + (l.shape[2] - 1) * s.column + 1;
}

/// Strides of [groups, rows, columns]; where a dimension has one element, as if it were dense.
Strides stridesOf(const Layout& l) {
  Strides s = {l.strides[0], l.strides[1], l.strides[2]};
  if (l.shape[2] == 1) s.column = s.row == 1 && l.shape[1] > 1 ? l.shape[1] : 1;
  if (l.shape[1] == 1) s.row = s.column == 1 ? l.shape[2] : 1;
  if (l.shape[0] == 1) s.group = spanOf(l, {0, s.row, s.column});
  return s;
}

/// One of the two inner dimensions is dense and the other one does not overlap it.
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

bool operator<(const MachineOptions& a, const MachineOptions& b) {
  return std::tie(a.partialsType, a.availableMemoryProportion, a.wideWeightLoads) <
         std::tie(b.partialsType, b.availableMemoryProportion, b.wideWeightLoads);
}

bool MatMulKernel::accepts(std::size_t i, const Layout& layout) const {
  if (layout.channelBlock != Layout::kPlain) return false;
  const Strides s = stridesOf(layout);
  if (!denseInside(layout, s)) return false;
  const bool gapless = spanOf(layout, s) == static_cast<std::int64_t>(layout.elements());
  if (i < 2) return s.group == 0 || s.group >= spanOf(layout, {0, s.row, s.column});
  // 16-bit floats are written as one run of elements.
  if (isHalf(p_.outType) || isHalf(p_.inType)) return gapless;
  return s.group >= spanOf(layout, {0, s.row, s.column});
}

std::unique_ptr<Runner> MatMulKernel::prepare(const std::vector<Layout>& operands,
                                              const Setting& setting) const {
  contraction::MatMulSpec spec;
  spec.inType = p_.inType;
  spec.outType = p_.outType;
  spec.groups = p_.groups;
  spec.m = p_.m;
  spec.n = p_.n;
  spec.k = p_.k;
  spec.a = stridesOf(operands[0]);
  spec.b = stridesOf(operands[1]);
  spec.c = stridesOf(operands[2]);
  spec.alpha = p_.alpha;
  spec.accumulate = p_.accumulate;
  spec.rounding = setting.rounding;
  return contraction::make(spec, setting.threads);
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

Work MatMulKernel::work(const std::vector<Layout>&) const {
  return contractionWork(p_.inType, {p_.groups, p_.m, p_.k, p_.n, 1}, p_.options,
                         static_cast<std::uint64_t>(p_.groups * p_.m * p_.n * p_.k));
}

Work contractionWork(poplar::Type type, const ContractionSizes& s, const MachineOptions& options,
                     std::uint64_t multiplications) {
  const std::int64_t sizes[] = {
      s.groups,
      s.points,
      s.inChannels,
      s.outChannels,
      s.taps,
      static_cast<std::int64_t>(options.partialsType.sizeInBytes() * 8),
      std::llround(1000 * options.availableMemoryProportion),
      options.wideWeightLoads,
  };
  Work work;
  work.vertexClass = s.inChannels == 1 && s.groups > 1 ? "poplin::ConvPartialVerticalMac"
                     : s.taps == 1                     ? "poplin::ConvPartial1x1Out"
                                                       : "poplin::ConvPartialnx1";
  work.type = type;
  work.sizes.assign(std::begin(sizes), std::end(sizes));
  work.flops = 2 * multiplications;
  return work;
}

}  // namespace popir
