// What PopART's classes tell of scopes, shapes, tensors, constraints, recomputation and devices.
#include <popart/builder.hpp>
#include <popart/dataflow.hpp>
#include <popart/devicemanager.hpp>
#include <popart/error.hpp>
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/op/add.hpp>
#include <popart/op/loop.hpp>
#include <popart/operators.hpp>
#include <popart/popx/devicexmanager.hpp>
#include <popart/popx/executablex.hpp>
#include <popart/recompute.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>
#include <popart/tensor.hpp>
#include <popart/tensorinfo.hpp>
#include <popart/topocons.hpp>
#include <popart/util.hpp>
#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>

#include <iostream>
#include <numeric>

#include "errors.hpp"

using namespace popart;

namespace {

class Plain : public Op {
 public:
  Plain(const Op::Settings& settings, bool isNorm = false)
      : Op(OperatorIdentifier("com.acme", "Plain", 1), settings), isNorm_(isNorm) {}
  std::unique_ptr<Op> clone() const override { return std::make_unique<Plain>(*this); }
  void setup() override { outInfo(0) = inInfo(0); }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool isNorm() const override { return isNorm_; }

 private:
  bool isNorm_;
};

void scopes() {
  const Scope root, a = root / "a", b = a / "b", c = a / "c";
  std::cout << b.getCommonParent(c).str() << " " << b.getCommonParent(a).str() << " ["
            << b.getCommonParent(root / "d").str() << "] " << b.isSubscope(a) << a.isSubscope(b)
            << a.isSubscope(root) << b.isSubscope(b)
            << Scope::getCommonParent(std::vector<Op*>{}).empty() << "\n";
  Scope inner = b;
  inner.pop();
  std::cout << inner.str() << "\n";
  fails([] { Scope().pop(); });
}

void shapes() {
  const TensorInfo info("FLOAT16", "(2, 3,4)");
  std::cout << info << " " << TensorInfo("INT8", "()") << " " << info.strides({2, 3, 4}) << " "
            << info.strides({}) << "\n";
  TensorInfo part;
  part.set(DataType::FLOAT, {2}, {4, 4});
  std::cout << part << " of " << part.metaShape() << "\n";
  std::cout << squeeze(Shape{1, 3, 1}) << squeeze(Shape{1, 3, 1}, Shape{0})
            << unsqueeze(Shape{3, 5}, Shape{0, 2}) << "\n";
  std::size_t overlap = 7;
  std::cout << npBroadcastable({2, 3, 4}, {9, 3, 4}, overlap) << overlap
            << npBroadcastable({5, 3, 4}, {1, 4}, overlap) << overlap << "\n";
  std::cout << getONNXDataTypeAsInt(DataType::BFLOAT16) << " "
            << getStrToDataTypeMap().at("float32") << "\n";
  fails([] { TensorInfo("FLOAT", "2,3"); });
  fails([] { TensorInfo("FLOAT", "(2,3"); });
  fails([] { TensorInfo("FLOAT", "(2,-3)"); });
  fails([] { unsqueeze(Shape{3}, Shape{2, 0}); });
  fails([] { getONNXDataTypeAsInt(DataType::FLOAT8_143); });
  fails([&] { getOutputDataType(info, part, "Add"); });
}

void errors() {
  std::cout << error(ErrorUid::E0, "{} of {}", 1, 2).what() << "; "
            << error("{} of {}", 1, 2).what() << "; ";
  const std::logic_error other("x");
  for (const std::exception* e : {static_cast<const std::exception*>(new error("x")),
                                  static_cast<const std::exception*>(new internal_error("x")),
                                  static_cast<const std::exception*>(new poplar::poplar_error("x")),
                                  static_cast<const std::exception*>(&other)})
    std::cout << static_cast<int>(getErrorSource(*e));
  std::cout << "\n";
}

/// x -> one -> two -> three -> loss, and what else reads x.
struct Chain {
  Chain() : graph(ir.getMainGraph()), settings(graph, "") {
    graph.getTensors().addStream("x", TensorInfo(DataType::FLOAT, Shape{4}));
    one = add("x", "one");
    two = add("one", "two", true);
    three = add("two", "three");
    loss = add("three", "loss");
    beside = add("x", "beside");
  }
  Plain* add(const TensorId& in, const TensorId& out, bool isNorm = false) {
    auto* op = graph.createConnectedOp<Plain>({{0, in}}, {{0, out}}, settings, isNorm);
    op->setName(out);
    return op;
  }
  std::string types() const {
    std::string text;
    for (const Op* op : {one, two, three, loss})
      text += op->settings.recomputeType == RecomputeType::Recompute    ? 'R'
              : op->settings.recomputeType == RecomputeType::Checkpoint ? 'C'
                                                                        : '-';
    return text;
  }
  Ir ir;
  Graph& graph;
  Op::Settings settings;
  Plain *one, *two, *three, *loss, *beside;
};

void constraints() {
  Chain chain;
  TopoCons& cons = *chain.graph.topoCons;
  cons.insert({{chain.one, {chain.beside}}});
  std::cout << cons.contains(chain.beside, chain.one) << cons.getTiedBefores(chain.one).size();
  const Tensor* x = chain.graph.getTensor("x");
  const OpsBeforeKey last = cons.finalConsumerCons(x, chain.one);
  const OpsBeforeKey other = cons.finalConsumerCons(x, chain.beside);
  std::cout << last.size() << other.at(chain.beside).size() << " ";
  cons.transferToMultiple(chain.beside, {chain.two, chain.three});
  std::cout << cons.contains(chain.beside, chain.one) << cons.contains(chain.two, chain.one)
            << cons.contains(chain.three, chain.one) << "\n";
  std::cout << x->associatedOps().size() << x->consumers.getMap().size()
            << chain.graph.getTensor("one")->associatedOps().size() << " ";
  chain.one->setPipelineStage(2);
  chain.beside->setPipelineStage(1);
  std::cout << *x->consumers.findLowestPipelineStage() << *x->consumers.findHighestPipelineStage()
            << bool(x->consumers.findLowestVirtualGraphID()) << "\n";
}

/// `two` and `three` move into a graph that `call` calls: what runs before them runs before `call`.
void movedConstraints() {
  Chain chain;
  TopoCons& cons = *chain.graph.topoCons;
  Plain* call = chain.add("x", "call");
  Graph& inner = chain.ir.createGraph(GraphId("inner"));
  inner.addInput("inner/x", TensorInfo(DataType::FLOAT, Shape{4}));
  const Op::Settings settings(inner, "");
  Plain* second =
      inner.createConnectedOp<Plain>({{0, "inner/x"}}, {{0, "inner/two"}}, settings, false);
  Plain* third =
      inner.createConnectedOp<Plain>({{0, "inner/x"}}, {{0, "inner/three"}}, settings, false);
  cons.insert(chain.two, chain.three);
  cons.insert(chain.beside, chain.two);
  cons.insert(chain.three, chain.loss);
  TopoCons::transferToSubgraph(call, {{chain.two, {second}}, {chain.three, {third}}});
  std::cout << inner.topoCons->contains(second, third) << inner.topoCons->contains(third, second)
            << cons.contains(chain.beside, call) << cons.contains(call, chain.loss) << " "
            << cons.hasConstraint(chain.two) << cons.hasConstraint(chain.three) << "\n";
}

void recomputed() {
  for (const RecomputationType type :
       {RecomputationType::None, RecomputationType::Standard, RecomputationType::NormOnly,
        RecomputationType::RecomputeAll}) {
    Chain chain;
    chain.ir.setFinalLoss("loss");
    recompute::autoAnnotate(chain.graph, type);
    std::cout << chain.types() << " ";
  }
  Chain chain;
  chain.ir.setFinalLoss("loss");
  chain.two->settings.recomputeType = RecomputeType::Checkpoint;
  recompute::annotateRecomputeAll(chain.graph);
  std::cout << chain.types() << "\n";
  fails([&] { recompute::autoAnnotate(chain.graph, RecomputationType::Pipeline); });
}

void variables() {
  Chain chain;
  const VariableSettings pairs(CommGroup(CommGroupType::Consecutive, 2));
  Tensor beside("w", pairs, chain.graph);
  beside.info = TensorInfo(DataType::FLOAT, Shape{3});
  std::cout << beside.getVariableSettings() << " " << beside.returnedShape(4)
            << beside.returnedShape(2) << "\n";
  beside.verifyMutableVoidInfo(TensorInfo(DataType::FLOAT, Shape{2, 3}), 4);
  fails([&] { beside.verifyMutableVoidInfo(TensorInfo(DataType::FLOAT, Shape{3}), 4); });
}

/// sum(b1 + b2 + data), of which the program changes the buffers.
void buffers(const std::vector<std::string>& names, bool isRight) {
  auto builder = Builder::create();
  const TensorInfo info("FLOAT", Shape{3});
  std::vector<float> ones(3, 1), twos(3, 2), out(1);
  const VariableSettings all(VariableRetrievalMode::AllReplicas);
  const TensorId b1 = builder->addInitializedInputTensor({ones.data(), info}, all, "b1");
  const TensorId b2 = builder->addInitializedInputTensor({ones.data(), info}, "b2");
  const TensorId data = builder->addInputTensor(info, "data");
  const TensorId sum =
      builder->aiOnnxOpset9().reducesum({builder->aiOnnxOpset9().sum({b1, b2, data})});
  SessionOptions options;
  options.updatableNamedBuffers = names;
  auto session = InferenceSession::createFromOnnxModel(
      builder->getModelProto(), DataFlow(1, {{sum, AnchorReturnType("All")}}),
      DeviceManager::createDeviceManager().createCpuDevice(), InputShapeInfo(), options);
  session->prepareDevice();
  session->weightsFromHost();
  NDArrayWrapper<float> in(ones.data(), info);
  NDArrayWrapper<float> to(out.data(), TensorInfo("FLOAT", Shape{1, 1}));
  StepIO io({{data, in}}, {{sum, to}});
  const auto run = [&] {
    session->run(io);
    std::cout << out[0] << " ";
  };
  run();
  auto& executable = const_cast<popx::Executablex&>(session->getExecutable());
  for (const TensorId& id : {b1, b2}) {
    auto* tensor = const_cast<Tensor*>(executable.getTensor(id));
    tensor->tensorData()->resetData(tensor->info, twos.data());
  }
  std::cout << executable.getTensor(b2)->tensorData()->copyDataAs<float>(3)
            << executable.getTensor(b1)->tensorData()->getIsSyncedWithIPU() << " ";
  if (isRight)
    session->buffersFromHost();
  else
    fails([&] { session->buffersFromHost(); });
  run();
  std::cout << executable.getTensor(b1)->tensorData()->getIsSyncedWithIPU() << " "
            << executable.getTensor(b1)->getVariableSettings().getRetrievalMode()
            << executable.getTensor(b2)->getVariableSettings().getRetrievalMode() << " "
            << executable.getWeightTensors().size() << executable.getAnchorTensors().size()
            << executable.getDataStreamTensors().size() << "\n";
  auto* tensor = const_cast<Tensor*>(executable.getTensor(b1));
  fails([&] { tensor->tensorData()->resetData(TensorInfo("FLOAT", Shape{2}), twos.data()); });
}

void devices() {
  DeviceManager& manager = DeviceManager::createDeviceManager();
  const auto cpu = manager.createCpuDevice();
  const auto model = manager.createIpuModelDevice({{"tilesPerIPU", "4"}});
  std::cout << (dynamic_cast<popx::DevicexCpuInfo*>(cpu.get()) != nullptr)
            << (dynamic_cast<popx::DevicexCpuInfo*>(model.get()) != nullptr)
            << (dynamic_cast<popx::DevicexIpuModelInfo*>(model.get()) != nullptr) << " ";
  auto& info = dynamic_cast<popx::DevicexInfo&>(*model);
  poplar::Graph graph(info.getDevice().getTarget());
  auto t = graph.addConstant<float>(poplar::FLOAT, {}, 5);
  graph.setTileMapping(t, 3);
  graph.createHostRead("t", t);
  poplar::Engine engine(graph, poplar::program::Sequence());
  engine.load(info.getDevice());
  engine.run();
  float value = 0;
  engine.readTensor("t", &value, &value + 1);
  std::cout << info.getDevice().getTarget().getTilesPerIPU() << " " << value << "\n";
}

}  // namespace

int main() {
  scopes();
  shapes();
  errors();
  constraints();
  movedConstraints();
  recomputed();
  variables();
  buffers({"b1"}, true);
  buffers({}, false);
  buffers({"b1", "b3"}, false);  // what was not sent is not said to be
  devices();
}
