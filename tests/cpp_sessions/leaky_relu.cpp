// A program with an operator of its own, which trains a model with it.
#include <popart/builder.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/opmanager.hpp>
#include <popart/opserialiser.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/shapeinference.hpp>
#include <popart/stepio.hpp>
#include <popops/ElementWise.hpp>

#include <iostream>

using namespace popart;
namespace pe = popops::expr;

const OperatorIdentifier leaky = {"com.acme", "LeakyRelu", 1};
const OperatorIdentifier leakyGrad = {"com.acme", "LeakyReluGrad", 1};

class LeakyGrad : public Op {
 public:
  LeakyGrad(const Op& forward, float alpha) : Op(leakyGrad, forward.getSettings()), alpha_(alpha) {}
  void setup() final { outInfo(0) = inInfo(0); }
  std::unique_ptr<Op> clone() const final { return std::make_unique<LeakyGrad>(*this); }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  const std::vector<GradInOutMapper>& gradInputInfo() const final {
    static const std::vector<GradInOutMapper> info = {{0, 0, GradOpInType::GradOut},
                                                      {1, 0, GradOpInType::In}};
    return info;
  }
  const std::map<int, int>& gradOutToNonGradIn() const final {
    static const std::map<int, int> map = {{0, 0}};
    return map;
  }
  float alpha() const { return alpha_; }

 private:
  float alpha_;
};

class Leaky : public Op {
 public:
  Leaky(const OperatorIdentifier& opid, float alpha, const Op::Settings& settings)
      : Op(opid, settings), alpha_(alpha) {}
  void setup() final { outInfo(0) = inInfo(0); }
  std::unique_ptr<Op> clone() const final { return std::make_unique<Leaky>(*this); }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  std::vector<std::unique_ptr<Op>> getGradOps() final {
    std::vector<std::unique_ptr<Op>> ops;
    ops.emplace_back(new LeakyGrad(*this, alpha_));
    return ops;
  }
  void appendAttributes(OpSerialiserBase& os) const final {
    Op::appendAttributes(os);
    os.appendAttribute("alpha", alpha_);
  }
  float alpha() const { return alpha_; }

 private:
  float alpha_;
};

class LeakyOpx : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    const auto expr = pe::Select(pe::_1, pe::Mul(pe::_1, pe::Const(getOp<Leaky>().alpha())),
                                 pe::Gte(pe::_1, pe::Const(0.0f)));
    setOutTensor(0, popops::map(graph(), expr, {getInTensor(0)}, prog, debugContext("leaky")));
  }
};

class LeakyGradOpx : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    const auto expr = pe::Select(pe::_1, pe::Mul(pe::_1, pe::Const(getOp<LeakyGrad>().alpha())),
                                 pe::Gte(pe::_2, pe::Const(0.0f)));
    setOutTensor(0, popops::map(graph(), expr, {getInTensor(0), getInTensor(1)}, prog,
                                debugContext("leakyGrad")));
  }
};

static OpDefinition::DataTypes T = {DataType::FLOAT};
static OpCreator<Leaky> creator(
    OpDefinitions({{leaky,
                    {OpDefinition::Inputs({{"x", T}}), OpDefinition::Outputs({{"y", T}}),
                     OpDefinition::Attributes({{"alpha", {"*"}}})}}}),
    [](const OpCreatorInfo& info) {
      const float alpha = info.attributes.getAttribute<Attributes::Float>("alpha", 0.1f);
      return std::make_unique<Leaky>(info.opid, alpha, info.settings);
    },
    true);
static popx::OpxCreator<LeakyOpx> leakyOpx(leaky);
static popx::OpxCreator<LeakyGradOpx> leakyGradOpx(leakyGrad);

// leaky(x @ w), summed by l1loss, trained by plain SGD.
int main() {
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset9();
  const TensorInfo xInfo("FLOAT", std::vector<int64_t>{2, 3});
  std::vector<float> w = {0.5f, -1, 2, 1, -0.25f, 3};
  const TensorId x = builder->addInputTensor(xInfo, "x");
  const TensorId weight = builder->addInitializedInputTensor(
      ConstVoidData(w.data(), TensorInfo("FLOAT", std::vector<int64_t>{3, 2})), "w");
  const TensorId product = onnx.matmul({x, weight});
  const TensorId y = builder->customOp(leaky, 1, {product}, 1, {{"alpha", 0.25f}})[0];
  const TensorId loss = builder->aiGraphcoreOpset1().l1loss({y}, 0.5f, ReductionType::Sum);
  w.assign(6, 0);  // The model has a copy.

  auto device = DeviceManager::createDeviceManager().createCpuDevice();
  auto session = TrainingSession::createFromOnnxModel(
      builder->getModelProto(), DataFlow(2, {{loss, AnchorReturnType("All")}}), loss,
      ConstSGD(0.125f), device);
  session->prepareDevice();

  float input[12] = {1, 2, 3, -1, 0.5f, 2, 1, 2, 3, -1, 0.5f, 2};
  float losses[2];
  NDArrayWrapper<float> in(input, {2, 2, 3}), out(losses, {2});
  StepIO stepio({{x, in}}, {{loss, out}});
  session->weightsFromHost();
  for (int step = 0; step < 2; ++step) {
    session->run(stepio);
    std::cout << losses[0] << " " << losses[1] << "\n";
  }
  session->weightsToHost();
  WeightsIO weights;
  weights.insert(weight, {w.data(), TensorInfo("FLOAT", std::vector<int64_t>{3, 2})});
  session->readWeights(weights);
  for (const float each : w) std::cout << each << " ";
  std::cout << "\n";
}
