// What a program changes in a graph of its own and in options: operators that nothing needs,
// graphs that none calls, optimizers in the place of others, depths of buffers.
#include <popart/adam.hpp>
#include <popart/filereader.hpp>
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/logging.hpp>
#include <popart/op/add.hpp>
#include <popart/op/call.hpp>
#include <popart/op/matmul.hpp>
#include <popart/op/relu.hpp>
#include <popart/operators.hpp>
#include <popart/sessionoptions.hpp>
#include <popart/sgd.hpp>
#include <popart/transforms/prune.hpp>
#include <popart/util.hpp>
#include <popart/util/expressionchecking.hpp>

#include <fstream>
#include <iostream>

#include "errors.hpp"

using namespace popart;

namespace {

ReluOp* relu(Graph& graph, const TensorId& in, const TensorId& out) {
  return graph.createConnectedOp<ReluOp>({{0, in}}, {{0, out}}, Onnx::Operators::Relu_6,
                                         Op::Settings(graph, out));
}

/// Two chains lead to anchors, one is kept by its flag, one is of no use.
void pruned() {
  Ir ir;
  Graph& main = ir.getMainGraph();
  main.getTensors().addStream("x", {DataType::FLOAT, {2, 3}});
  relu(main, "x", "a");
  relu(main, "a", "b");
  relu(main, "a", "c");
  relu(main, "x", "kept")->pruneable = false;
  relu(main, "x", "d");
  relu(main, "d", "e");
  ir.setDataFlow(DataFlow(1, {{"b", AnchorReturnType("All")}}));
  PruneHelper helper(&main);
  helper.setFront({main.getTensor("c")});
  helper.analyze();
  std::cout << helper.getOpsToDelete().size() << helper.getTensorsToDelete().size() << "\n";
  ir.applyTransform(Prune::id(), main);
  for (const auto& op : main.getOps()) std::cout << op.second->name() << " ";
  std::cout << main.getTensors().contains("d") << main.getTensors().contains("x")
            << Transform::applyTransform(Transform::getIdFromName("Prune"), main) << "\n";
}

/// Counts how often it is applied, and is not registered.
struct Counted : Transform {
  static std::size_t id() { return typeid(Counted).hash_code(); }
  bool apply(Graph&) const final { return ++times() > 1; }
  std::size_t getId() const final { return id(); }
  std::string getName() const final { return "Counted"; }
  static int& times() {
    static int n = 0;
    return n;
  }
};

void switchedOff() {
  Ir ir;
  Graph& main = ir.getMainGraph();
  std::cout << ir.applyTransform<Counted>(std::ref(main));
  std::cout << *ir.applyTransformIfEnabled<Counted>(std::ref(main));
  ir.enableTransform(Counted::id(), false);
  std::cout << ir.applyTransformIfEnabled<Counted>(std::ref(main)).has_value();
  std::cout << ir.applyTransform<Counted>(std::ref(main)) << Counted::times();
  ir.enableTransform(Prune::id(), false);
  main.getTensors().addStream("x", {DataType::FLOAT, {2, 3}});
  relu(main, "x", "unused");
  ir.applyTransformIfEnabled(Prune::id(), main);
  std::cout << main.getOps().size();
  ir.enableTransform(Prune::id(), true);
  ir.applyTransformIfEnabled(Prune::id(), main);
  std::cout << main.getOps().size() << "\n";
}

/// A report of one's own is asked for what former versions of PopART had beside it.
struct Full : memory_allocation_err {
  using memory_allocation_err::memory_allocation_err;
  std::unique_ptr<memory_allocation_err> clone() const final {
    return std::make_unique<Full>(*this);
  }
  std::string getSummaryReport() const final { return "summary"; }
  std::string getProfilePath() const final { return ""; }
};

/// An output is needed beside the anchors.
void markedOutput() {
  Ir ir;
  Graph& main = ir.getMainGraph();
  main.getTensors().addStream("x", {DataType::FLOAT, {2, 3}});
  relu(main, "x", "anchor");
  relu(main, "x", "out");
  relu(main, "x", "unused");
  main.markAsOutput("out");
  ir.setDataFlow(DataFlow(1, {{"anchor", AnchorReturnType("All")}}));
  ir.applyTransform(Prune::id(), main);
  for (const auto& op : main.getOps()) std::cout << op.second->name() << " ";
  std::cout << main.getOutputIds().size() << "\n";
}

/// Of four graphs the main one calls one, and one that none calls calls another.
void isolated() {
  Ir ir;
  const auto graph = [&](const char* id, const char* called) {
    Graph& made = ir.createGraph(GraphId(id));
    const TensorId in = addScope(made, "in"), out = addScope(made, "out");
    made.addInput(in, {DataType::FLOAT, {2}});
    if (called == nullptr)
      relu(made, in, out);
    else
      made.createConnectedOp<CallOp>({{0, in}}, {{0, out}}, Onnx::CustomOperators::Call_1,
                                     ir.getGraph(GraphId(called)), Op::Settings(made, "call"));
    made.markAsOutput(out);
  };
  graph("used", nullptr);
  graph("inner", nullptr);
  graph("outer", "inner");
  Graph& main = ir.getMainGraph();
  main.getTensors().addStream("x", {DataType::FLOAT, {2}});
  main.createConnectedOp<CallOp>({{0, "x"}}, {{0, "y"}}, Onnx::CustomOperators::Call_1,
                                 ir.getGraph(GraphId("used")), Op::Settings(main, "call"));
  ir.removeIsolatedGraphs();
  std::cout << ir.getAllGraphs().size() << ir.hasGraph(GraphId("used"))
            << ir.hasGraph(GraphId("outer")) << ir.hasGraph(GraphId("inner")) << "\n";
}

void replaced() {
  const auto sgd = [](bool isConst, float rate, float momentum = 0.0f) {
    return SGD({{"defaultLearningRate", {rate, isConst}}, {"defaultMomentum", {momentum, true}}});
  };
  sgd(false, 1.0f).validReplacement(sgd(false, 2.0f));
  fails([&] { sgd(true, 1.0f).validReplacement(sgd(true, 2.0f)); });
  fails([&] { sgd(true, 1.0f).validReplacement(sgd(false, 1.0f)); });
  fails([&] { sgd(false, 1.0f).validReplacement(sgd(false, 1.0f, 0.5f)); });
  fails([&] {
    sgd(false, 1.0f)
        .validReplacement(Adam(Optimizer::Params(), AdamMode::Adam, WeightDecayMode::Decay,
                               DataType::UNDEFINED, DataType::UNDEFINED, DataType::UNDEFINED));
  });
  SGD own = sgd(false, 1.0f);
  own.insertSpecific("w", {{"learningRate", {3.0f, false}}});
  fails([&] { sgd(false, 1.0f).validReplacement(own); });
  SGD other = sgd(false, 1.0f);
  other.insertSpecific("v", {{"learningRate", {3.0f, false}}});
  fails([&] { own.validReplacement(other); });
  const SGD separate({{"defaultMomentum", {0.5f, true}}}, {}, SGDAccumulatorAndMomentum::Separate);
  fails([&] { SGD({{"defaultMomentum", {0.5f, true}}}).validReplacement(separate); });
}

void depths() {
  SessionOptions options;
  options.defaultPrefetchBufferingDepth = 3;
  options.prefetchBufferingDepthMap = {{"x", 2}, {"none", 0}};
  std::cout << options.getBufferingDepth("x") << options.getBufferingDepth("y")
            << options.getBufferingDepth("y", true) << options.defaultBufferingDepth
            << options.prefetchBufferingDepthMap.empty() << "\n";
  logging::flush(logging::Module::none);
  fails([&] { options.getBufferingDepth("none"); });
  fails([&] { options.getBufferingDepth("x", true); });
}

void shapes() {
  Ir ir;
  Graph& main = ir.getMainGraph();
  main.getTensors().addStream("row", {DataType::FLOAT, {3}});
  main.getTensors().addStream("many", {DataType::FLOAT, {5, 4, 2, 3}});
  const auto* product = main.createConnectedOp<MatMulOp>(
      {{0, "many"}, {1, "row"}}, {{0, "y"}}, Onnx::Operators::MatMul_9, Op::Settings(main, "m"),
      nonstd::optional<float>(), MatMulBaseOp::SerialiseSettings(), OptionalDataType());
  std::cout << logging::format("{} {}", product->getExpandedLhsShape(),
                               product->getExpandedRhsShape())
            << "\n";
  const Consumers readers = main.getTensor("row")->consumers;
  std::cout << readers.getTotal() << "\n";
}

void checks() {
  int evaluated = 0;
  const auto next = [&] { return ++evaluated; };
  POPART_CHECK_LT(next(), 2) << next();
  POPART_CHECK(evaluated == 1);
  const int two = 2;
  fails([&] { POPART_CHECK_EQ(two, 3) << "{} more"; });
  fails([&] { POPART_ASSERT_GE(two, 3); });
  fails([&] { POPART_CHECK(two > 3); });
  for (const bool first : {true, false}) {
    if (first)
      POPART_CHECK(two == 2);
    else
      std::cout << "else ";
    if (first)
      POPART_CHECK_EQ(two, 2);
    else
      std::cout << "otherwise\n";
  }
  const auto text = []() -> int { throw error("What it says cannot be said"); };
  fails([&] { POPART_CHECK(two > 3) << text(); });
  fails([&] { POPART_CHECK_GT(two, 3) << "so " << text(); });
}

}  // namespace

int main() {
  pruned();
  markedOutput();
  switchedOff();
  std::cout << Full("full").getGraphReport(true) << "\n";
  isolated();
  replaced();
  depths();
  shapes();
  checks();
  std::ofstream("b.dot"), std::ofstream("a.dot"), std::ofstream("c.txt");
  for (const auto& path : io::getMatchFns(".", ".dot"))
    std::cout << path.substr(path.rfind('/') + 1) << " ";
  std::cout << "\n";
}
