// The steps of optimizers.
#include <popart/adam.hpp>
#include <popart/op/accumulate.hpp>
#include <popart/op/adamupdater.hpp>
#include <popart/op/adamvarupdate.hpp>
#include <popart/op/lamb.hpp>
#include <popart/op/scaledvarupdate.hpp>
#include <popart/op/sgd0varupdate.hpp>
#include <popart/op/sgd1varupdate.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>

#include "popart/op/copy_of.hpp"
#include "popart/op/optimizer_values.hpp"

namespace popart {

SGD0VarUpdateOp::~SGD0VarUpdateOp() = default;
SGD1VarUpdateOp::~SGD1VarUpdateOp() = default;
AdamVarUpdateOp::~AdamVarUpdateOp() = default;
AdamUpdaterOp::~AdamUpdaterOp() = default;
LambSquareOp::~LambSquareOp() = default;
ScaledVarUpdateOp::~ScaledVarUpdateOp() = default;
SparseAccumulateOp::~SparseAccumulateOp() = default;

std::unique_ptr<Op> SGD0VarUpdateOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SGD1VarUpdateOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> AdamVarUpdateOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> AdamUpdaterOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> LambSquareOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ScaledVarUpdateOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SparseAccumulateOp::clone() const { return copyOf(*this); }

SGD0VarUpdateOp::SGD0VarUpdateOp(const OptimizerValue& initialSlr0,
                                 const OptimizerValue& initialWdsf0, const Op::Settings& settings)
    : VarUpdateWithUpdaterOp(Onnx::CustomOperators::SGD0VarUpdate, settings),
      initSlr0(initialSlr0),
      initWdsf0(initialWdsf0) {}

std::map<InIndex, TensorId> SGD0VarUpdateOp::optimizerInputs() const {
  return connected(*this, {{"scaled learning rate", initSlr0, getSlr0InIndex()},
                           {"weight decay scale factor", initWdsf0, getWdsf0InIndex()}});
}

void SGD0VarUpdateOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  appendConstants(
      os, {{"scaled learning rate", initSlr0, 0}, {"weight decay scale factor", initWdsf0, 0}});
}

SGD1VarUpdateOp::SGD1VarUpdateOp(OptimizerValue initialSlr1, const Op::Settings& settings)
    : VarUpdateWithUpdaterOp(Onnx::CustomOperators::SGD1VarUpdate, settings),
      initSlr1(initialSlr1) {}

std::map<InIndex, TensorId> SGD1VarUpdateOp::optimizerInputs() const {
  return connected(*this, {{"scaled learning rate", initSlr1, getSlr1InIndex()}});
}

void SGD1VarUpdateOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  appendConstants(os, {{"scaled learning rate", initSlr1, 0}});
}

ScaledVarUpdateOp::ScaledVarUpdateOp(OptimizerValue lr, OptimizerValue wd, bool inUpdater,
                                     const Op::Settings& settings)
    : VarUpdateWithUpdaterOp(Onnx::CustomOperators::ScaledVarUpdate, settings),
      initLr(lr),
      initWd(wd),
      lrInUpdater(inUpdater) {}

std::map<InIndex, TensorId> ScaledVarUpdateOp::optimizerInputs() const {
  return connected(
      *this, {{"learning rate", initLr, getLrInIndex()}, {"weight decay", initWd, getWdInIndex()}});
}

void ScaledVarUpdateOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  appendConstants(os, {{"learning rate", initLr, 0}, {"weight decay", initWd, 0}});
  os.appendAttribute("learning rate in updater", static_cast<int>(lrInUpdater));
}

AdamVarUpdateOp::AdamVarUpdateOp(OptimizerValue lr, OptimizerValue mwn,
                                 const Op::Settings& settings)
    : VarUpdateWithUpdaterOp(Onnx::CustomOperators::AdamVarUpdate, settings),
      initLr(lr),
      initMwn(mwn) {}

std::map<InIndex, TensorId> AdamVarUpdateOp::optimizerInputs() const {
  return connected(*this, {{"learning rate", initLr, getLrInIndex()},
                           {"max weight norm", initMwn, getMwnInIndex()}});
}

void AdamVarUpdateOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  appendConstants(os, {{"learning rate", initLr, 0}, {"max weight norm", initMwn, 0}});
}

AdamUpdaterOp::AdamUpdaterOp(AdamMode mode, OptimizerValue wd, OptimizerValue b1, OptimizerValue b2,
                             OptimizerValue eps, const Op::Settings& settings)
    : Op(Onnx::CustomOperators::AdamUpdater, settings),
      mode(mode),
      initWd(wd),
      initB1(b1),
      initB2(b2),
      initEps(eps) {}

void AdamUpdaterOp::setup() {
  // The first moment may be kept in another type than that of the weight.
  const InIndex like = hasInput(getVarInIndex()) ? getVarInIndex() : getAccl1InIndex();
  outInfo(getUpdaterOutIndex()) = inInfo(like);
}

void AdamUpdaterOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("mode", static_cast<int>(mode));
  appendConstants(os, {{"weight decay", initWd, 0},
                       {"beta1", initB1, 0},
                       {"beta2", initB2, 0},
                       {"eps", initEps, 0}});
}

LambSquareOp::LambSquareOp(const Op::Settings& settings)
    : Op(Onnx::CustomOperators::LambSquare, settings) {}

void LambSquareOp::setup() { outInfo(getOutIndex()) = TensorInfo(DataType::FLOAT, {}); }

SparseAccumulateOp::SparseAccumulateOp(AccumulationType type, const OptimizerValue& factor,
                                       unsigned axis, const Op::Settings& settings)
    : AccumulateBaseOp(Onnx::CustomOperators::SparseAccumulate, type, factor, settings),
      axis_(axis) {
  if (!supportsAccumulationType(type))
    throw error(
        "SparseAccumulate: rows are not accumulated by {}; choose Add, DampenedAdd or "
        "DampenedAddSquare",
        type);
}

bool SparseAccumulateOp::supportsAccumulationType(AccumulationType type) {
  return type == AccumulationType::Add || type == AccumulationType::DampenedAdd ||
         type == AccumulationType::DampenedAddSquare;
}

void SparseAccumulateOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  AccumulateBaseOp::appendOutlineAttributes(os);
  os.appendAttribute("axis", axis_);
}

}  // namespace popart
