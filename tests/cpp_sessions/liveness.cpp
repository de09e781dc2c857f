// The order of the operators of all graphs, with what is copied around calls.
#include <popart/aliaszerocopy.hpp>
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/liveness.hpp>
#include <popart/op/add.hpp>
#include <popart/op/call.hpp>
#include <popart/op/if.hpp>
#include <popart/op/loop.hpp>
#include <popart/op/relu.hpp>
#include <popart/operators.hpp>
#include <popart/subgraphcopyingstrategy.hpp>
#include <popart/subgraphpartitioner.hpp>
#include <popart/tensornames.hpp>
#include <popart/util.hpp>

#include <functional>
#include <iostream>
#include <memory>

#include "errors.hpp"

using namespace popart;
using namespace popart::liveness;

namespace {

const TensorInfo one(DataType::FLOAT, Shape{});

/// Leaves out a copy, or names one that there is not.
class Wrong : public OnEnterAndExitSubgraphCopyingStrategy {
 public:
  explicit Wrong(bool forgets) : forgets_(forgets) {}
  std::vector<size_t> getIndicesOfCopiesToInsertAfterNode(
      const LivenessNode& node, const LivenessAnalyzer::PendingCopies& pending) const override {
    return forgets_ || node.getStatus() != OpStatus::Enter ? std::vector<size_t>()
                                                           : std::vector<size_t>{pending.size()};
  }

 private:
  bool forgets_;
};

void show(const LivenessAnalyzer& analyzer) {
  for (size_t i = 0; i < analyzer.getOpScheduleSize(); ++i) {
    const LivenessNode& node = analyzer.getOpScheduleAt(static_cast<int64_t>(i));
    std::cout << i << " " << node.getStatus() << " " << node.getOp()->name() << " "
              << node.getCallStack().size() << node.getIndex() << node.getSubgraphIndex()
              << node.getDuplicate();
    for (const TensorId& id : node.usedTensorIds()) std::cout << " " << id;
    std::cout << "\n";
  }
}

Op* addTo(Graph& graph, const TensorId& a, const TensorId& b, const TensorId& out) {
  return graph.createConnectedOp<AddOp>({{0, a}, {1, b}}, {{0, out}}, Onnx::Operators::Add_7,
                                        Op::Settings(graph, out));
}

/// Two calls of a graph, and a choice between it and another.
void calls() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  for (const char* id : {"a", "b"}) graph.addStream(id, one);
  graph.addStream("chooses", TensorInfo(DataType::BOOL, {}));
  Graph& callee = ir.createGraph(GraphId("callee"));
  for (const char* id : {"callee/x", "callee/y"}) callee.addInput(id, one);
  Op* sum = addTo(callee, "callee/x", "callee/y", "callee/sum");
  callee.markAsOutput("callee/sum");
  Graph& other = ir.createGraph(GraphId("other"));
  other.addInput("other/x", one);
  other.createConnectedOp<ReluOp>({{0, "other/x"}}, {{0, "other/out"}}, Onnx::Operators::Relu_6,
                                  Op::Settings(other, "relu"));
  other.markAsOutput("other/out");
  const auto call = [&](const TensorId& x, const TensorId& y, const TensorId& out) {
    return graph.createConnectedOp<CallOp>({{0, x}, {1, y}}, {{0, out}},
                                           Onnx::AiGraphcore::OpSet1::Call, callee,
                                           Op::Settings(graph, out));
  };
  Op* first = call("a", "b", "first");
  Op* second = call("first", "b", "second");
  Op* choice = graph.createConnectedOp<IfOp>(
      {{0, "chooses"}, {1, "second"}, {2, "a"}}, {{0, "chosen"}}, Onnx::Operators::If_1,
      BranchInfo(callee.id, {{1, 0}, {2, 1}}, {{0, 0}}), BranchInfo(other.id, {{2, 0}}, {{0, 0}}),
      Op::Settings(graph, "if"));
  OnEnterAndExitSubgraphCopyingStrategy strategy;
  LivenessAnalyzer analyzer(&ir, &strategy);
  strategy.setIr(&ir);
  strategy.setLivenessAnalyzer(&analyzer);
  strategy.apply();
  analyzer.apply();
  show(analyzer);
  const auto print = [](const std::vector<int64_t>& places) {
    for (const int64_t each : places) std::cout << each << " ";
    std::cout << "\n";
  };
  print(analyzer.getScheduleIndices(sum));
  print(analyzer.getScheduleIndices(choice));
  print(analyzer.getScheduleIndices(ir.getTensor("first")));
  print(analyzer.getScheduleIndices(TensorId("chooses")));
  print(analyzer.getCallSiteLinksAt(0));
  print(analyzer.getCallSiteLinksInvAt(5));
  std::cout << analyzer.getGlobalSchedulePosition({first, sum}) << " "
            << analyzer.getGlobalSchedulePosition({second, sum}) << " "
            << analyzer.getGraphCallSites(callee.id).size() << " "
            << analyzer.getGraphOpSchedule(graph.id).size() << " "
            << analyzer.getContextStartIndex(ExecutionContext::Subgraph) << " "
            << analyzer.getContextEndIndex(ExecutionContext::Normal) << " "
            << analyzer.getContextStartIndex(ExecutionContext::WeightsFromHostFragment) << "\n";
  Tensor *a = ir.getTensor("a"), *x = ir.getTensor("callee/x"), *out = ir.getTensor("first");
  Tensor* inner = ir.getTensor("callee/sum");
  const auto ask = [&](int64_t place, Tensor* t) {
    const LivenessNode& node = analyzer.getOpScheduleAt(place);
    std::cout << node.isProducerOf(t) << node.isConsumerOf(t) << node.overwritesTensor(t)
              << node.modifiesTensor(t) << " ";
  };
  for (Tensor* t : {a, x}) ask(1, t);
  for (Tensor* t : {x, inner}) ask(3, t);
  for (Tensor* t : {inner, out}) ask(4, t);
  for (Tensor* t : {a, ir.getTensor("chooses")}) ask(12, t);
  std::cout << "\n" << analyzer.getOpScheduleAt(1) << "\n";
  for (const bool forgets : {true, false})
    failsWithError([&] {
      const Wrong wrong(forgets);
      LivenessAnalyzer(&ir, &wrong).apply();
    });
}

/// A loop that adds to a value, and reads another that stays.
void loop() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  Graph& body = ir.createGraph(GraphId("body"));
  body.addInput("body/number", TensorInfo(DataType::INT32, {}));
  body.addInput("body/going", TensorInfo(DataType::BOOL, {}));
  body.markAsOutput("body/going");
  for (const char* id : {"a", "b"}) graph.addStream(id, one);
  const Op::Settings settings(graph, "loop");
  LoopOp* op = graph.createOp<LoopOp>(Onnx::Operators::Loop_11, settings, body);
  op->setTripCountValue(4);
  op->addLoopInput(LoopOp::getFirstInputInIndex(), "a", "body/a", false);
  op->addLoopInput(LoopOp::getFirstInputInIndex() + 1, "b", "body/b", false);
  addTo(body, "body/a", "body/b", "body/sum");
  op->addLoopOutput(LoopOp::getFirstOutputOutIndex(), "out", "body/sum", false);
  op->setup();
  OnEnterAndExitSubgraphCopyingStrategy strategy;
  LivenessAnalyzer analyzer(&ir, &strategy);
  analyzer.apply();
  show(analyzer);
}

/// What a graph is cut into, and what its calls do.
void showParts(const Ir& ir, const SubgraphPartitioner& parts) {
  for (const Graph* graph : ir.getAllGraphs()) {
    std::cout << "'" << graph->id << "' " << parts.getNumSubgraphParts(*graph) << " "
              << SubgraphPartitioner::isPartitionable(*graph);
    for (Op* op : graph->getOpSchedule({}, RequireOptimalSchedule::No)) {
      std::cout << ", " << op->name() << " " << parts.getOpSubgraphPartBegin(op) << "-"
                << parts.getOpSubgraphPartEnd(op);
      if (auto* call = dynamic_cast<CallOp*>(op))
        for (const auto& [what, part] : parts.getCallOpSchedule(call))
          std::cout << " " << part << ":" << what;
    }
    std::cout << "\n";
  }
}

/// A graph that calls another twice: its inputs are needed late, and its outputs are final early.
void parts() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  for (const char* id : {"a", "b", "c"}) graph.addStream(id, one);
  Graph& inner = ir.createGraph(GraphId("inner"));
  for (const char* id : {"inner/x", "inner/y", "inner/z"}) inner.addInput(id, one);
  addTo(inner, "inner/x", "inner/y", "inner/early");
  addTo(inner, "inner/early", "inner/z", "inner/late");
  inner.markAsOutput("inner/early");
  inner.markAsOutput("inner/late");
  Graph& outer = ir.createGraph(GraphId("outer"));
  for (const char* id : {"outer/x", "outer/y", "outer/z"}) outer.addInput(id, one);
  const auto call = [](Graph& from, Graph& to, const std::vector<TensorId>& in,
                       const std::vector<TensorId>& out) {
    std::map<InIndex, TensorId> inputs;
    for (const TensorId& id : in) inputs[static_cast<int>(inputs.size())] = id;
    std::map<OutIndex, TensorId> outputs;
    for (const TensorId& id : out) outputs[static_cast<int>(outputs.size())] = id;
    from.createConnectedOp<CallOp>(inputs, outputs, Onnx::AiGraphcore::OpSet1::Call, to,
                                   Op::Settings(from, out.back()));
  };
  call(outer, inner, {"outer/x", "outer/x", "outer/y"}, {"outer/p", "outer/q"});
  call(outer, inner, {"outer/q", "outer/x", "outer/z"}, {"outer/r", "outer/s"});
  outer.markAsOutput("outer/p");
  outer.markAsOutput("outer/s");
  call(graph, outer, {"a", "b", "c"}, {"d", "e"});
  OnEnterAndExitSubgraphCopyingStrategy whole;
  JustInTimeSubgraphCopyingStrategy late;
  for (liveness::SubgraphCopyingStrategy* strategy :
       std::initializer_list<liveness::SubgraphCopyingStrategy*>{&whole, &late}) {
    LivenessAnalyzer analyzer(&ir, strategy);
    strategy->setIr(&ir);
    strategy->setLivenessAnalyzer(&analyzer);
    strategy->apply();
    analyzer.apply();
    SubgraphPartitioner partitioner;
    partitioner.setIr(&ir);
    partitioner.setLivenessAnalyzer(&analyzer);
    partitioner.apply();
    showParts(ir, partitioner);
  }
  SubgraphPartitioner empty;
  failsWithError([&] { empty.apply(); });
  empty.setIr(&ir);
  failsWithError([&] { empty.apply(); });
  failsWithError([&] { empty.getNumSubgraphParts(graph); });
  JustInTimeSubgraphCopyingStrategy alone;
  failsWithError([&] { alone.apply(); });
}

/// Two calls with one weight, of which the second's result alone is needed, and a graph whose result
/// nobody reads.
void zero() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  graph.addInput("a", one);
  const float value = 2;
  graph.addVarInit("w", one, &value);
  Graph& callee = ir.createGraph(GraphId("callee"));
  for (const char* id : {"callee/x", "callee/w"}) callee.addInput(id, one);
  Op* sum = addTo(callee, "callee/x", "callee/w", "callee/sum");
  callee.markAsOutput("callee/sum");
  Graph& unread = ir.createGraph(GraphId("unread"));
  unread.addInput("unread/x", one);
  Op* lost = addTo(unread, "unread/x", "unread/x", "unread/out");
  unread.markAsOutput("unread/out");
  const auto call = [&](Graph& to, std::map<InIndex, TensorId> in, const TensorId& out) {
    return graph.createConnectedOp<CallOp>(in, {{0, out}}, Onnx::AiGraphcore::OpSet1::Call, to,
                                           Op::Settings(graph, out));
  };
  Op* first = call(callee, {{0, "a"}, {1, "w"}}, "first");
  Op* second = call(callee, {{0, "first"}, {1, "w"}}, "second");
  Op* third = call(unread, {{0, "second"}}, "third");
  Op* out = addTo(graph, "second", "second", "out");
  graph.markAsOutput("out");
  OnEnterAndExitSubgraphCopyingStrategy strategy;
  LivenessAnalyzer analyzer(&ir, &strategy);
  analyzer.apply();
  AliasZeroCopy found(&ir, &analyzer);
  found.apply();
  std::cout << found.opRequired(sum) << found.opRequired(lost) << found.opRequired(out)
            << found.copyInputRequired(first, 1) << found.copyOutputRequired(second, 0)
            << found.copyInputRequired(third, 0) << found.copyOutputRequired(third, 0)
            << found.copyModifiedRequired(first, 0) << found.copyLoopCarriedRequired(first, 0)
            << "\n";
  for (Tensor* tensor : found.getTensorsWithPostIRAliases()) {
    std::cout << tensor->id << ":";
    for (Tensor* other : found.getPostIRAliases(tensor)) std::cout << " " << other->id;
    std::cout << "; ";
  }
  std::cout << "\n";
  Tensor *w = ir.getTensor("w"), *inside = ir.getTensor("callee/w"), *x = ir.getTensor("callee/x");
  for (Tensor* tensor :
       {w, inside, x, ir.getTensor("callee/sum"), ir.getTensor("second"), ir.getTensor("third")})
    std::cout << found.getLivenessIntervals(tensor, Enforce) << " "
              << found.getLivenessIntervals(tensor, Ignore) << " "
              << found.getCandidateLivenessIntervals(tensor) << "; ";
  const auto sizes = [&] {
    std::cout << found.getProposedAliasedTensors({w}, true).size()
              << found.getActiveAliasedTensors({w}, true).size();
  };
  std::cout << "\n";
  sizes();
  found.activateAlias(w, inside);
  sizes();
  found.removePostIRAliases(w);
  std::cout << found.getPostIRAliases(inside).count(w) << "\n";
  found.printLivenessIntervals({w, x}, Enforce);
  graph.addStream("wide", TensorInfo(DataType::FLOAT, Shape{2}));
  failsWithError([&] { found.activateAlias(w, ir.getTensor("wide")); });
  for (const auto& take : std::vector<std::function<void(Tensor*)>>{
           [&](Tensor* t) { found.getPostIRAliases(t); },
           [&](Tensor* t) { found.removePostIRAliases(t); },
           [&](Tensor* t) { found.activateAlias(w, t); },
           [&](Tensor* t) { found.getProposedAliasedTensors({t}, true); },
           [&](Tensor* t) { found.getActiveAliasedTensors({t}, true); },
           [&](Tensor* t) { found.getLivenessIntervals(t, Enforce); },
           [&](Tensor* t) { found.getCandidateLivenessIntervals(t); },
       })
    failsWithError([&] { take(nullptr); });
  Intervals some, others;
  some.insert(0, 2);
  some.insert(4, 6);
  some.insert(2, 3);
  some.insert(5, 5);
  others.insert(1, 5);
  std::cout << some << " " << (some & others) << " " << AliasZeroCopy::doOverlap(some, others);
  some += others;
  std::cout << " " << some << (some != others) << "\n";
}

/// What has no Ir, no strategy, or no order; and graphs of an Ir that nothing has touched before.
void missing() {
  Ir ir, untouched;
  Graph& aside = untouched.createGraph(GraphId("aside"));
  std::cout << aside.id << " " << Ir().getAllGraphs().size() << "\n";
  ir.getMainGraph().addStream("a", one);
  addTo(ir.getMainGraph(), "a", "a", "b");
  OnEnterAndExitSubgraphCopyingStrategy strategy;
  LivenessAnalyzer analyzer(&ir, &strategy);
  SubgraphPartitioner parts;
  parts.setIr(&ir);
  parts.setLivenessAnalyzer(&analyzer);
  failsWithError([&] { LivenessAnalyzer(nullptr, &strategy).apply(); });
  failsWithError([&] { LivenessAnalyzer(&ir, nullptr).apply(); });
  failsWithError([&] { AliasZeroCopy(nullptr, &analyzer).apply(); });
  failsWithError([&] { AliasZeroCopy(&ir, nullptr).apply(); });
  failsWithError([&] { AliasZeroCopy(&ir, &analyzer).apply(); });
  failsWithError([&] { parts.apply(); });
  AliasZeroCopy without(&ir, nullptr);
  failsWithError([&] { without.getLivenessIntervals(ir.getTensor("a"), Enforce); });
  failsWithError([&] { without.opRequired(nullptr); });
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "calls") calls();
  if (what == "loop") loop();
  if (what == "parts") parts();
  if (what == "zero") zero();
  if (what == "missing") missing();
}
