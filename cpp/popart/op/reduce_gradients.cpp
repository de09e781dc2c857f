// Gradients of reductions.
#include <popart/graphcoreoperators.hpp>
#include <popart/op/reducel1.hpp>
#include <popart/op/reducel2.hpp>
#include <popart/op/reducelogsum.hpp>
#include <popart/op/reducelogsumexp.hpp>
#include <popart/op/reducemax.hpp>
#include <popart/op/reducemean.hpp>
#include <popart/op/reducemin.hpp>
#include <popart/op/reduceprod.hpp>
#include <popart/op/reducesum.hpp>
#include <popart/op/reducesumsquare.hpp>

#include "popart/op/copy_of.hpp"

namespace popart {
namespace {

template <class GRAD, class OP>
std::vector<std::unique_ptr<Op>> gradientOf(const OP& op) {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new GRAD(op, op.backwardShape()));
  return made;
}

using Mappers = std::vector<GradInOutMapper>;

const GradInOutMapper ofReduced{ReduceGradOp::getInIndex(), ReduceOp::getOutIndex(),
                                GradOpInType::GradOut};

/// The gradient of the result and, as the inputs after it, what was reduced or the result.
Mappers reading(bool in, bool out) {
  Mappers mappers{ofReduced};
  if (in) mappers.emplace_back(1, ReduceOp::getInIndex(), GradOpInType::In);
  if (out)
    mappers.emplace_back(static_cast<InIndex>(mappers.size()), ReduceOp::getOutIndex(),
                         GradOpInType::Out);
  return mappers;
}

}  // namespace

ReduceSumGradOp::ReduceSumGradOp(const ReduceSumOp& fwdOp, const Shape& backwardShape)
    : ReduceGradOp(Onnx::GradOperators::ReduceSumGrad, fwdOp, backwardShape) {}
ReduceSumGradOp::~ReduceSumGradOp() = default;
std::unique_ptr<Op> ReduceSumGradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> ReduceSumOp::getGradOps() {
  return gradientOf<ReduceSumGradOp>(*this);
}

ReduceMeanGradOp::ReduceMeanGradOp(const ReduceMeanOp& fwdOp, const Shape& backwardShape)
    : ReduceGradOp(Onnx::GradOperators::ReduceMeanGrad, fwdOp, backwardShape) {}
ReduceMeanGradOp::~ReduceMeanGradOp() = default;
std::unique_ptr<Op> ReduceMeanGradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> ReduceMeanOp::getGradOps() {
  return gradientOf<ReduceMeanGradOp>(*this);
}

ReduceMaxGradOp::ReduceMaxGradOp(const ReduceMaxOp& fwdOp, const Shape& backwardShape)
    : ReduceGradOp(Onnx::GradOperators::ReduceMaxGrad, fwdOp, backwardShape) {}
ReduceMaxGradOp::~ReduceMaxGradOp() = default;
std::unique_ptr<Op> ReduceMaxGradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> ReduceMaxOp::getGradOps() {
  return gradientOf<ReduceMaxGradOp>(*this);
}
const Mappers& ReduceMaxGradOp::gradInputInfo() const {
  static const Mappers inputs = reading(true, true);
  return inputs;
}

ReduceMinGradOp::ReduceMinGradOp(const ReduceMinOp& fwdOp, const Shape& backwardShape)
    : ReduceGradOp(Onnx::GradOperators::ReduceMinGrad, fwdOp, backwardShape) {}
ReduceMinGradOp::~ReduceMinGradOp() = default;
std::unique_ptr<Op> ReduceMinGradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> ReduceMinOp::getGradOps() {
  return gradientOf<ReduceMinGradOp>(*this);
}
const Mappers& ReduceMinGradOp::gradInputInfo() const {
  static const Mappers inputs = reading(true, true);
  return inputs;
}

ReduceProdGradOp::ReduceProdGradOp(const ReduceProdOp& fwdOp, const Shape& backwardShape)
    : ReduceGradOp(Onnx::GradOperators::ReduceProdGrad, fwdOp, backwardShape) {}
ReduceProdGradOp::~ReduceProdGradOp() = default;
std::unique_ptr<Op> ReduceProdGradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> ReduceProdOp::getGradOps() {
  return gradientOf<ReduceProdGradOp>(*this);
}
const Mappers& ReduceProdGradOp::gradInputInfo() const {
  static const Mappers inputs = reading(true, false);
  return inputs;
}

ReduceSumSquareGradOp::ReduceSumSquareGradOp(const ReduceSumSquareOp& fwdOp,
                                             const Shape& backwardShape)
    : ReduceGradOp(Onnx::GradOperators::ReduceSumSquareGrad, fwdOp, backwardShape) {}
ReduceSumSquareGradOp::~ReduceSumSquareGradOp() = default;
std::unique_ptr<Op> ReduceSumSquareGradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> ReduceSumSquareOp::getGradOps() {
  return gradientOf<ReduceSumSquareGradOp>(*this);
}
const Mappers& ReduceSumSquareGradOp::gradInputInfo() const {
  static const Mappers inputs = reading(true, false);
  return inputs;
}

ReduceL1GradOp::ReduceL1GradOp(const ReduceL1Op& fwdOp, const Shape& backwardShape)
    : ReduceGradOp(Onnx::GradOperators::ReduceL1Grad, fwdOp, backwardShape) {}
ReduceL1GradOp::~ReduceL1GradOp() = default;
std::unique_ptr<Op> ReduceL1GradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> ReduceL1Op::getGradOps() {
  return gradientOf<ReduceL1GradOp>(*this);
}
const Mappers& ReduceL1GradOp::gradInputInfo() const {
  static const Mappers inputs = reading(true, false);
  return inputs;
}

ReduceL2GradOp::ReduceL2GradOp(const ReduceL2Op& fwdOp, const Shape& backwardShape)
    : ReduceGradOp(Onnx::GradOperators::ReduceL2Grad, fwdOp, backwardShape) {}
ReduceL2GradOp::~ReduceL2GradOp() = default;
std::unique_ptr<Op> ReduceL2GradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> ReduceL2Op::getGradOps() {
  return gradientOf<ReduceL2GradOp>(*this);
}
const Mappers& ReduceL2GradOp::gradInputInfo() const {
  static const Mappers inputs = reading(true, true);
  return inputs;
}

ReduceLogSumGradOp::ReduceLogSumGradOp(const ReduceLogSumOp& fwdOp, const Shape& backwardShape)
    : ReduceGradOp(Onnx::GradOperators::ReduceLogSumGrad, fwdOp, backwardShape) {}
ReduceLogSumGradOp::~ReduceLogSumGradOp() = default;
std::unique_ptr<Op> ReduceLogSumGradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> ReduceLogSumOp::getGradOps() {
  return gradientOf<ReduceLogSumGradOp>(*this);
}
const Mappers& ReduceLogSumGradOp::gradInputInfo() const {
  static const Mappers inputs = reading(false, true);
  return inputs;
}

ReduceLogSumExpGradOp::ReduceLogSumExpGradOp(const ReduceLogSumExpOp& fwdOp,
                                             const Shape& backwardShape)
    : ReduceGradOp(Onnx::GradOperators::ReduceLogSumExpGrad, fwdOp, backwardShape) {}
ReduceLogSumExpGradOp::~ReduceLogSumExpGradOp() = default;
std::unique_ptr<Op> ReduceLogSumExpGradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> ReduceLogSumExpOp::getGradOps() {
  return gradientOf<ReduceLogSumExpGradOp>(*this);
}
const Mappers& ReduceLogSumExpGradOp::gradInputInfo() const {
  static const Mappers inputs = reading(true, true);
  return inputs;
}

}  // namespace popart
