#include <popir/IntegerProduct.hpp>
#include <poplin/MatMul.hpp>
#include <poputil/exceptions.hpp>

#include "kernels/contraction/integer_product_kernel.hpp"
#include "poplar/bulk_vertex.hpp"
#include "poplin/contraction_options.hpp"

namespace popir {
namespace {

using poplar::Tensor;

[[noreturn]] void refuseProduct(const Tensor& a, const Tensor& b, const std::string& why) {
  throw poputil::poplibs_error("popir::integerProduct: A is " + a.elementType().toString() + " " +
                               shapeText(a.shape()) + ", B " + b.elementType().toString() + " " +
                               shapeText(b.shape()) + "; " + why);
}

void checkOperands(const Tensor& a, const Tensor& b) {
  for (const auto& t : {a, b})
    if (t.elementType() != poplar::SIGNED_CHAR && t.elementType() != poplar::UNSIGNED_CHAR)
      refuseProduct(a, b, "expected signed char or unsigned char");
  if (a.rank() != 3 || b.rank() != 3) refuseProduct(a, b, "expected 3 dimensions in each");
  if (a.dim(0) != b.dim(0)) refuseProduct(a, b, "expected as many groups in both");
  if (a.dim(2) != b.dim(1)) refuseProduct(a, b, "expected as many columns in A as rows in B");
}

/// The kind of zero points, which are `each` a group if they are not one.
ZeroPoints kindOf(const std::optional<Tensor>& zeros, const Tensor& of, std::size_t each,
                  const char* what) {
  if (!zeros) return ZeroPoints::None;
  const std::vector<std::size_t> all = {of.dim(0), each};
  if (zeros->elementType() != of.elementType() ||
      (zeros->shape() != std::vector<std::size_t>{1} && zeros->shape() != all))
    throw poputil::poplibs_error("popir::integerProduct: the zero points of " + std::string(what) +
                                 " are " + zeros->elementType().toString() + " " +
                                 shapeText(zeros->shape()) + "; expected " +
                                 of.elementType().toString() + " [1] or " + shapeText(all));
  return zeros->rank() == 1 ? ZeroPoints::One : ZeroPoints::Each;
}

}  // namespace

Tensor integerProduct(poplar::Graph& graph, const Tensor& A, const Tensor& B,
                      const std::optional<Tensor>& aZeros, const std::optional<Tensor>& bZeros,
                      poplar::program::Sequence& prog, const poplar::DebugContext& debugContext) {
  checkOperands(A, B);
  const auto size = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  const IntegerProductKernel::Problem problem = {A.elementType(),
                                                 B.elementType(),
                                                 size(A.dim(0)),
                                                 size(A.dim(1)),
                                                 size(B.dim(2)),
                                                 size(A.dim(2)),
                                                 kindOf(aZeros, A, A.dim(1), "A"),
                                                 kindOf(bZeros, B, B.dim(2), "B")};
  const auto out = poplin::createMatMulGroupedOutput(graph, poplar::SHORT, poplar::INT, A.shape(),
                                                     B.shape(), debugContext);
  std::vector<BulkOperand> operands = {{A, Access::Read}, {B, Access::Read}, {out, Access::Write}};
  for (const auto& zeros : {aZeros, bZeros})
    if (zeros) operands.push_back({*zeros, Access::Read});
  addBulkVertex(graph, prog, std::make_shared<IntegerProductKernel>(problem), std::move(operands),
                debugContext);
  return out;
}

}  // namespace popir
