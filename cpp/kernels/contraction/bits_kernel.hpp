// The bulk vertex kernels of matrices of few bits.
#ifndef popir_kernels_contraction_bits_kernel_hpp
#define popir_kernels_contraction_bits_kernel_hpp

#include <tuple>

#include "kernels/contraction/bits_product.hpp"

namespace popir {

/// The values of a BitsMatrix in a type FLOAT, HALF or BFLOAT16. Operands: its numbers [n, blocks,
/// bytes], the values [n, k], scales and, if there are any, zero points, FLOAT [blocks, n]. Work:
/// one codelet of shifts, masks, casts, differences and products.
class DequantizeBitsKernel final : public Kernel {
 public:
  DequantizeBitsKernel(const BitsMatrix& matrix, const poplar::Type& type)
      : matrix_(matrix), type_(type) {}
  const char* name() const override { return "dequantizeBits"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  Work work(const std::vector<Layout>& operands) const override;
  bool mayBeMultiplied() const override { return true; }
  std::shared_ptr<const Kernel> multiplied(const Kernel& product) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(matrix_, type_); }

 private:
  BitsMatrix matrix_;
  poplar::Type type_;
};

/// The product of `m` rows [1, m, k], of FLOAT, HALF or BFLOAT16, with a BitsMatrix, transposed:
/// what DequantizeBitsKernel makes of a product (multiplied()). Operands: the rows, the numbers,
/// the result [1, m, n], scales [1, blocks, n], or scales and zero points [2, blocks, n].
class BitsProductKernel final : public Kernel {
 public:
  /// `in` and `out` are the types of the rows and of the result.
  BitsProductKernel(const BitsMatrix& matrix, std::int64_t m, const poplar::Type& in,
                    const poplar::Type& out)
      : matrix_(matrix), m_(m), in_(in), out_(out) {}
  const char* name() const override { return "bitsProduct"; }
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf ? Rounds::AsAsked : Rounds::Nothing;
  }
  Work work(const std::vector<Layout>& operands) const override;

 private:
  BitsMatrix matrix_;
  std::int64_t m_;
  poplar::Type in_, out_;
};

}  // namespace popir

#endif
