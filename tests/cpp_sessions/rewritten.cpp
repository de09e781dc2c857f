// Patterns and variants in place on a program's graph, and smaller parts of PopART's interface.
#include <onnx/onnx_pb.h>
#include <popart/attributes.hpp>
#include <popart/devicemanager.hpp>
#include <popart/ir.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/op/add.hpp>
#include <popart/op/call.hpp>
#include <popart/op/collectives/collectives.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/scale.hpp>
#include <popart/operators.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>
#include <popart/util.hpp>

#include <iostream>

#include "errors.hpp"

using namespace popart;

namespace {

const TensorInfo two("FLOAT", std::vector<int64_t>{2});

/// Makes a Relu three times as much.
class ReluToScale : public PreAliasPattern {
 public:
  bool matches(Op* op) const override { return op->opid == Onnx::Operators::Relu_6; }
  std::vector<const Tensor*> touches(Op*) const override { return {}; }
  bool apply(Op* op) const override {
    Graph& graph = op->getGraph();
    const TensorId in = op->inId(0), out = op->outId(0);
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    graph.eraseOp(op->id);
    ScaleOp* made = graph.createOp<ScaleOp>(Onnx::AiGraphcore::OpSet1::Scale, 3.0f,
                                            Op::Settings(graph, "three"));
    made->connectInTensor(0, in);
    made->connectOutTensor(0, out);
    made->setup();
    return true;
  }
};
const PatternCreator<ReluToScale> creator("ReluToScale", false);

void scale(Graph& graph, const TensorId& in, const TensorId& out, float by) {
  graph.createConnectedOp<ScaleOp>({{0, in}}, {{0, out}}, Onnx::AiGraphcore::OpSet1::Scale, by,
                                   Op::Settings(graph, out));
}

/// y = relu(2 x), z = 5 y + x, by way of a called graph that scales twice.
void graphs(bool patterns) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  graph.addStream("x", two);
  scale(graph, "x", "twice", 2);
  graph.createConnectedOp<ReluOp>({{0, "twice"}}, {{0, "y"}}, Onnx::Operators::Relu_6,
                                  Op::Settings(graph, "relu"));
  Graph& callee = ir->createGraph(GraphId("callee"));
  callee.addInput("callee/a", two);
  scale(callee, "callee/a", "callee/b", 10);
  scale(callee, "callee/b", "callee/c", 0.5);
  callee.markAsOutput("callee/c");
  graph.createConnectedOp<CallOp>({{0, "y"}}, {{0, "five"}}, Onnx::AiGraphcore::OpSet1::Call,
                                  callee, Op::Settings(graph, "call"));
  graph.createConnectedOp<AddOp>({{0, "five"}, {1, "x"}}, {{0, "z"}}, Onnx::Operators::Add_7,
                                 Op::Settings(graph, "sum"));
  ir->setDataFlow(DataFlow(1, {"y", "z"}, AnchorReturnType("All")));
  ir->setPatterns(Patterns(PatternsLevel::NoPatterns)
                      .enableRuntimeAsserts(false)
                      .enablePattern("ReluToScale", patterns));
  for (Graph* each : {&graph, &callee}) ir->applyPreAliasPatterns(*each);
  std::cout << ir->opsOfType(Onnx::Operators::Relu_6).size()
            << ir->opsOfType(Onnx::AiGraphcore::OpSet1::Scale).size() << "\n";
  for (Graph* each : {&graph, &callee}) ir->applyInplacePattern(*each);
  std::cout << ir->opsOfType(Onnx::CustomOperators::ScaleInplace).size()
            << ir->opsOfType(Onnx::CustomOperators::AddLhsInplace).size() << "\n";
  auto session =
      InferenceSession::createFromIr(ir, DeviceManager::createDeviceManager().createCpuDevice());
  session->prepareDevice();
  std::vector<float> x = {-1, 2}, y(2), z(2);
  NDArrayWrapper<float> in(x.data(), two), first(y.data(), two), last(z.data(), two);
  StepIO io({{"x", in}}, {{"y", first}, {"z", last}});
  for (int step = 0; step < 2; ++step) session->run(io);
  std::cout << y[0] << " " << y[1] << " " << z[0] << " " << z[1] << "\n";
}

/// Operators that no graph takes, of attributes of a node without types.
void alone() {
  Ir ir;
  Node node;
  node.add_attribute();
  node.mutable_attribute(0)->set_name("num_groups");
  node.mutable_attribute(0)->set_i(1);
  for (const auto& [name, value] : std::map<std::string, float>{{"epsilon", 0.5f}}) {
    ONNX_NAMESPACE::AttributeProto made;
    made.set_name(name);
    made.set_f(value);
    node.add_attribute(made);
  }
  const Attributes attributes(node.attribute());
  std::cout << attributes.getAttribute<Attributes::Int>("num_groups") << " "
            << attributes.getAttribute<Attributes::Float>("epsilon") << " ";
  const auto norm = OpManager::createOp(Onnx::CustomOperators::GroupNormalization_1,
                                        ir.getMainGraph(), "", attributes);
  const auto sum = OpManager::createOp(Onnx::Operators::Add_7, ir.getMainGraph());
  std::cout << norm->isNorm() << sum->isNorm() << "\n";
  node.mutable_attribute(0)->set_name("nothing");
  node.mutable_attribute(0)->clear_i();
  failsWithError([&] { const Attributes wrong(node.attribute()); });
  for (const char* id : {"a__t1", "a__t1__b__t22", "100", "t0", "_t1", "__t1", "__t", "a__t1b"})
    std::cout << getBaseTensorId(id) << " ";
  std::cout << "\n";
}

void groups() {
  Ir ir;
  SessionOptions& options = ir.getSessionOptions();
  options.enableReplicatedGraphs = true;
  options.replicatedGraphCount = 8;
  const CommGroup all(CommGroupType::All, 0), pairs(CommGroupType::Consecutive, 2);
  for (const CommGroup& each :
       {all, CommGroup(CommGroupType::None, 0), pairs, CommGroup(CommGroupType::Orthogonal, 2)})
    std::cout << getComplementCommGroup(ir, each) << " ";
  std::cout << "\n"
            << getComplementCommGroupWithSuperSet(ir, pairs, all) << " "
            << getComplementCommGroupWithSuperSet(ir, pairs, pairs) << "\n"
            << getTransposedReplicaGroupingWithSuperSet(ReplicaGrouping(8, 1, 2),
                                                        ReplicaGrouping(8))
            << " "
            << getTransposedReplicaGroupingWithSuperSet(ReplicaGrouping(8, 2, 2),
                                                        ReplicaGrouping(8, 2, 2))
            << "\n";
  failsWithError([&] { getComplementCommGroupWithSuperSet(ir, all, pairs); });
  for (const ReplicaGrouping& each : {ReplicaGrouping(4), ReplicaGrouping(8, 2, 4)})
    failsWithError(
        [&] { getTransposedReplicaGroupingWithSuperSet(ReplicaGrouping(8, 1, 2), each); });
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "graphs") graphs(argv[2] == std::string("patterns"));
  if (what == "alone") alone();
  if (what == "groups") groups();
}
