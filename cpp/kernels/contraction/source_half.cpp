// Contractions with 16-bit float operands, possibly mixed with FLOAT. Operands are converted to
// float, sums are formed in float, and the result is rounded once.
#include <algorithm>

#include "kernels/contraction/bands.hpp"
#include "kernels/contraction/by_images.hpp"
#include "kernels/contraction/contraction.hpp"
#include "kernels/half.hpp"
#include "kernels/parallel.hpp"

namespace popir {
namespace contraction {
namespace {

/// The bytes of an operand that is converted.
std::size_t bytesOf(const Operand& operand) {
  return isHalf(operand.type)
             ? aligned(static_cast<std::size_t>(operand.elements()) * sizeof(float))
             : 0;
}

class ViaFloat final : public Contraction {
 public:
  ViaFloat(std::unique_ptr<Contraction> inner, std::vector<Operand> operands,
           const Setting& setting)
      : inner_(std::move(inner)), operands_(std::move(operands)), setting_(setting) {
    for (const auto& operand : operands_) operandBytes_ += bytesOf(operand);
  }

  std::string describe() const override { return inner_->describe() + " via float"; }
  std::size_t workBytes() const override { return operandBytes_ + inner_->scratchBytes(); }

  void runPacked(void* const* operands, const void*, void* work) const override {
    runBy(*inner_, operands, operands_.size(), nullptr, nullptr, work);
  }

  /// Weights that stay for many runs are converted once, and packed as the inner product wants. The
  /// form is the converted weights, if the inner product reads these, and what it has packed.
  std::optional<Prepacked> prepacked(std::size_t operands) const override {
    const auto& weights = operands_[kWeights];
    if (weights.written) return std::nullopt;
    auto inner = inner_->prepacked(operands);
    if (!inner && !isHalf(weights.type)) return std::nullopt;
    const bool readsBoth = inner && inner->readsBoth;
    // That of FLOAT weights is 0 bytes: they are read as they are.
    const std::size_t floats = !inner || readsBoth ? bytesOf(weights) : 0;
    const std::size_t bytes = floats + (inner ? inner->bytes : 0);
    return Prepacked{
        bytes, std::make_unique<Pack>(*this, inner ? std::move(inner->pack) : nullptr, floats),
        std::make_unique<RunPacked>(*this, inner ? std::move(inner->run) : nullptr, floats,
                                    operands),
        readsBoth && !isHalf(weights.type)};
  }

 private:
  static constexpr std::size_t kWeights = 1;

  /// Operands: the weights, the form, which begins with `floats` bytes of converted weights.
  class Pack final : public Runner {
   public:
    Pack(const ViaFloat& of, std::unique_ptr<Runner> inner, std::size_t floats)
        : of_(of), inner_(std::move(inner)), floats_(floats) {}
    void run(void* const* operands, void* scratch) const override {
      const auto& weights = of_.operands_[kWeights];
      void* floats = operands[0];
      if (isHalf(weights.type)) {
        floats = floats_ > 0 ? operands[1] : scratch;
        of_.convert<true>(weights, floats, operands[0]);
      }
      if (!inner_) return;
      void* const given[] = {floats, at(operands[1], floats_)};
      inner_->run(given, at(scratch, bytesOf(weights)));
    }
    std::size_t scratchBytes() const override {
      return inner_ ? bytesOf(of_.operands_[kWeights]) + inner_->scratchBytes() : 0;
    }

   private:
    const ViaFloat& of_;
    std::unique_ptr<Runner> inner_;
    std::size_t floats_;
  };

  /// Operands: those of the product, the form.
  class RunPacked final : public Runner {
   public:
    RunPacked(const ViaFloat& of, std::unique_ptr<Runner> inner, std::size_t floats,
              std::size_t operands)
        : of_(of), inner_(std::move(inner)), floats_(floats), form_(operands) {}
    void run(void* const* operands, void* scratch) const override {
      of_.runBy(inner_ ? *inner_ : *of_.inner_, operands, form_,
                floats_ > 0 ? operands[form_] : operands[kWeights], at(operands[form_], floats_),
                scratch);
    }
    std::size_t scratchBytes() const override {
      const Runner& inner = inner_ ? *inner_ : *of_.inner_;
      return of_.operandBytes_ + inner.scratchBytes();
    }

   private:
    const ViaFloat& of_;
    std::unique_ptr<Runner> inner_;
    std::size_t floats_, form_;
  };

  /// Runs `inner` on floats, with `count` operands. `weights`, if given, are the weights as floats, and
  /// `form` what is packed of them.
  void runBy(const Runner& inner, void* const* operands, std::size_t count, void* weights,
             void* form, void* work) const {
    const pool::OwnArray<void*> floats(count + 1);
    std::copy_n(operands, count, floats.begin());
    std::size_t offset = 0;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const auto& operand = operands_[i];
      if (!isHalf(operand.type) || (weights != nullptr && i == kWeights)) continue;
      floats[i] = at(work, offset);
      offset += bytesOf(operand);
      if (operand.read) convert<true>(operand, floats[i], operands[i]);
    }
    if (weights != nullptr) {
      floats[kWeights] = weights;
      floats[count] = form;
    }
    inner.run(floats.begin(), at(work, offset));
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (isHalf(operands_[i].type) && operands_[i].written)
        convert<false>(operands_[i], floats[i], operands[i]);
  }

  template <bool Widen>
  void convert(const Operand& operand, void* floats, void* halves) const {
    if (operand.type == poplar::HALF)
      convertOf<Widen>(operand, static_cast<float*>(floats), static_cast<half*>(halves));
    else
      convertOf<Widen>(operand, static_cast<float*>(floats), static_cast<Bfloat16*>(halves));
  }
  template <bool Widen, class T>
  void convertOf(const Operand& operand, float* floats, T* halves) const {
    constexpr std::int64_t kChunk = 16384;
    const std::int64_t run = operand.run;
    // Parts of long runs, or several short ones.
    const std::int64_t parts = std::max<std::int64_t>(1, (run + kChunk - 1) / kChunk);
    const std::int64_t atOnce = std::max<std::int64_t>(1, kChunk / std::max<std::int64_t>(run, 1));
    const std::int64_t runs = operand.groups * operand.runs;
    const std::int64_t tasks = (runs + atOnce - 1) / atOnce * parts;
    parallelFor(tasks, setting_.threads, operand.elements(), [&](std::int64_t task) {
      const std::int64_t begin = task % parts * kChunk, count = std::min(kChunk, run - begin);
      const std::int64_t first = task / parts * atOnce;
      for (std::int64_t r = first; r < std::min(first + atOnce, runs); ++r) {
        const std::int64_t at = r * run + begin;
        T* const from =
            halves + r / operand.runs * operand.groupStep + r % operand.runs * operand.step + begin;
        if (Widen)
          toFloats(from, floats + at, count);
        else
          fromFloats(floats + at, from, count, setting_.rounding, at);
      }
    });
  }

  std::unique_ptr<Contraction> inner_;
  std::vector<Operand> operands_;
  Setting setting_;
  std::size_t operandBytes_ = 0;
};

/// The operand [groups, rows, columns], and its strides as floats.
Operand operandOf(poplar::Type type, std::int64_t groups, std::int64_t rows, std::int64_t columns,
                  MatMulSpec::Strides& s, bool read, bool written) {
  if (!isHalf(type)) return {type, 0, read, written};
  const bool isTurned = s.column != 1;
  Operand operand{type, isTurned ? rows : columns, read, written};
  operand.runs = isTurned ? columns : rows;
  operand.step = isTurned ? s.column : s.row;
  operand.groups = s.group == 0 ? std::min<std::int64_t>(groups, 1) : groups;
  operand.groupStep = s.group;
  (isTurned ? s.column : s.row) = operand.run;
  if (s.group != 0) s.group = operand.runs * operand.run;
  // What has no gaps is one run.
  if (operand.step == operand.run || operand.runs == 1) {
    operand.run *= operand.runs;
    operand.runs = 1;
  }
  if (operand.runs == 1 && (operand.groupStep == operand.run || operand.groups == 1)) {
    operand.run *= operand.groups;
    operand.groups = 1;
  }
  return operand;
}

Operand operandOf(const Layout& layout, bool read, bool written) {
  return {layout.type, static_cast<std::int64_t>(layout.elements()), read, written};
}

std::int64_t elementsOf(const FurtherOperand& operand, const Layout& out) {
  switch (operand.extent) {
    case PostOp::Extent::Channel: return out.shape[1];
    case PostOp::Extent::Full: return static_cast<std::int64_t>(out.elements());
    default: return 1;
  }
}

/// The accuracy that a product needs if its operands are widened: factors of bfloat16 are one part
/// each, and two parts of HALF leave errors far below the rounding of a 16-bit result.
FpMath mathOf(const MatMulSpec& spec) {
  if (spec.inType == poplar::BFLOAT16) return FpMath::Medium;
  if (spec.inType == poplar::HALF && isHalf(spec.outType))
    return std::max(spec.policy.math, FpMath::High);
  return spec.policy.math;
}

}  // namespace

std::unique_ptr<Contraction> makeViaFloat(std::unique_ptr<Contraction> inner,
                                          std::vector<Operand> operands, unsigned threads,
                                          const Rounding& rounding) {
  return std::make_unique<ViaFloat>(std::move(inner), std::move(operands),
                                    Setting{threads, rounding});
}

std::unique_ptr<Contraction> makeViaFloat(const MatMulSpec& spec, unsigned threads, Source source) {
  if (!isFloatOrHalf(spec.inType) || !isFloatOrHalf(spec.outType)) return nullptr;
  MatMulSpec inner = spec;
  inner.inType = inner.outType = poplar::FLOAT;
  inner.policy.math = mathOf(spec);
  std::vector<Operand> operands = {
      operandOf(spec.inType, spec.groups, spec.m, spec.k, inner.a, true, false),
      operandOf(spec.inType, spec.groups, spec.k, spec.n, inner.b, true, false),
      operandOf(spec.outType, spec.groups, spec.m, spec.n, inner.c, spec.accumulate, true)};
  if (spec.bias) operands.push_back({spec.outType, spec.n, true, false});
  return makeViaFloat(make(inner, threads, source), std::move(operands), threads, spec.rounding);
}

ConvSpec inFloat(ConvSpec spec) {
  spec.in.type = spec.weights.type = spec.out.type = poplar::FLOAT;
  for (PostOp& op : spec.postOps) op.layout.type = poplar::FLOAT;
  return spec;
}

std::vector<FurtherOperand> furtherOf(const ConvSpec& spec) {
  std::vector<FurtherOperand> found;
  for (const PostOp& op : spec.postOps)
    if (op.operand != 0) found.push_back({op.operand, op.extent, op.layout});
  return found;
}

std::unique_ptr<Contraction> makeViaFloat(const ConvSpec& spec,
                                          const std::vector<FurtherOperand>& further,
                                          unsigned threads, const MakeConv& make) {
  for (const Layout* each : {&spec.in, &spec.weights, &spec.out})
    if (!isFloatOrHalf(each->type)) return nullptr;
  auto inner =
      makeInBands(spec, further, threads, [&](const ConvSpec& part) { return make(part, 1); });
  const bool areBands = inner != nullptr;
  // Stochastic rounding numbers the results of all images.
  if (!areBands && spec.policy.has(Choice::Images) && !spec.rounding.isStochastic())
    if (auto made = makeByImages(spec, further, threads, [&](const ConvSpec& part) {
          return makeViaFloat(part, further, 1, make);
        }))
      return made;
  if (!areBands) inner = make(inFloat(spec), threads);
  if (inner == nullptr) return nullptr;
  std::vector<Operand> operands;
  const Pass writes[] = {Pass::DataGradient, Pass::WeightsGradient, Pass::Forward};
  const Layout* layouts[] = {&spec.in, &spec.weights, &spec.out};
  for (int i = 0; i < 3; ++i)
    operands.push_back(operandOf(*layouts[i], spec.pass != writes[i], spec.pass == writes[i]));
  if (spec.bias) operands.push_back({spec.out.type, spec.out.shape[1], true, false});
  const Operand asGiven{poplar::FLOAT, 0, false, false};
  for (const FurtherOperand& each : further) {
    operands.resize(std::max(operands.size(), each.index + 1), asGiven);
    if (areBands && each.extent == PostOp::Extent::Full) continue;
    operands[each.index] = {each.layout.type, elementsOf(each, spec.out), true, false};
  }
  if (areBands) operands[0] = operands[2] = asGiven;
  return makeViaFloat(std::move(inner), std::move(operands), threads, spec.rounding);
}

}  // namespace contraction
}  // namespace popir
