#include "kernels/contraction/integer_product_kernel.hpp"

#include <utility>

#include "kernels/check.hpp"
#include "kernels/contraction/matmul_kernel.hpp"
#include "kernels/contraction/meetings.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<IntegerProductKernel> kSavedIntegerProduct("integer product");

contraction::MatMulSpec::Strides matrixStrides(const Layout& l) {
  return {l.shape[0] == 1 ? 0 : l.strides[0], l.strides[1], l.strides[2]};
}

bool isByte(const poplar::Type& type) {
  return type == poplar::SIGNED_CHAR || type == poplar::UNSIGNED_CHAR;
}

}  // namespace

bool IntegerProductKernel::accepts(std::size_t i, const Layout& layout) const {
  return i < 2 ? layout.channelBlock == Layout::kPlain : layout.dense();
}

std::unique_ptr<Runner> IntegerProductKernel::prepare(const std::vector<Layout>& operands,
                                                      const Setting& setting) const {
  contraction::IntegerProductSpec spec{p_.aType,
                                       p_.bType,
                                       p_.groups,
                                       p_.m,
                                       p_.n,
                                       p_.k,
                                       matrixStrides(operands[0]),
                                       matrixStrides(operands[1]),
                                       p_.aZeros,
                                       p_.bZeros};
  if (tail_) spec.requantization = requantizationOf(*tail_, Tail::Extent::Column);
  return contraction::makeIntegerProduct(spec, setting.threads);
}

std::shared_ptr<const Kernel> IntegerProductKernel::withTail(const Tail& tail) const {
  if (!requantizationOf(tail, Tail::Extent::Column)) return nullptr;
  auto made = std::make_shared<IntegerProductKernel>(*this);
  made->tail_ = std::make_shared<Tail>(tail);
  return made;
}

void IntegerProductKernel::check(const std::vector<OperandInfo>& operands) const {
  require(isByte(p_.aType) && isByte(p_.bType), "an operand is not of bytes");
  std::size_t n = 3;
  requireOperands(operands, n + (p_.aZeros != ZeroPoints::None) + (p_.bZeros != ZeroPoints::None) +
                                (tail_ ? tail_->extents.size() - 1 : 0));
  requireOperand(operands[0], Access::Read, p_.aType, {p_.groups, p_.m, p_.k});
  requireOperand(operands[1], Access::Read, p_.bType, {p_.groups, p_.k, p_.n});
  if (tail_) requireTail(*tail_, Tail::Extent::Column, operands, 2, p_.n);
  requireOperand(operands[2], Access::Write, tail_ ? operands[2].type : poplar::INT,
                 {p_.groups, p_.m, p_.n});
  const auto requireZeros = [&](ZeroPoints kind, const poplar::Type& type, std::int64_t each) {
    if (kind == ZeroPoints::None) return;
    const std::vector<std::int64_t> all = {p_.groups, each};
    requireOperand(operands[n++], Access::Read, type,
                   kind == ZeroPoints::One ? std::vector<std::int64_t>{1} : all);
  };
  requireZeros(p_.aZeros, p_.aType, p_.m);
  requireZeros(p_.bZeros, p_.bType, p_.n);
}

Work IntegerProductKernel::work(const std::vector<Layout>&) const {
  std::uint64_t multiplications = 1;
  const auto size = [&](std::int64_t n) {
    multiplications = saturatingProduct(multiplications, static_cast<std::uint64_t>(n));
    return static_cast<std::uint64_t>(n);
  };
  ContractionWork work = {poplar::SHORT, size(p_.groups), size(p_.m), size(p_.k), size(p_.n)};
  return contractionWork(std::move(work), {}, multiplications);
}

}  // namespace popir
