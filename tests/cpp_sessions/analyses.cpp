// What a program finds out about its graphs: copies, matches, orders, and values of replicas.
#include <popart/alias/aliasmodelgrower.hpp>
#include <popart/analysis/replicaequal/replicaequalanalysis.hpp>
#include <popart/builder.hpp>
#include <popart/devicemanager.hpp>
#include <popart/filereader.hpp>
#include <popart/graphutils.hpp>
#include <popart/ir.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/op/add.hpp>
#include <popart/op/call.hpp>
#include <popart/op/collectives/replicatedallreduce.hpp>
#include <popart/op/exchange/hostcopy.hpp>
#include <popart/op/init.hpp>
#include <popart/op/loop.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/sgd0varupdate.hpp>
#include <popart/operators.hpp>
#include <popart/popx/executablex.hpp>
#include <popart/popx/irlowering.hpp>
#include <popart/stepio.hpp>
#include <popart/tensorinfo.hpp>
#include <popart/topocons.hpp>
#include <popart/transforms/explicitrecompute.hpp>
#include <popart/transforms/prune.hpp>
#include <popart/util.hpp>

#include <array>
#include <iostream>
#include <map>
#include <string>

#include "errors.hpp"

using namespace popart;

namespace {

const TensorInfo info(DataType::FLOAT, {2});

AddOp* add(Graph& graph, const TensorId& a, const TensorId& b, const TensorId& out) {
  return graph.createConnectedOp<AddOp>({{0, a}, {1, b}}, {{0, out}}, Onnx::Operators::Add_7,
                                        Op::Settings(graph, out));
}
Op* relu(Graph& graph, const TensorId& in, const TensorId& out) {
  return graph.createConnectedOp<ReluOp>({{0, in}}, {{0, out}}, Onnx::Operators::Relu_6,
                                         Op::Settings(graph, out));
}

void shapes() {
  std::cout << npBroadcastable({8, 1, 6, 1}, {7, 1, 5}) << npBroadcastable({2, 3}, {3, 3})
            << npBroadcastable({}, {4}) << "\n";
  std::cout << npReductionAxis({3, 1}, {2, 3, 5}) << npReductionAxis({2, 3}, {2, 3})
            << npReductionAxis({}, {4, 1}) << npReductionAxis({1}, {1}) << "\n";
  failsWithError([] { npReductionAxis({2, 3}, {3}); });
  std::cout << std::map<std::string, unsigned>{{"a", 1}, {"b", 2}}
            << std::make_tuple("a", 1, std::string("b")) << std::tuple<>() << "\n";
}

/// A called graph with a constant, a chain and a constraint, copied.
void copies() {
  Ir ir;
  Graph& main = ir.getMainGraph();
  main.getTensors().addStream("x", info);
  std::cout << ir.createUniqueSubgraphId(GraphId("body")) << " "
            << ir.createUniqueSubgraphId(GraphId("body")) << "\n";
  Graph& body = ir.createGraph(GraphId("body"));
  body.addInput("body/in", info);
  const float one[] = {1, 2};
  body.addConstInit("body/one", info, one);
  AddOp* sum = add(body, "body/in", "body/one", "body/sum");
  Op* beside = relu(body, "body/in", "body/beside");
  body.topoCons->insert(beside, sum);
  relu(body, "body/sum", "body/out");
  body.markAsOutput("body/out");
  const ClonedGraphMaps maps = ir.cloneGraph(GraphId("body"), GraphId("copy"));
  Graph& copy = ir.getGraph(GraphId("copy"));
  for (const auto& each : maps.tensorIdMap) std::cout << each.first << ">" << each.second << " ";
  std::cout << maps.opIdMap.size() << copy.getInputIds() << copy.getOutputIds() << "\n";
  for (Op* op : copy.getOpSchedule({}, RequireOptimalSchedule::Yes))
    std::cout << op->opid.type << ":" << op->name() << " ";
  const auto* held = static_cast<const float*>(copy.getTensor("copy/one")->tensorData()->data());
  std::cout << held[0] << held[1] << copy.getTensor("copy/out")->info
            << copy.topoCons->contains(copy.getOp(maps.opIdMap.at(beside->id)),
                                       copy.getOp(maps.opIdMap.at(sum->id)))
            << (&copy.getOp(maps.opIdMap.at(sum->id))->getGraph() == &copy) << "\n";
  const std::map<GraphId, Graph*> all = ir.getGraphs();
  std::cout << all.size() << (all.at(GraphId("copy")) == &copy)
            << (all.at(GraphId::root()) == &main) << "\n";
  main.createConnectedOp<CallOp>({{0, "x"}}, {{0, "y"}}, Onnx::CustomOperators::Call_1, copy,
                                 Op::Settings(main, "call"));
  std::cout << main.getTensor("y")->info << copy.getCallSiteOps().size() << "\n";
  failsWithError([&] { ir.cloneGraph(GraphId::root(), GraphId("other")); });
  failsWithError([&] { ir.cloneGraph(GraphId("body"), GraphId("copy")); });
  body.addVarInit("body/own", info, one);
  add(body, "body/out", "body/own", "body/last");
  failsWithError([&] { ir.cloneGraph(GraphId("body"), GraphId("second")); });
  std::cout << ir.hasGraph(GraphId("second")) << "\n";
}

/// The mode is kept until there are graphs, and a model is never left out in silence.
void modes() {
  auto builder = Builder::create();
  builder->addOutputTensor(builder->aiOnnxOpset9().relu({builder->addInputTensor(info)}));
  const auto model = io::getModelFromString(builder->getModelProto());
  Ir ir;
  ir.setExecutionMode(Ir::ExecutionMode::Training);
  std::cout << ir.isTraining();
  ir.setOnnxModel(model);
  ir.constructForwards();
  std::cout << ir.isTraining() << ir.getMainGraphOps().size() << "\n";
  Ir early;
  early.setOnnxModel(model);
  early.getMainGraph();
  failsWithError([&] { early.constructForwards(); });
  const auto device = DeviceManager::createDeviceManager().createCpuDevice();
  Ir prepared;
  prepared.prepare({model, InputShapeInfo(), DataFlow(1, std::vector<TensorId>()), "", nullptr,
                    *device, SessionOptions(), Patterns(), "prepared"});
  std::cout << prepared.hasOnnxModel() << prepared.getModel().graph().node_size() << "\n";
  failsWithError([&] { popx::IrLowering lowering(prepared, nullptr); });
}

/// A model imported step by step, and what is unused removed.
void steps() {
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset9();
  const TensorId x = builder->addInputTensor(info);
  const TensorId y = onnx.relu({onnx.relu({x})});
  onnx.add({x, x});
  builder->addOutputTensor(y);
  Ir ir;
  failsWithError([&] { ir.constructForwards(); });
  ir.setOnnxModel(io::getModelFromString(builder->getModelProto()));
  std::cout << ir.hasOnnxModel() << "\n";
  ir.setDataFlow(DataFlow(1, {{y, AnchorReturnType("All")}}));
  ir.registerInputTensors();
  std::cout << ir.getMainGraph().getTensor(x)->info << "\n";
  ir.constructForwards();
  std::cout << ir.getMainGraphOps().size();
  ir.applyTransform(Prune::id(), ir.getMainGraph());
  std::cout << ir.getMainGraphOps().size() << "\n";
  failsWithError([&] { ir.registerInputTensors(); });
  failsWithError([&] { ir.setOnnxModel(io::getModelFromString(builder->getModelProto())); });
}

void matches() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  graph.getTensors().addStream("x", info);
  Op* a = relu(graph, "x", "a");
  Op* b = relu(graph, "a", "b");
  AddOp* sum = add(graph, "a", "b", "sum");
  Op* last = relu(graph, "x", "last");
  graph.topoCons->insert(sum, last);
  const auto isRelu = [](const Op* op) { return op->isConvertibleTo<ReluOp>(); };
  const auto isAdd = [](const Op* op) { return op->isConvertibleTo<AddOp>(); };
  using namespace graphutils;
  const auto shown = [&](const OpPreds& preds, const Edges& edges) {
    for (const auto& match : findMatchingOps(graph, preds, edges)) {
      std::cout << "(";
      for (const Op* op : match) std::cout << " " << op->name();
      std::cout << " )";
    }
    std::cout << "\n";
  };
  shown({isRelu, isAdd}, {{0, 1}});
  shown({isRelu, isAdd}, {Edge(0, 1, 0, 1)});
  shown({isRelu, isRelu, isAdd}, {{0, 1}, {1, 2}, {0, 2}});
  shown({isAdd, isRelu}, {Edge(0, 1, EdgeType::TopoCon)});
  shown({isAdd, isRelu}, {{0, 1}});
  std::cout << findMatchingOps(graph, OpPredMap{{0, isRelu}, {1, isRelu}}, {}).size() << "\n";
  failsWithError([&] { findMatchingOps(graph, OpPreds{isRelu}, {{0, 1}}); });
  failsWithError([&] { findMatchingOps(graph, OpPredMap{{1, isRelu}}, {}); });
  const auto befores = getOpsWithBefores(std::vector<Op*>{a, sum, last});
  std::cout << befores.at(a).size() << befores.at(sum).size() << befores.at(last).size() << "\n";

  // a is before the loss, b after it; sum reads both, and last runs after it.
  a->toLoss = PathToLoss::Yes;
  b->fromLoss = PathFromLoss::Yes;
  Op* read = relu(graph, "x", "read");
  add(graph, "read", "b", "grad")->fromLoss = PathFromLoss::Yes;
  for (const auto& each : getOpFinalLossRelations(graph))
    std::cout << each.first->name() << ":" << each.second << " ";
  std::cout << "\n" << getOpFinalLossRelations(graph).at(read) << "\n";
}

void show(const ReplicaEqualAnalysis& analysis, const Op* op) {
  std::cout << op->name() << " ";
  for (const auto& in : op->input->tensorMap()) std::cout << analysis.isOpInputEqual(op, in.first);
  std::cout << ">";
  for (const auto& out : op->output->tensorMap())
    std::cout << analysis.isOpOutputEqual(op, out.first);
  std::cout << " ";
}

/// Weights, constants and sums over all replicas are the same on all; what comes of the host is
/// not, and a weight that such a value changes is not from the beginning.
void replicas() {
  for (const bool reduces : {true, false}) {
    Ir ir;
    SessionOptions options;
    options.enableReplicatedGraphs = true;
    options.replicatedGraphCount = 2;
    ir.setUserOptions(options);
    Graph& graph = ir.getMainGraph();
    const float values[] = {1, 2};
    graph.getTensors().addStream("x", info);
    graph.addVarInit("w", info, values);
    graph.addVarInit("v", info, values);
    graph.addConstInit("c", info, values);
    std::vector<Op*> ops = {add(graph, "w", "c", "first"), add(graph, "x", "w", "second"),
                            add(graph, "v", "c", "third")};
    TensorId gradient = "second";
    if (reduces) {
      gradient = "reduced";
      ops.push_back(graph.createConnectedOp<ReplicatedAllReduceOp>(
          {{0, "second"}}, {{0, "reduced"}}, Onnx::CustomOperators::ReplicatedAllReduce,
          Op::Settings(graph, "reduce")));
    }
    ops.push_back(graph.createConnectedOp<SGD0VarUpdateOp>(
        {{VarUpdateOp::getVarToUpdateInIndex(), "w"},
         {VarUpdateWithUpdaterOp::getUpdaterInIndex(), gradient}},
        {{VarUpdateOp::getUpdatedVarOutIndex(), "w_new"}}, OptimizerValue(0.1f, true),
        OptimizerValue(1.0f, true), Op::Settings(graph, "update")));
    ReplicaEqualAnalysis analysis(ir);
    analysis.apply();
    for (const Op* op : ops) show(analysis, op);
    std::cout << analysis.getOpAttrs(ops[1]).size() << "\n";
  }
}

/// Two calls of one graph that differ, and a loop that passes on what comes of the host.
void called() {
  Ir ir;
  Graph& main = ir.getMainGraph();
  const float values[] = {1, 2};
  main.getTensors().addStream("x", info);
  main.addVarInit("w", info, values);
  Graph& body = ir.createGraph(GraphId("body"));
  body.addInput("body/in", info);
  Op* inner = relu(body, "body/in", "body/out");
  body.markAsOutput("body/out");
  std::vector<Op*> ops;
  for (const char* in : {"w", "x"})
    ops.push_back(main.createConnectedOp<CallOp>({{0, in}}, {{0, std::string("of_") + in}},
                                                 Onnx::CustomOperators::Call_1, body,
                                                 Op::Settings(main, std::string("call_") + in)));
  Graph& step = ir.createGraph(GraphId("step"));
  step.addInput("step/count", TensorInfo(DataType::INT32, {}));
  step.addInput("step/go", TensorInfo(DataType::BOOL, {}));
  step.markAsOutput("step/go");
  auto* loop = main.createOp<LoopOp>(Onnx::Operators::Loop_11, Op::Settings(main, "loop"), step);
  loop->setTripCountValue(3);
  loop->addLoopInput(2, "w", "step/carried", false);
  loop->addLoopInput(3, "x", "step/all", false);
  Op* sum = add(step, "step/carried", "step/all", "step/next");
  loop->addLoopOutput(0, "looped", "step/next", false);
  loop->setup();
  ops.push_back(loop);
  // What is written shares its elements with other tensors of its graph.
  main.addVarInit("v", info, values);
  Op* update = main.createConnectedOp<SGD0VarUpdateOp>(
      {{VarUpdateOp::getVarToUpdateInIndex(), "v"},
       {VarUpdateWithUpdaterOp::getUpdaterInIndex(), "of_x"}},
      {{VarUpdateOp::getUpdatedVarOutIndex(), "v_new"}}, OptimizerValue(0.1f, true),
      OptimizerValue(1.0f, true), Op::Settings(main, "update"));
  const std::vector<Op*> asked = {ops[0], ops[1], inner, ops[2], sum, update};
  ReplicaEqualAnalysis analysis(ir);
  analysis.apply();
  for (const Op* op : asked) show(analysis, op);
  std::cout << "\n";
  AliasModel given;
  for (const Graph* graph : ir.getAllGraphs())
    AliasModelGrower(given).growFullGraph(*graph, DataDependenciesOnly::No);
  std::cout << given.allAliases(*main.getTensor("v")).size() << "\n";
  ReplicaEqualAnalysis again(ir, given);
  again.apply();
  for (const Op* op : asked) show(again, op);
  std::cout << "\n";
  // After a change.
  sum->disconnectInTensor(1);
  sum->connectInTensor(1, "step/carried");
  again.apply();
  show(again, loop);
  std::cout << "\n";
}

/// Loops whose replicas may iterate another number of times, or not at all; and a branch.
void decided() {
  const TensorInfo count(DataType::INT32, {}), flag(DataType::BOOL, {});
  const float values[] = {1, 2};
  const int32_t trips[] = {3};
  const bool isTrue[] = {true};
  // By "count" or "go", given by the host, by a constant or not at all; or by the body.
  const std::vector<std::array<std::string, 4>> cases = {
      {"", "", "go", "w"},     {"host", "", "go", "w"},  {"const", "", "go", "w"},
      {"", "host", "go", "w"}, {"", "const", "go", "w"}, {"", "const", "asked", "w"},
      {"", "", "go", "x"},     {"const", "", "go", "x"}};
  for (const auto& [trip, condition, next, first] : cases) {
    Ir ir;
    Graph& main = ir.getMainGraph();
    main.addStream("x", info);
    main.addVarInit("w", info, values);
    main.addStream("flag", flag);
    Graph& step = ir.createGraph(GraphId("step"));
    step.addInput("step/count", count);
    step.addInput("step/go", flag);
    step.addConstInit("step/c", info, values);
    auto* loop = main.createOp<LoopOp>(Onnx::Operators::Loop_11, Op::Settings(main, "loop"), step);
    if (trip == "host") main.addStream("trip", count);
    if (trip == "const") main.addConstInit("trip", count, trips);
    if (condition == "host") main.addStream("condition", flag);
    if (condition == "const") main.addConstInit("condition", flag, isTrue);
    if (!trip.empty()) loop->connectInTensor(0, "trip");
    if (!condition.empty()) loop->connectInTensor(1, "condition");
    if (trip.empty()) loop->setTripCountValue(3);
    loop->addLoopInput(2, first, "step/carried", false);
    loop->addLoopInput(3, "flag", "step/asked", false);
    step.markAsOutput("step/" + next);
    relu(step, "step/c", "step/next");
    loop->addLoopOutput(0, "looped", "step/next", false);
    loop->setup();
    ReplicaEqualAnalysis analysis(ir);
    analysis.apply();
    show(analysis, loop);
    std::cout << "\n";
  }
}

/// Branches that read a weight or what comes of the host, chosen by a weight.
void branches() {
  for (const bool isSame : {true, false}) {
    auto builder = Builder::create();
    auto onnx = builder->aiOnnxOpset9();
    const float values[] = {1, 2};
    const float zero[] = {0};
    const TensorInfo number(DataType::FLOAT, {});
    const TensorId x = builder->addInputTensor(info, "x");
    const TensorId w = builder->addInitializedInputTensor(ConstVoidData{values, info}, "w");
    const TensorId sum = onnx.reducesum({w}, std::vector<int64_t>{0}, 0);
    const TensorId chosen = onnx.greater({sum, onnx.constant(ConstVoidData{zero, number})});
    std::vector<Builder*> made;
    for (const TensorId& in : {w, isSame ? w : x}) {
      Builder& branch = builder->createSubgraphBuilder();
      branch.addInputTensorFromParentGraph(in);
      branch.addOutputTensor(branch.aiOnnxOpset9().relu({in}));
      made.push_back(&branch);
    }
    const TensorId y = onnx.logical_if({chosen}, 1, *made[0], *made[1])[0];
    builder->addOutputTensor(onnx.add({y, x}));
    Ir ir;
    ir.setOnnxModel(io::getModelFromString(builder->getModelProto()));
    ir.constructForwards();
    ReplicaEqualAnalysis analysis(ir);
    analysis.apply();
    for (const Graph* graph : ir.getAllGraphs())
      for (const Op* op : graph->getOpSchedule({}, RequireOptimalSchedule::No))
        if (op->opid.type == "If" || op->opid.type == "Relu") show(analysis, op);
    std::cout << "\n";
  }
}

/// What the gradient reads is computed again, once for both inputs, out of what the operator read:
/// the update of w waits, and v, which the forward pass changes, is kept.
void recomputed() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  const float values[] = {1, 2};
  graph.getTensors().addStream("x", info);
  graph.addVarInit("w", info, values);
  graph.addVarInit("v", info, values);
  const auto update = [&](const TensorId& variable, const TensorId& by, const std::string& name) {
    return graph.createConnectedOp<SGD0VarUpdateOp>(
        {{VarUpdateOp::getVarToUpdateInIndex(), variable},
         {VarUpdateWithUpdaterOp::getUpdaterInIndex(), by}},
        {{VarUpdateOp::getUpdatedVarOutIndex(), variable + "_new"}}, OptimizerValue(0.1f, true),
        OptimizerValue(1.0f, true), Op::Settings(graph, name));
  };
  std::vector<Op*> forward = {add(graph, "w", "x", "sum"), add(graph, "v", "sum", "act")};
  for (Op* op : forward) op->settings.recomputeType = RecomputeType::Recompute;
  graph.topoCons->insert(forward[1], update("v", "x", "early"));
  forward.push_back(relu(graph, "act", "loss"));
  std::vector<Op*> backward = {add(graph, "act", "act", "grad"), add(graph, "grad", "sum", "of_w")};
  graph.topoCons->insert(forward[2], backward[0]);
  backward.push_back(update("w", "of_w", "update"));
  for (Op* op : forward) op->toLoss = PathToLoss::Yes;
  for (Op* op : backward) op->fromLoss = PathFromLoss::Yes;
  ir.applyTransform(ExplicitRecompute::id(), graph);
  for (Op* op : graph.getOpSchedule({}, RequireOptimalSchedule::Yes)) {
    std::cout << op->name() << "(";
    for (const auto& in : op->input->tensorMap())
      std::cout << (in.first ? " " : "")
                << (in.second->hasProducer() ? in.second->getProducer()->name() : in.second->id)
                << (in.second->hasProducer() && in.second->getProducer()->settings.recomputeType ==
                                                    RecomputeType::Recomputed
                        ? "'"
                        : "");
    std::cout << ")";
    if (op->settings.recomputeType != RecomputeType::Undefined)
      std::cout << op->settings.recomputeType;
    std::cout << "\n";
  }
}

void elements() {
  Ir ir;
  ir.getMainGraph().getTensors().addStream("x", info);
  ir.setDataFlow(DataFlow(2, {{"x", AnchorReturnType("Final")}}));
  auto lowering = std::make_unique<popx::IrLowering>(
      ir, DeviceManager::createDeviceManager().createCpuDevice());
  const auto executable = popx::Executablex::createFromLoweredIr(*lowering);
  std::cout << executable->ir().hasOnnxModel() << "\n";
  std::vector<float> data(8);
  const auto check = [&](const TensorId& id, int64_t in, int64_t out) {
    NDArrayWrapper<float> given(data.data(), Shape{in}), got(data.data(), Shape{out});
    failsWithError([&] { StepIO({{id, given}}, {{"x", got}}).assertNumElements(*executable); });
  };
  check("x", 4, 2);
  ir.setDataFlow(DataFlow(4, {{"x", AnchorReturnType("EveryN", 2)}}));
  SessionOptions options;
  options.enableGradientAccumulation = true;
  options.accumulationFactor = 2;
  ir.setUserOptions(options);
  check("x", 16, 8);
  ir.setUserOptions(SessionOptions());
  ir.setDataFlow(DataFlow(2, {{"x", AnchorReturnType("Final")}}));
  check("x", 2, 2);
  check("x", 4, 4);
  check("y", 4, 2);
  // What all replicas get is sent once.
  SessionOptions replicated;
  replicated.enableReplicatedGraphs = true;
  replicated.replicatedGraphCount = 2;
  ir.setUserOptions(replicated);
  check("x", 8, 4);
  ir.getTensor("x")->setReplicatedStreamMode(ReplicatedStreamMode::Broadcast);
  check("x", 4, 4);
}

}  // namespace

int main(int, char** argv) {
  const std::map<std::string, void (*)()> parts = {
      {"shapes", shapes},     {"copies", copies},
      {"steps", steps},       {"matches", matches},
      {"replicas", replicas}, {"called", called},
      {"elements", elements}, {"recomputed", recomputed},
      {"decided", decided},   {"branches", branches},
      {"modes", modes}};
  try {
    parts.at(argv[1])();
  } catch (const error& e) {
    std::cout << "stopped: " << e.what() << "\n";
  }
}
