// The bulk vertex kernel of products of 8-bit integers minus zero points.
#ifndef popir_kernels_contraction_integer_product_kernel_hpp
#define popir_kernels_contraction_integer_product_kernel_hpp

#include <memory>
#include <tuple>

#include "kernels/contraction/integer_product.hpp"

namespace popir {

/// C = (A - zero points) (B - zero points), with sums of 32 bits that wrap. Operands and their
/// layouts: as of contraction::makeIntegerProduct(); zero points [1], or [groups, m] of A and
/// [groups, n] of B. Work: a contraction of SHORT, since no machine multiplies bytes. Only the engine's
/// fusion adds a tail, a requantization, so the cost model never sees it; C is of bytes or FLOAT then.
class IntegerProductKernel final : public Kernel {
 public:
  struct Problem {
    poplar::Type aType, bType;
    std::int64_t groups, m, n, k;
    ZeroPoints aZeros, bZeros;

    auto state() const { return std::tie(aType, bType, groups, m, n, k, aZeros, bZeros); }
  };

  explicit IntegerProductKernel(const Problem& problem) : p_(problem) {}
  const char* name() const override {
    return tail_ ? "integerProduct+requantize" : "integerProduct";
  }
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  void check(const std::vector<OperandInfo>& operands) const override;
  Work work(const std::vector<Layout>& operands) const override;

  std::shared_ptr<const Tail> tail() const override { return tail_ ? tail_ : tailOfSums(); }
  std::shared_ptr<const Kernel> withTail(const Tail& tail) const override;

  /// Constructor arguments in order, for saved executables, whose kernels have no tail.
  auto state() const { return std::tie(p_); }

 private:
  Problem p_;
  std::shared_ptr<const Tail> tail_;
};

}  // namespace popir

#endif
