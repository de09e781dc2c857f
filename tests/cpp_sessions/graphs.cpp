// Graphs of a program: popart::Ir without a session, empty at first, or prepared from a model.
#include <popart/builder.hpp>
#include <popart/devicemanager.hpp>
#include <popart/filereader.hpp>
#include <popart/ir.hpp>
#include <popart/op/add.hpp>
#include <popart/op/call.hpp>
#include <popart/op/concat.hpp>
#include <popart/op/exchange/hostcopy.hpp>
#include <popart/op/exchange/multiexchange.hpp>
#include <popart/op/ipucopy.hpp>
#include <popart/op/loop.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/restore.hpp>
#include <popart/op/stash.hpp>
#include <popart/operators.hpp>
#include <popart/sgd.hpp>
#include <popart/tensornames.hpp>
#include <popart/util.hpp>

#include <cstring>
#include <iostream>

#include "errors.hpp"

using namespace popart;

namespace {

/// An empty Ir, two graphs, and what can be asked of them.
void made() {
  Ir ir;
  Graph& main = ir.getMainGraph();
  std::cout << main.id.str().empty() << main.getOps().empty() << ir.isPrepared() << "\n";
  const TensorInfo info(DataType::FLOAT, {2, 3});
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  main.getTensors().addStream("x", info);
  main.addVarInit("w", info, values.data());
  AddOp* add = main.createConnectedOp<AddOp>(
      {{AddOp::getArg0InIndex(), "x"}, {AddOp::getArg1InIndex(), "w"}},
      {{AddOp::getOutIndex(), "sum"}}, Onnx::Operators::Add_7, Op::Settings(main, "add"));
  main.createConnectedOp<ReluOp>({{0, "sum"}}, {{0, "y"}}, Onnx::Operators::Relu_6,
                                 Op::Settings(main, "act"));
  std::cout << add->outInfo(0) << " " << main.getTensor("y")->info << " "
            << main.getTensor("w")->isWeightTensor() << main.getTensor("x")->isWeightTensor()
            << main.getTensor("x")->isGraphInput() << "\n";
  for (const Op* op : ir.getOpSchedule({}, RequireOptimalSchedule::Yes)) std::cout << op->name();
  std::cout << " " << ir.opsOfType(Onnx::Operators::Relu_6).size()
            << ir.isConsumedByOpOfType("sum", Onnx::Operators::Relu_6)
            << ir.isConsumedByOpOfType("x", Onnx::Operators::Relu_6) << "\n";
  const auto edges = main.getEdgeMap();
  std::cout << edges.at(add->id).size() << edges.at(add->id + 1).size() << main.isSchedulable({})
            << "\n";
  main.setLoss("y");
  ir.setFinalLoss("y");
  ir.updateVertices();
  std::cout << add->wrtLossStr() << "\n";

  Graph& body = ir.createGraph(GraphId("body"));
  body.addInput(addScope(body, "a"), info);
  const TensorId second = body.addInput(info);
  body.addInput(0, addScope(body, "first"), info, false);
  body.createConnectedOp<AddOp>({{0, addScope(body, "a")}, {1, second}},
                                {{0, body.addScope("sum")}}, Onnx::Operators::Add_7,
                                Op::Settings(body, "inner"));
  body.markAsOutput(addScope(body, body.removeScope("body/sum")));
  std::cout << body.getInputIds() << body.getOutputIds() << body.getInputIndex("body/a")
            << removeScope(body, "body/a") << " " << body.getScope() << "\n";
  body.removeInput(0);
  std::cout << body.getInputIds() << ir.getAllGraphs().size() << ir.hasGraph(GraphId("body"))
            << ir.hasGraph(GraphId("other")) << (&body.getIr() == &ir) << "\n";
  std::cout << ir.containsTensor("body/sum") << ir.getAllOps().size() << "\n";
  failsWithError([&] { ir.createGraph(GraphId("body")); });
  failsWithError([&] { body.getInputIndex("nothing"); });
  failsWithError([&] { ir.getGraph(GraphId("nothing")); });
  failsWithError([&] { ir.getTensor("nothing"); });
  ir.removeGraph(GraphId("body"));
  std::cout << ir.getAllGraphs().size() << "\n";
}

/// Calls and loops of graphs that the program makes.
void called() {
  Ir ir;
  Graph& main = ir.getMainGraph();
  Graph& body = ir.createGraph(GraphId("body"));
  const TensorInfo info(DataType::FLOAT, {4});
  Op::Settings inner(body, "inner");
  inner.vgraphId = 1;
  body.addInput("body/a", info);
  body.addInput("body/b", info);
  body.createConnectedOp<AddOp>({{0, "body/a"}, {1, "body/b"}}, {{0, "body/sum"}},
                                Onnx::Operators::Add_7, inner);
  body.markAsOutput("body/sum");
  main.addStream("x", info);
  main.addStream("y", info);
  CallOp* call = main.createConnectedOp<CallOp>({{0, "x"}, {1, "y"}}, {{0, "z"}},
                                                Onnx::CustomOperators::Call_1, body,
                                                Op::Settings(main, "call"));
  std::set<OpId> visited;
  std::cout << main.getTensor("z")->info << (&call->getCalledGraph() == &body)
            << call->getCalledGraphIds() << static_cast<Op*>(call)->opInToSubgraphInIndex(0, 1)
            << call->getIntrospectionInVirtualGraphId(0, visited).first
            << main.getTensor("z")->getVirtualGraphId() << body.getCallSiteOps().size()
            << main.getCalledGraphs().size() << ir.getGraphSchedule().size()
            << ir.getOpSchedule({}, RequireOptimalSchedule::No).size() << "\n";
  failsWithError([&] { ir.removeGraph(GraphId("body")); });

  Graph& step = ir.createGraph(GraphId("step"));
  step.addInput("step/i", TensorInfo(DataType::INT32, {}));
  step.addInput("step/go", TensorInfo(DataType::BOOL, {}));
  step.markAsOutput("step/go");
  LoopOp* loop = main.createConnectedOp<LoopOp>({}, {}, Onnx::Operators::Loop_11,
                                                Op::Settings(main, "loop"), step);
  loop->setTripCountValue(7);
  loop->addLoopInput(LoopOp::getFirstInputInIndex(), "z", "step/carried", false);
  step.createConnectedOp<ReluOp>({{0, "step/carried"}}, {{0, "step/next"}}, Onnx::Operators::Relu_6,
                                 Op::Settings(step, "act"));
  loop->addLoopOutput(LoopOp::getFirstOutputOutIndex(), "last", "step/next", false);
  loop->setup();
  std::cout << main.getTensor("last")->info << loop->getTripCountValue()
            << loop->getNumExplicitInputs() << loop->getNumImplicitInputs() << step.getInputIds()
            << step.getOutputIds() << "\n";
  loop->addLoopInput(3, "x", "step/captured", false);
  std::cout << loop->getNumImplicitInputs() << loop->inId(3) << "\n";
  loop->removeLoopInput(3);
  std::cout << loop->input->n() << step.getInputIds().size() << "\n";
}

/// Copies, stashes, exchanges and concatenations.
void moved() {
  Ir ir;
  Graph& main = ir.getMainGraph();
  const TensorInfo info(DataType::FLOAT16, {2, 3});
  main.addStream("x", info);
  main.addStream("y", TensorInfo(DataType::FLOAT16, {2, 5}));
  const Op::Settings settings(main, "");
  IpuCopyOp* copy = main.createOp<IpuCopyOp>(Onnx::CustomOperators::IpuCopy, 3, settings);
  failsWithError([&] { static_cast<Op*>(copy)->connectInTensor(0, "x"); });
  copy->connectInTensor(0, "x", 1);
  copy->createAndConnectOutTensor(0, "there");
  copy->setup();
  std::cout << copy->getFromToStr() << copy->getSourceIpu() << copy->getDestIpu()
            << main.getTensor("there")->getVirtualGraphId() << copy->outInfo(0) << "\n";
  StashOp* stash = main.createConnectedOp<StashOp>({{0, "x"}}, {{0, "kept"}},
                                                   Onnx::CustomOperators::Stash, 5, settings);
  RestoreOp* restore = main.createConnectedOp<RestoreOp>(
      {{0, "kept"}}, {{0, "again"}}, Onnx::CustomOperators::Restore, 5, settings);
  std::cout << stash->outInfo(0) << restore->outInfo(0) << stash->getStashSize()
            << stash->getStashedTensorId() << "\n";
  ConcatOp* concat = main.createConnectedOp<ConcatOp>({{0, "x"}, {1, "y"}}, {{0, "both"}},
                                                      Onnx::Operators::Concat_4, -1, settings);
  const auto there = concat->fwdRegMap(1, 0)(view::Region({0, 1}, {2, 3})).front();
  const auto back = concat->bwdRegMap(0, 0)(view::Region({0, 2}, {1, 8})).front();
  std::cout << concat->outInfo(0) << there.getLower() << there.getUpper() << back.getLower()
            << back.getUpper() << concat->bwdRegMap(0, 0)(there).front().isEmpty() << "\n";
  failsWithError([] {
    const Shape a = {2, 3}, b = {4, 3};
    ConcatOp::getOutputShape(1, {&a, &b});
  });
  const ExchangeDescriptor load(ExchangeDirection::Load, TensorId("x"), {}, TileSet::IO, 1, 1,
                                false);
  const ExchangeDescriptor store(ExchangeDirection::Store, RemoteBufferId(4), {}, TileSet::IO, 2, 0,
                                 false);
  MultiExchangeOp* both = main.createConnectedOp<MultiExchangeOp>(
      {{0, "y"}, {1, "x"}, {2, "there"}}, {{0, "loaded"}}, Onnx::CustomOperators::MultiExchange,
      settings, std::vector<ExchangeDescriptor>{load, store});
  std::cout << both->numLoads() << both->numStores() << both->outInfo(0)
            << both->inIndexToDescriptorIndex(2).first << both->inIndexToDescriptorIndex(2).second
            << both->descriptorIndexToInIndices(1) << load << store << "\n";
}

std::string model(TensorId& x, TensorId& w, TensorId& loss) {
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset9();
  const TensorInfo info("FLOAT", std::vector<int64_t>{2, 2});
  float values[4] = {1, -2, 3, -4};
  x = builder->addInputTensor(info, "x");
  w = builder->addInitializedInputTensor({values, info}, "w");
  const TensorId y = onnx.relu({onnx.matmul({x, w}, "product")}, "act");
  loss = builder->aiGraphcoreOpset1().l1loss({y}, 0.1f, ReductionType::Sum, "loss");
  return builder->getModelProto();
}

/// A model is compiled as a session compiles it.
void prepared() {
  TensorId x, w, loss;
  const std::string bytes = model(x, w, loss);
  const auto proto = io::getModelFromString(bytes);
  std::cout << (io::getSerializedModel(proto).size() > 0) << "\n";
  const ConstSGD optimizer(0.1f);
  auto device = DeviceManager::createDeviceManager().createCpuDevice();
  SessionOptions options;
  options.enableOutlining = false;
  Ir ir;
  ir.prepare({proto, InputShapeInfo(), DataFlow(1, {{getGradId(w), AnchorReturnType("All")}}), loss,
              &optimizer, *device, options, Patterns(PatternsLevel::Default)});
  std::cout << ir.isPrepared() << ir.isTraining() << ir.hasConstructedBackwards() << "\n";
  std::cout << ir.getTensor(w)->info << ir.getTensor(w)->isWeightTensor()
            << ir.isAnchored(getGradId(w)) << " " << ir.getTensor(getGradId(w))->info << "\n";
  int before = 0, after = 0, neither = 0;
  for (const Op* op : ir.getOpSchedule({}, RequireOptimalSchedule::Yes)) {
    before += op->toLoss == PathToLoss::Yes;
    after += op->fromLoss == PathFromLoss::Yes;
    neither += op->toLoss != PathToLoss::Yes && op->fromLoss != PathFromLoss::Yes;
  }
  std::cout << before << " " << (after > 0) << " " << neither << "\n";
  std::cout << ir.opsOfType(Onnx::Operators::MatMul_9).size() << "\n";
  failsWithError([&] {
    ir.prepare(
        {proto, InputShapeInfo(), DataFlow(1), loss, &optimizer, *device, options, Patterns()});
  });
  Ir same, other, none;
  const auto flow = [&](int batches) {
    return DataFlow(batches, {{getGradId(w), AnchorReturnType("All")}});
  };
  same.prepare({proto, InputShapeInfo(), flow(1), loss, &optimizer, *device, options,
                Patterns(PatternsLevel::Default)});
  other.prepare({proto, InputShapeInfo(), flow(2), loss, &optimizer, *device, options,
                 Patterns(PatternsLevel::Default)});
  const std::hash<Ir> hash;
  std::cout << (hash(ir) == hash(same)) << (hash(ir) != hash(other)) << "\n";
  failsWithError([&] { none.getHash(); });

  Ir inference;
  inference.prepare({proto, InputShapeInfo(), DataFlow(1, {{loss, AnchorReturnType("All")}}), "",
                     nullptr, *device, options, Patterns(PatternsLevel::NoPatterns)});
  std::cout << inference.isTraining() << inference.getMainGraph().getOpIds().size() << "\n";
}

/// A model is written as it was read.
void models() {
  TensorId x, w, loss;
  const std::string bytes = model(x, w, loss);
  auto proto = io::getModelFromString(bytes);
  std::cout << proto.unknown_fields().size() << "\n";
  const auto again = io::getModelFromString(io::getSerializedModel(proto));
  std::cout << again.graph().node_size() << again.graph().node(0).op_type() << " "
            << again.graph().initializer(0).name() << " " << again.opset_import_size() << " "
            << (again.unknown_fields() == proto.unknown_fields()) << "\n";
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "made") made();
  if (what == "called") called();
  if (what == "moved") moved();
  if (what == "prepared") prepared();
  if (what == "models") models();
}
