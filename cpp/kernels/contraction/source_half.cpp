// Contractions with 16-bit float operands, possibly mixed with FLOAT. Operands are converted to
// float, sums are formed in float, and the result is rounded once.
#include <algorithm>

#include "kernels/contraction/contraction.hpp"
#include "kernels/half.hpp"

namespace popir {
namespace contraction {
namespace {

/// An operand whose elements fill a contiguous range of memory, in any order.
struct Operand {
  poplar::Type type;
  std::size_t elements;
  bool read, written;

  std::size_t bytes() const { return isHalf(type) ? aligned(elements * sizeof(float)) : 0; }
};

class ViaFloat final : public Contraction {
 public:
  ViaFloat(std::unique_ptr<Contraction> inner, std::vector<Operand> operands,
           const Setting& setting)
      : inner_(std::move(inner)), operands_(std::move(operands)), setting_(setting) {
    for (const auto& operand : operands_) operandBytes_ += operand.bytes();
  }

  std::string describe() const override { return inner_->describe() + " via float"; }
  std::size_t workBytes() const override { return operandBytes_ + inner_->scratchBytes(); }

  void runPacked(void* const* operands, const void*, void* work) const override {
    std::vector<void*> floats(operands, operands + operands_.size());
    std::size_t offset = 0;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const auto& operand = operands_[i];
      if (!isHalf(operand.type)) continue;
      floats[i] = at(work, offset);
      offset += operand.bytes();
      if (operand.read) convert<true>(operand, floats[i], operands[i]);
    }
    inner_->run(floats.data(), at(work, offset));
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (isHalf(operands_[i].type) && operands_[i].written)
        convert<false>(operands_[i], floats[i], operands[i]);
  }

 private:
  template <bool Widen>
  void convert(const Operand& operand, void* floats, void* halves) const {
    if (operand.type == poplar::HALF)
      convertOf<Widen>(static_cast<float*>(floats), static_cast<half*>(halves), operand.elements);
    else
      convertOf<Widen>(static_cast<float*>(floats), static_cast<Bfloat16*>(halves),
                       operand.elements);
  }
  template <bool Widen, class T>
  void convertOf(float* floats, T* halves, std::size_t n) const {
    constexpr std::int64_t kChunk = 16384;
    const auto elements = static_cast<std::int64_t>(n);
    const std::int64_t chunks = (elements + kChunk - 1) / kChunk;
#pragma omp parallel for num_threads(setting_.threads) if (setting_.threads > 1 && chunks > 1)
    for (std::int64_t c = 0; c < chunks; ++c) {
      const std::int64_t first = c * kChunk, count = std::min(kChunk, elements - first);
      if (Widen)
        toFloats(halves + first, floats + first, count);
      else
        fromFloats(floats + first, halves + first, count, setting_.rounding, first);
    }
  }

  std::unique_ptr<Contraction> inner_;
  std::vector<Operand> operands_;
  Setting setting_;
  std::size_t operandBytes_ = 0;
};

/// Number of elements from the first to the last one of an operand, over all groups.
std::size_t spanOf(std::int64_t groups, std::int64_t rows, std::int64_t columns,
                   const MatMulSpec::Strides& s) {
  if (groups == 0 || rows == 0 || columns == 0) return 0;
  return static_cast<std::size_t>((groups - 1) * s.group + (rows - 1) * s.row +
                                  (columns - 1) * s.column + 1);
}

std::size_t spanOf(const Layout& layout) { return layout.elements(); }

}  // namespace

std::unique_ptr<Contraction> makeViaFloat(const MatMulSpec& spec, unsigned threads, Source source) {
  if (!isFloatOrHalf(spec.inType) || !isFloatOrHalf(spec.outType)) return nullptr;
  MatMulSpec inner = spec;
  inner.inType = inner.outType = poplar::FLOAT;
  std::vector<Operand> operands = {
      {spec.inType, spanOf(spec.groups, spec.m, spec.k, spec.a), true, false},
      {spec.inType, spanOf(spec.groups, spec.k, spec.n, spec.b), true, false},
      {spec.outType, spanOf(spec.groups, spec.m, spec.n, spec.c), spec.accumulate, true}};
  if (spec.bias) operands.push_back({spec.outType, static_cast<std::size_t>(spec.n), true, false});
  return std::make_unique<ViaFloat>(make(inner, threads, source), std::move(operands),
                                    Setting{threads, spec.rounding});
}

std::unique_ptr<Contraction> makeViaFloat(const ConvSpec& spec, unsigned threads, Source source) {
  if (!isFloatOrHalf(spec.in.type) || !isFloatOrHalf(spec.weights.type) ||
      !isFloatOrHalf(spec.out.type))
    return nullptr;
  ConvSpec inner = spec;
  inner.in.type = inner.weights.type = inner.out.type = poplar::FLOAT;
  std::vector<Operand> operands;
  const Pass writes[] = {Pass::DataGradient, Pass::WeightsGradient, Pass::Forward};
  const Layout* layouts[] = {&spec.in, &spec.weights, &spec.out};
  for (int i = 0; i < 3; ++i)
    operands.push_back(
        {layouts[i]->type, spanOf(*layouts[i]), spec.pass != writes[i], spec.pass == writes[i]});
  if (spec.bias)
    operands.push_back({spec.out.type, static_cast<std::size_t>(spec.out.shape[1]), true, false});
  return std::make_unique<ViaFloat>(make(inner, threads, source), std::move(operands),
                                    Setting{threads, spec.rounding});
}

}  // namespace contraction
}  // namespace popir
