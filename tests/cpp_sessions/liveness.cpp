// The order of the operators of all graphs, with what is copied around calls.
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
#include <popart/tensornames.hpp>
#include <popart/util.hpp>

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

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "calls") calls();
  if (what == "loop") loop();
}
