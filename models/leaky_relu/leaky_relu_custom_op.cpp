// LeakyRelu as an operator library: f(x) = x where x >= 0, alpha * x where x < 0.
//
// Four classes: what the operator means (LeakyReluOp) and how it becomes a device program
// (LeakyReluOpx), and the same two of its gradient. The creators at the end make them known when
// the library is loaded. Build, with popir's names set up by `source enable.sh`:
//
//   g++ -std=c++14 -fPIC -O3 -DONNX_NAMESPACE=onnx leaky_relu_custom_op.cpp -shared
//       -lpopart -lpoplar -lpoplin -lpopnn -lpopops -lpoputil -lpoprand -o
//       libleaky_relu_custom_op.so
#include <popart/opmanager.hpp>
#include <popart/opserialiser.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popops/ElementWise.hpp>

#include <map>
#include <memory>
#include <vector>

namespace pe = popops::expr;

namespace leaky_relu {

const popart::OperatorIdentifier LeakyRelu_1 = {"ai.onnx", "LeakyRelu", 1};
const popart::OperatorIdentifier LeakyRelu_6 = {"ai.onnx", "LeakyRelu", 6};
const popart::OperatorIdentifier LeakyReluGrad_1 = {"ai.onnx", "LeakyReluGrad", 1};
const popart::OperatorIdentifier LeakyReluGrad_6 = {"ai.onnx", "LeakyReluGrad", 6};

/// What the operator and its gradient have in common: one attribute, and an output like input 0.
class AlphaOp : public popart::Op {
 public:
  AlphaOp(const popart::OperatorIdentifier& opid, float alpha, const popart::Op::Settings& settings)
      : popart::Op(opid, settings), alpha_(alpha) {}

  void setup() final { outInfo(0) = inInfo(0); }

  void appendAttributes(popart::OpSerialiserBase& os) const override {
    popart::Op::appendAttributes(os);
    os.appendAttribute("alpha", alpha_);
  }
  void appendOutlineAttributes(popart::OpSerialiserBase& os) const override {
    popart::Op::appendOutlineAttributes(os);
    os.appendAttribute("alpha", alpha_);
  }
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  bool requiresRandomSeed() const override { return false; }

  float getAlpha() const { return alpha_; }

 private:
  float alpha_;
};

/// Inputs: the gradient of LeakyRelu's output, and LeakyRelu's input.
class LeakyReluGradOp : public AlphaOp {
 public:
  explicit LeakyReluGradOp(const AlphaOp& forward)
      : AlphaOp(forward.opid.version < 6 ? LeakyReluGrad_1 : LeakyReluGrad_6, forward.getAlpha(),
                forward.getSettings()) {}

  std::unique_ptr<popart::Op> clone() const final {
    return std::make_unique<LeakyReluGradOp>(*this);
  }
  const std::vector<popart::GradInOutMapper>& gradInputInfo() const override {
    static const std::vector<popart::GradInOutMapper> inputs = {
        {0, 0, popart::GradOpInType::GradOut}, {1, 0, popart::GradOpInType::In}};
    return inputs;
  }
  const std::map<int, int>& gradOutToNonGradIn() const override {
    static const std::map<int, int> outputs = {{0, 0}};
    return outputs;
  }
};

class LeakyReluOp : public AlphaOp {
 public:
  using AlphaOp::AlphaOp;

  std::unique_ptr<popart::Op> clone() const final { return std::make_unique<LeakyReluOp>(*this); }
  std::vector<std::unique_ptr<popart::Op>> getGradOps() override {
    std::vector<std::unique_ptr<popart::Op>> gradients;
    gradients.push_back(std::make_unique<LeakyReluGradOp>(*this));
    return gradients;
  }
};

class LeakyReluOpx : public popart::popx::Opx {
 public:
  LeakyReluOpx(popart::Op* op, popart::popx::Devicex* devicex) : popart::popx::Opx(op, devicex) {
    verifyOp<LeakyReluOp>(op, {LeakyRelu_1, LeakyRelu_6});
  }

  void grow(poplar::program::Sequence& prog) const final {
    const float alpha = getOp<LeakyReluOp>().getAlpha();
    const poplar::Tensor x = getInTensor(0);
    const auto expression =
        pe::Select(pe::Mul(pe::Const(alpha), pe::_1), pe::_1, pe::Lt(pe::_1, pe::Const(0.0f)));
    popops::mapInPlace(graph(), expression, {x}, prog, debugContext("LeakyRelu"));
    setOutTensor(0, x);
  }
};

class LeakyReluGradOpx : public popart::popx::Opx {
 public:
  LeakyReluGradOpx(popart::Op* op, popart::popx::Devicex* devicex)
      : popart::popx::Opx(op, devicex) {
    verifyOp<LeakyReluGradOp>(op, {LeakyReluGrad_1, LeakyReluGrad_6});
  }

  void grow(poplar::program::Sequence& prog) const final {
    const float alpha = getOp<LeakyReluGradOp>().getAlpha();
    const poplar::Tensor gradient = getInTensor(0);
    const poplar::Tensor x = getInTensor(1);
    const auto expression = pe::Mul(
        pe::Select(pe::Const(alpha), pe::Const(1.0f), pe::Lt(pe::_2, pe::Const(0.0f))), pe::_1);
    setOutTensor(
        0, popops::map(graph(), expression, {gradient, x}, prog, debugContext("LeakyReluGrad")));
  }
};

popart::OpDefinition::DataTypes T = {popart::DataType::FLOAT16, popart::DataType::FLOAT};

popart::OpDefinition definition({popart::OpDefinition::Inputs({{"input", T}}),
                                 popart::OpDefinition::Outputs({{"output", T}}),
                                 popart::OpDefinition::Attributes({{"alpha", {"*"}}})});

popart::OpCreator<LeakyReluOp> opCreator(
    popart::OpDefinitions({{LeakyRelu_1, definition}, {LeakyRelu_6, definition}}),
    [](const popart::OpCreatorInfo& info) {
      const float alpha = info.attributes.getAttribute<popart::Attributes::Float>("alpha", 1e-2f);
      return std::make_unique<LeakyReluOp>(info.opid, alpha, info.settings);
    },
    true);

popart::popx::OpxCreator<LeakyReluOpx> opxCreator({LeakyRelu_1, LeakyRelu_6});
popart::popx::OpxCreator<LeakyReluGradOpx> gradOpxCreator({LeakyReluGrad_1, LeakyReluGrad_6});

}  // namespace leaky_relu
