// Operators as SDK 1 had them: registered by an identifier alone, or with a factory that does not
// know the inputs; kinds of gradients' inputs in capitals.
#include <popart/op.hpp>
#include <popart/opmanager.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <poplin/ConvUtil.hpp>
#include <popops/ElementWise.hpp>

using namespace popart;

namespace {

OperatorIdentifier named(const char* type) { return {"test", type, 1}; }

/// The gradient times the input times a factor.
class ScaledGrad : public Op {
 public:
  ScaledGrad(const Op& op, float factor_) : Op(named("ScaledGrad"), op.settings), factor(factor_) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<ScaledGrad>(*this); }
  void setup() final { outInfo(0) = inInfo(0); }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  const std::vector<GradInOutMapper>& gradInputInfo() const final {
    static const std::vector<GradInOutMapper> inputs = {
        {0, 0, GradOpInType::GRADOUT}, {1, 0, GradOpInType::IN}, {2, 0, GradOpInType::OUT}};
    return inputs;
  }
  const std::map<int, int>& gradOutToNonGradIn() const final {
    static const std::map<int, int> outputs = {{0, 0}};
    return outputs;
  }
  float factor;
};

/// Half of the factor times the square of the input.
class Scaled : public Op {
 public:
  Scaled(const OperatorIdentifier& opid, const Op::Settings& settings, float factor_ = 2.0f)
      : Op(opid, settings), factor(factor_) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<Scaled>(*this); }
  void setup() final { outInfo(0) = inInfo(0); }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  std::vector<std::unique_ptr<Op>> getGradOps() final {
    std::vector<std::unique_ptr<Op>> made;
    made.push_back(std::make_unique<ScaledGrad>(*this, factor));
    return made;
  }
  float factor;
};

class ScaledOpx : public popx::Opx {
 public:
  using popx::Opx::Opx;
  popx::InputCreatorType getInputCreatorType(InIndex) const final {
    return popx::InputCreatorType::DEADEND;
  }
  void grow(poplar::program::Sequence& prog) const final {
    const poplar::Tensor x = getInTensor(0);
    poplar::Tensor squared = popops::mul(graph(), x, x, prog, debugContext("square"));
    const float factor = dynamic_cast<Scaled&>(*op_p).factor / 2;
    setOutTensor(0, popops::mul(graph(), squared, factor, prog, debugContext("factor")));
  }
};

class ScaledGradOpx : public popx::Opx {
 public:
  using popx::Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    const poplar::Tensor x = getInTensor(1);
    const poplar::Tensor grad = poplin::regroupIfBeneficial(graph(), getInTensor(0), x, prog);
    const poplar::Tensor product = popops::mul(graph(), grad, x, prog, debugContext("product"));
    const float factor = dynamic_cast<ScaledGrad&>(*op_p).factor;
    setOutTensor(0, popops::mul(graph(), product, factor, prog, debugContext("factor")));
  }
};

OpCreator<Scaled> plain(named("Plain"));
OpCreator<Scaled> scaled(
    named("Scaled"),
    [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& attributes) {
      return std::unique_ptr<Op>(
          new Scaled(opid, settings, attributes.getAttribute<Attributes::Float>("factor")));
    },
    true);
OpCreator<Scaled> defined(
    OpDefinitions({{named("Defined"), {}}}),
    [](const OperatorIdentifier& opid, const Op::Settings& settings,
       const Attributes& attributes) -> std::unique_ptr<Op> {
      return std::make_unique<Scaled>(opid, settings,
                                      attributes.getAttribute<Attributes::Float>("factor", 3.0f));
    },
    true);
// In braces, one identifier and several.
OpCreator<Scaled> braced(
    {named("Braced")},
    [](const OperatorIdentifier& opid, const Op::Settings& settings,
       const Attributes& attributes) -> std::unique_ptr<Op> {
      return std::unique_ptr<Scaled>(
          new Scaled(opid, settings, attributes.getAttribute<Attributes::Float>("factor", 3.0f)));
    },
    true);
OpCreator<Scaled> both{{named("First"), named("Second")}};
const std::vector<OperatorIdentifier> listed = {named("Listed")};
OpCreator<Scaled> third(listed);
popx::OpxCreator<ScaledOpx> lowered({named("Plain"), named("Scaled"), named("Defined"),
                                     named("Braced"), named("First"), named("Second"),
                                     named("Listed")});
popx::OpxCreator<ScaledGradOpx> gradLowered(named("ScaledGrad"));

}  // namespace
