#include "kernels/contraction/bits_kernel.hpp"

#include "kernels/check.hpp"
#include "kernels/contraction/matmul_kernel.hpp"
#include "kernels/half.hpp"
#include "kernels/parallel.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<DequantizeBitsKernel> kSavedDequantizeBits("dequantize bits");

template <class T>
class DequantizeBits final : public Runner {
 public:
  DequantizeBits(const BitsMatrix& matrix, const Setting& setting)
      : m_(matrix), setting_(setting) {}

  void run(void* const* operands, void*) const override {
    const auto* numbers = static_cast<const std::uint8_t*>(operands[0]);
    auto* values = static_cast<T*>(operands[1]);
    const auto* scales = static_cast<const float*>(operands[2]);
    const auto* zeros = m_.hasZeros ? static_cast<const float*>(operands[3]) : nullptr;
    parallelFor(m_.n, setting_.threads, m_.n * m_.k, [&](std::int64_t row) {
      const auto* const from = numbers + row * m_.blocks() * m_.bytesOfBlock();
      const std::int64_t middle = std::int64_t{1} << (m_.bits - 1);
      for (std::int64_t i = 0; i < m_.k; ++i) {
        const std::int64_t at = i / m_.blockSize * m_.n + row;
        const auto number = static_cast<float>(m_.number(from, i) - middle);
        const float value = (zeros == nullptr ? number : number - zeros[at]) * scales[at];
        values[row * m_.k + i] = rounded<T>(value, setting_.rounding, row * m_.k + i);
      }
    });
  }

 private:
  BitsMatrix m_;
  Setting setting_;
};

}  // namespace

std::unique_ptr<Runner> DequantizeBitsKernel::prepare(const std::vector<Layout>&,
                                                      const Setting& setting) const {
  if (type_ == poplar::HALF) return std::make_unique<DequantizeBits<half>>(matrix_, setting);
  if (type_ == poplar::BFLOAT16)
    return std::make_unique<DequantizeBits<Bfloat16>>(matrix_, setting);
  return std::make_unique<DequantizeBits<float>>(matrix_, setting);
}

void DequantizeBitsKernel::check(const std::vector<OperandInfo>& operands) const {
  const auto& m = matrix_;
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  require(m.bits == 2 || m.bits == 4 || m.bits == 8, "the numbers have not 2, 4 or 8 bits");
  require(m.blockSize >= 16 && m.blockSize < kMost && m.blockSize % 16 == 0,
          "the size of a block is no multiple of 16");
  require(m.n >= 0 && m.n < kMost && m.k >= 0 && m.k < kMost, "the matrix is too large");
  requireOperands(operands, m.hasZeros ? 4 : 3);
  requireOperand(operands[0], Access::Read, poplar::UNSIGNED_CHAR,
                 {m.n, m.blocks(), m.bytesOfBlock()});
  require(isFloatOrHalf(type_), "the values are not of float, half or bfloat16");
  requireOperand(operands[1], Access::Write, type_, {m.n, m.k});
  for (std::size_t i = 2; i < operands.size(); ++i)
    requireOperand(operands[i], Access::Read, poplar::FLOAT, {m.blocks(), m.n});
}

Work DequantizeBitsKernel::work(const std::vector<Layout>&) const {
  const auto elements = static_cast<std::uint64_t>(matrix_.n * matrix_.k);
  ExpressionWork work{poplar::UNSIGNED_CHAR, elements, 1, 1, matrix_.hasZeros ? 2u : 1u};
  work.operators = {{Operator::CAST, 1}, {Operator::SUBTRACT, 1}, {Operator::MULTIPLY, 1}};
  if (matrix_.bits < 8) {
    work.operators.push_back({Operator::SHIFT_RIGHT, 1});
    work.operators.push_back({Operator::BITWISE_AND, 1});
  }
  return {"popops::MapExpr", work, 2 * elements};
}

std::shared_ptr<const Kernel> DequantizeBitsKernel::multiplied(const Kernel& product) const {
  const auto* matMul = dynamic_cast<const MatMulKernel*>(&product);
  if (matMul == nullptr) return nullptr;
  const auto& problem = std::get<0>(matMul->state());
  if (problem.inType != type_ || !isFloatOrHalf(problem.outType) || problem.groups != 1 ||
      problem.alpha != 1 || problem.accumulate || problem.m == 0 || matrix_.k == 0 ||
      matrix_.n < contraction::leastBitsColumns())
    return nullptr;
  return std::make_shared<BitsProductKernel>(matrix_, problem.m, problem.inType, problem.outType);
}

bool BitsProductKernel::accepts(std::size_t i, const Layout& layout) const {
  if (layout.channelBlock != Layout::kPlain) return false;
  if (i != 0 || isHalf(in_)) return layout.dense();
  return layout.shape[2] <= 1 || layout.strides[2] == 1;
}

std::unique_ptr<Runner> BitsProductKernel::prepare(const std::vector<Layout>& operands,
                                                   const Setting& setting) const {
  const std::int64_t aRow = isHalf(in_) ? matrix_.k : operands[0].strides[1];
  auto inner = contraction::makeBitsProduct(matrix_, m_, aRow, setting.threads);
  if (!isHalf(in_) && !isHalf(out_)) return inner;
  // Of these only A and C may be halves.
  return contraction::makeViaFloat(std::move(inner),
                                   {{in_, m_ * matrix_.k, true, false},
                                    {poplar::UNSIGNED_CHAR, 0, true, false},
                                    {out_, m_ * matrix_.n, false, true},
                                    {poplar::FLOAT, 0, true, false}},
                                   setting.threads, setting.rounding);
}

Work BitsProductKernel::work(const std::vector<Layout>&) const {
  const auto size = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  return contractionWork({in_, 1, size(m_), size(matrix_.k), size(matrix_.n)}, {},
                         size(m_ * matrix_.k * matrix_.n));
}

}  // namespace popir
