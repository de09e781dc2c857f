// Graphs of a program that choose, that are resized, and that are differentiated by themselves.
#include <popart/aliasesmap.hpp>
#include <popart/graphutils.hpp>
#include <popart/ir.hpp>
#include <popart/op/accumulate.hpp>
#include <popart/op/accumulatorscale.hpp>
#include <popart/op/accumulatorzero.hpp>
#include <popart/op/add.hpp>
#include <popart/op/call.hpp>
#include <popart/op/copyvarupdate.hpp>
#include <popart/op/dynamic/dynamicslice.hpp>
#include <popart/op/exchange/codecopy.hpp>
#include <popart/op/exchange/hostcopy.hpp>
#include <popart/op/exchange/multiexchange.hpp>
#include <popart/op/exchange/remote.hpp>
#include <popart/op/if.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/resize.hpp>
#include <popart/op/restore.hpp>
#include <popart/op/scale.hpp>
#include <popart/op/slice.hpp>
#include <popart/op/subtract.hpp>
#include <popart/operators.hpp>
#include <popart/patterns/sgd1decompose.hpp>
#include <popart/transforms/autodiff.hpp>
#include <popart/util.hpp>

#include <iostream>
#include <memory>

#include "errors.hpp"
#include "running.hpp"

using namespace popart;

namespace {

const TensorInfo four("FLOAT", std::vector<int64_t>{4});
using Values = std::vector<float>;

template <class OP>
void add(Graph& graph, const TensorId& a, const TensorId& b, const TensorId& out,
         const OperatorIdentifier& opid) {
  graph.createConnectedOp<OP>({{0, a}, {1, b}}, {{0, out}}, opid, Op::Settings(graph, out));
}

/// One graph adds and multiplies, the other subtracts the other way round, and has its outputs in
/// another order.
std::shared_ptr<Ir> choice() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  graph.addStream("chooses", TensorInfo(DataType::BOOL, {}));
  graph.addStream("x", four);
  graph.addStream("y", four);
  Graph& yes = ir->createGraph(GraphId("yes"));
  yes.addInput("yes/a", four);
  yes.addInput("yes/b", four);
  add<AddOp>(yes, "yes/a", "yes/b", "yes/sum", Onnx::Operators::Add_7);
  add<MulOp>(yes, "yes/a", "yes/b", "yes/product", Onnx::Operators::Mul_7);
  yes.markAsOutput("yes/sum");
  yes.markAsOutput("yes/product");
  Graph& no = ir->createGraph(GraphId("no"));
  no.addInput("no/b", four);
  no.addInput("no/a", four);
  no.createConnectedOp<ReluOp>({{0, "no/b"}}, {{0, "no/positive"}}, Onnx::Operators::Relu_6,
                               Op::Settings(no, "positive"));
  add<SubtractOp>(no, "no/a", "no/b", "no/difference", Onnx::Operators::Sub_7);
  no.markAsOutput("no/positive");
  no.markAsOutput("no/difference");
  return ir;
}

IfOp* choose(Ir& ir, const BranchInfo& yes, const BranchInfo& no) {
  Graph& graph = ir.getMainGraph();
  return graph.createConnectedOp<IfOp>({{0, "chooses"}, {1, "x"}, {2, "y"}},
                                       {{0, "first"}, {1, "second"}}, Onnx::Operators::If_1, yes,
                                       no, Op::Settings(graph, "if"));
}

const BranchInfo yes(GraphId("yes"), {{1, 0}, {2, 1}}, {{0, 0}, {1, 1}});
const BranchInfo no(GraphId("no"), {{1, 1}, {2, 0}}, {{0, 1}, {1, 0}});

void chosen(bool chooses) {
  auto ir = choice();
  const IfOp* op = choose(*ir, yes, no);
  std::cout << op->getThenGraph().id << op->getElseGraph().id << op->opInToSubgraphInIndex(1, 2)
            << op->subgraphInToOpInIndex(1, 1) << op->opOutToSubgraphOutIndex(1, 0)
            << op->subgraphOutToOpOutIndex(0, 1) << op->opInToSubgraphInIndex(0, 0)
            << op->getBranchInIndicesMap(op->getElseGraph()).at(2) << op->outInfo(0) << "\n";
  run(ir, {{"x", {1, -2, 3, -4}}, {"y", {5, 6, -7, -8}}}, chooses, {"first", "second"});
}

void refused() {
  auto ir = choice();
  failsWithError([&] { choose(*ir, BranchInfo(GraphId("yes"), {{1, 0}}, {{0, 0}, {1, 1}}), no); });
  ir = choice();
  failsWithError([&] { choose(*ir, yes, BranchInfo(GraphId("no"), {{1, 1}, {2, 0}}, {{0, 1}})); });
  ir = choice();
  failsWithError([&] {
    choose(*ir, BranchInfo(GraphId("yes"), {{1, 0}, {0, 1}}, {{0, 0}, {1, 1}}), no);
  });
  ir = choice();
  choose(*ir, yes, BranchInfo(GraphId("yes"), {{1, 1}, {2, 0}}, {{0, 0}, {1, 1}}));
  failsWithError([&] { run(ir, {{"x", Values(4)}, {"y", Values(4)}}, false, {"first"}); });
  ir = choice();
  Graph& graph = ir->getMainGraph();
  failsWithError([&] {
    graph.createConnectedOp<ResizeOp>({{0, "x"}}, {{0, "z"}}, Onnx::Operators::Resize_10,
                                      Op::Settings(graph, ""), ResizeMode::Linear,
                                      std::vector<float>{2, 2});
  });
  failsWithError([&] {
    ResizeOp(Onnx::Operators::Resize_11, Op::Settings(graph, ""), ResizeMode::Linear, {2},
             ResizeNearestMode::Floor, ResizeCoordinateTransformationMode::TfCropAndResize);
  });
  using Ids = Autodiff::TensorIds;
  const auto differentiate = [&](const GraphId& id, nonstd::optional<Ids> wanted,
                                 AutodiffStitchStrategy strategy) {
    Autodiff().apply(*ir, id, {}, wanted, {}, strategy);
  };
  const auto again = AutodiffStitchStrategy::RecomputeMinimal;
  failsWithError([&] { differentiate(GraphId::root(), {}, again); });
  failsWithError([&] { differentiate(GraphId("yes"), Ids(), again); });
  failsWithError([&] { differentiate(GraphId("yes"), Ids{"yes/sum"}, again); });
  failsWithError([&] { differentiate(GraphId("yes"), {}, AutodiffStitchStrategy::AddFwdOutputs); });
  failsWithError([&] {
    Autodiff().createBwdGraph(*ir, GraphId("yes"), {}, {},
                              {{GraphId("no"), {GraphId("no"), {}, {}}}});
  });
}

void resized() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  graph.addStream("x", TensorInfo(DataType::FLOAT, {1, 2, 4}));
  graph.createConnectedOp<ResizeOp>({{0, "x"}}, {{0, "near"}}, Onnx::Operators::Resize_10,
                                    Op::Settings(graph, "near"), ResizeMode::Nearest,
                                    std::vector<float>{1, 2, 3});
  ResizeOp* op = graph.createConnectedOp<ResizeOp>(
      {{0, "x"}}, {{0, "line"}}, Onnx::Operators::Resize_11, Op::Settings(graph, "line"),
      ResizeMode::Linear, std::vector<float>{1, 1.5, 0.5}, ResizeNearestMode::Floor,
      ResizeCoordinateTransformationMode::HalfPixel);
  std::cout << op->getMode() << " " << op->getNearestMode() << " "
            << op->getCoordinateTransformationMode() << op->outInfo(0) << op->clone()->opid << "\n";
  run(ir, {{"x", {1, 3, 2, 7, -1, 0, 5, 4}}}, false, {"near", "line"});
}

/// loss = (w + d) * d * w, and its gradients by a graph that a program calls.
void differentiated() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  for (const char* id : {"w", "d", "g"}) graph.addStream(id, four);
  Graph& body = ir->createGraph(GraphId("body"));
  body.addInput("body/d", four);
  body.addInput("body/w", four);
  add<AddOp>(body, "body/w", "body/d", "body/sum", Onnx::Operators::Add_7);
  add<MulOp>(body, "body/sum", "body/d", "body/product", Onnx::Operators::Mul_7);
  add<MulOp>(body, "body/product", "body/w", "body/loss", Onnx::Operators::Mul_7);
  body.markAsOutput("body/loss");
  const auto infos =
      Autodiff().apply(*ir, body.id, {}, {}, {}, AutodiffStitchStrategy::RecomputeAllNonInputs);
  std::cout << infos << "\n";
  const BwdGraphInfo one = Autodiff().createBwdGraph(*ir, body.id, Autodiff::TensorIds{"body/loss"},
                                                     Autodiff::TensorIds{"body/w"}, {});
  std::cout << one.expectedOutputs << ir->getGraph(one.bwdGraphId).getInputIds()
            << ir->getGraph(one.bwdGraphId).getOutputIds() << "\n";
  const std::map<TensorId, TensorId> outside = {
      {"body/d", "d"}, {"body/w", "w"}, {"body/loss", "loss"}};
  graph.createConnectedOp<CallOp>({{0, "d"}, {1, "w"}}, {{0, "loss"}},
                                  Onnx::AiGraphcore::OpSet1::Call, body,
                                  Op::Settings(graph, "forward"));
  const BwdGraphInfo& info = infos.at(body.id);
  std::map<InIndex, TensorId> in;
  std::map<OutIndex, TensorId> out;
  for (const ExpectedConnection& each : info.expectedInputs)
    in.emplace(static_cast<int>(in.size()),
               each.type == ExpectedConnectionType::Fwd ? outside.at(each.fwdId) : "g");
  for (const ExpectedConnection& each : info.expectedOutputs)
    out.emplace(static_cast<int>(out.size()), getGradId(outside.at(each.fwdId)));
  graph.createConnectedOp<CallOp>(in, out, Onnx::AiGraphcore::OpSet1::Call,
                                  ir->getGraph(info.bwdGraphId), Op::Settings(graph, "backward"));
  run(ir, {{"w", {1, -2, 3, 0.5}}, {"d", {2, 3, -1, 4}}, {"g", {1, 2, 3, 4}}}, false,
      {"loss", getGradId("d"), getGradId("w")});
}

/// What a program asks of graphs that call others.
void asked() {
  auto ir = choice();
  choose(*ir, yes, no);
  std::set<OpId> ids;
  const std::vector<Op*> ops = ir->getAllOps();
  for (const Op* op : ops) ids.insert(op->id);
  const ClonedGraphMaps maps = ir->cloneGraph(GraphId("no"), GraphId("copy"));
  bool isBoth = true;
  for (const auto& each : maps.opIdMap) isBoth &= maps.opIdMap.at(each.second) == each.first;
  for (const auto& each : maps.tensorIdMap)
    isBoth &= maps.tensorIdMap.at(each.second) == each.first;
  std::cout << ids.size() << ops.size() << maps.opIdMap.size() << maps.tensorIdMap.size() << isBoth
            << "\n";
  for (const auto type :
       {graphutils::TraversalType::BreadthFirst, graphutils::TraversalType::DepthFirst}) {
    graphutils::traverse(
        {ir->getTensor("x")},
        [](Tensor* tensor) {
          std::cout << tensor->id << " ";
          return true;
        },
        [](Op*, Tensor*, Tensor* to) { return to->id != "no/a"; }, type, graphutils::VisitType::Pre,
        graphutils::TraversalDirection::Forward);
    std::cout << "\n";
  }
  // Two calls of one graph: the way back leads to the one that was gone in by, or to both.
  Graph& graph = ir->getMainGraph();
  for (const char* id : {"x", "y"})
    graph.createConnectedOp<CallOp>({{0, id}, {1, id}}, {{0, std::string(id) + "1"}},
                                    Onnx::AiGraphcore::OpSet1::Call, ir->getGraph(GraphId("copy")),
                                    Op::Settings(graph, id));
  for (const auto sites :
       {graphutils::TraverseCallSites::Current, graphutils::TraverseCallSites::All}) {
    graphutils::traverse(
        {ir->getTensor("y")},
        [](Tensor* tensor) {
          if (tensor->id == "x1" || tensor->id == "y1") std::cout << tensor->id << " ";
          return true;
        },
        [](Op*, Tensor*, Tensor*) { return true; }, graphutils::TraversalType::DepthFirst,
        graphutils::VisitType::Post, graphutils::TraversalDirection::Forward, sites);
    std::cout << "\n";
  }
  std::cout << PatternNames::getName<SGD1Decompose>() << PatternNames::contains("SGD1Decompose")
            << PatternNames::contains(Patterns::getAllPreAliasPatternNames().front())
            << PatternNames::contains("Nothing") << "\n";
  failsWithError([] { PatternNames::getName(typeid(Graph)); });
  ir->dotCheckpoint(*ir, "unasked");
  ir->getSessionOptions().dotChecks = {"final", "apart"};
  ir->getSessionOptions().dotOpNames = true;
  ir->dotCheckpoint(*ir, "apart");
  ir->getSessionOptions().separateCallOpPdfs = false;
  ir->dotCheckpoint(*ir, "final");
  ir->getSessionOptions().logDir = "final.dot";
  failsWithError([&] { ir->dotCheckpoint(*ir, "final"); });
}

/// What operators change of a tensor, by themselves or by a slice of it.
void changed() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  const TensorInfo info("FLOAT", std::vector<int64_t>{4, 4});
  graph.addStream("x", info);
  Op* slice = graph.createConnectedOp<SliceInplaceOp>(
      {{0, "x"}}, {{0, "part"}}, Onnx::CustomOperators::SliceInplace, std::vector<int64_t>{2},
      std::vector<int64_t>{4}, std::vector<int64_t>{0}, std::vector<int64_t>{1},
      Op::Settings(graph, "slice"));
  Op* scale = graph.createConnectedOp<ScaleInplaceOp>({{0, "part"}}, {{0, "scaled"}},
                                                      Onnx::CustomOperators::ScaleInplace, 2.0f,
                                                      Op::Settings(graph, "scale"));
  Op* relu = graph.createConnectedOp<ReluInplaceOp>(
      {{0, "x"}}, {{0, "all"}}, Onnx::CustomOperators::ReluInplace, Op::Settings(graph, "relu"));
  AliasesMap map(graph);
  Aliases& aliases = map.getAliases(graph);
  Tensor* x = ir.getTensor("x");
  for (const std::vector<Op*>& ops :
       std::vector<std::vector<Op*>>{{slice}, {slice, scale}, {relu}, {slice, scale, relu}, {}}) {
    const view::Regions regions = x->modifiedRegionsByOps(ops, aliases);
    std::cout << regions;
    for (const view::Region& region : regions)
      std::cout << (region.getAccessType() == view::AccessType::ReadWrite);
    std::cout << "\n";
  }
  std::cout << x->modifiedRegionsByOps(std::vector<OpId>{scale->id}, aliases) << "\n";
}

/// Which operators read what they replace.
void overwritten() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  const TensorInfo info("FLOAT", std::vector<int64_t>{4, 4});
  graph.addStream("value", info);
  graph.addStream("many", TensorInfo("FLOAT", std::vector<int64_t>{8, 4}));
  graph.addStream("stash", TensorInfo("FLOAT", std::vector<int64_t>{3, 4, 4}));
  graph.addStream("at", TensorInfo("UINT32", std::vector<int64_t>{1}));
  const auto ask = [&](const std::string& name, InIndex in, auto make) {
    graph.addStream(name, info);
    const Op::Settings settings(graph, name);
    Op* op = make(TensorId(name), TensorId(name + " out"), settings);
    AliasesMap map(graph);
    const view::Regions regions =
        ir.getTensor(name)->modifiedRegionsByOps(std::vector<Op*>{op}, map.getAliases(graph));
    std::cout << name << " " << regions << static_cast<int>(regions.at(0).getAccessType())
              << static_cast<int>(op->modifies(in).at(0).getAccessType())
              << op->overwritesTensor(ir.getTensor(name)) << "\n";
  };
  using Settings = Op::Settings;
  namespace operators = Onnx::CustomOperators;
  ask("copy", 0, [&](const TensorId& id, const TensorId& out, const Settings& s) -> Op* {
    return graph.createConnectedOp<CopyVarUpdateOp>({{0, id}, {1, "value"}}, {{0, out}}, s);
  });
  ask("zero", 0, [&](const TensorId& id, const TensorId& out, const Settings& s) -> Op* {
    return graph.createConnectedOp<AccumulatorZeroOp>({{0, id}}, {{0, out}}, s);
  });
  for (const float factor : {0.0f, 0.5f})
    ask("scale by " + std::to_string(factor), 0,
        [&](const TensorId& id, const TensorId& out, const Settings& s) -> Op* {
          return graph.createConnectedOp<AccumulatorScaleOp>({{0, id}}, {{0, out}},
                                                             OptimizerValue(factor), s);
        });
  ask("accumulate", 0, [&](const TensorId& id, const TensorId& out, const Settings& s) -> Op* {
    return graph.createConnectedOp<AccumulateOp>({{0, id}, {1, "value"}}, {{0, out}},
                                                 AccumulationType::Add, OptimizerValue(1.0f), s);
  });
  ask("restore", 1, [&](const TensorId& id, const TensorId& out, const Settings& s) -> Op* {
    return graph.createConnectedOp<RestoreInplaceOp>({{0, "stash"}, {1, id}}, {{0, out}},
                                                     operators::RestoreInplace, 3, s);
  });
  ask("slice", 2, [&](const TensorId& id, const TensorId& out, const Settings& s) -> Op* {
    return graph.createConnectedOp<DynamicSliceInplaceOp>(
        {{0, "many"}, {1, "at"}, {2, id}}, {{0, out}}, operators::DynamicSliceInplace_1,
        std::vector<int64_t>{0}, std::vector<int64_t>{4}, false, s);
  });
  ask("host", 0, [&](const TensorId& id, const TensorId& out, const Settings& s) -> Op* {
    return graph.createConnectedOp<HostLoadInplaceOp>({{0, id}}, {{0, out}},
                                                      operators::HostLoadInplace, s, "value");
  });
  ask("remote", 0, [&](const TensorId& id, const TensorId& out, const Settings& s) -> Op* {
    return graph.createConnectedOp<RemoteLoadInplaceOp>({{0, id}, {1, "at"}}, {{0, out}},
                                                        operators::RemoteLoadInplace, s, 1);
  });
  ask("several", 0, [&](const TensorId& id, const TensorId& out, const Settings& s) -> Op* {
    const ExchangeDescriptor load(ExchangeDirection::Load, TensorId("value"), {}, TileSet::IO, 1, 1,
                                  true);
    return graph.createConnectedOp<MultiExchangeOp>({{0, id}}, {{0, out}}, operators::MultiExchange,
                                                    s, std::vector<ExchangeDescriptor>{load});
  });
}

/// Loads of the code of a graph, which no session takes.
void codeLoaded() {
  auto ir = choice();
  choose(*ir, yes, no);
  Graph& graph = ir->getMainGraph();
  const auto load = [&](const GraphId& id, CodeMemoryType to) {
    return graph.createConnectedOp<RemoteCodeLoadOp>({}, {}, Onnx::CustomOperators::RemoteCodeLoad,
                                                     id, to, Op::Settings(graph, "load"));
  };
  const RemoteCodeLoadOp* op = load(GraphId("yes"), CodeMemoryType::ExecutableMemory);
  const ExchangeDescriptor code = op->getExchangeDescriptor(0);
  std::cout << code.isCodeCopy() << code.isHostExchange() << code.isRemoteExchange()
            << op->hasSideEffect() << *code.getGraphToLoadId() << code.getResourceId()
            << code.getNumInputs()
            << (*code.getDestinationCodeMemoryType() == CodeMemoryType::ExecutableMemory) << code
            << "\n";
  failsWithError([&] { op->getExchangeDescriptor(1); });
  failsWithError([&] { load(GraphId("none"), CodeMemoryType::ExecutableMemory); });
  failsWithError([&] {
    InternalCodeCopyOp(Onnx::CustomOperators::RemoteCodeLoad, GraphId("yes"), TileSet::IO,
                       CodeMemoryType::Buffer, CodeMemoryType::ExecutableMemory,
                       Op::Settings(graph, "copy"))
        .setup();
  });
  failsWithError([&] { run(ir, {{"x", {1, 2, 3, 4}}, {"y", {1, 2, 3, 4}}}, true, {"first"}); });
  failsWithError([&] { load(GraphId("no"), CodeMemoryType::Buffer); });
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "chosen") chosen(argv[2] == std::string("yes"));
  if (what == "refused") refused();
  if (what == "resized") resized();
  if (what == "differentiated") differentiated();
  if (what == "asked") asked();
  if (what == "changed") changed();
  if (what == "overwritten") overwritten();
  if (what == "code") codeLoaded();
}
