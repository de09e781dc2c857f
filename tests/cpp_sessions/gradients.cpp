// Gradients of what a program makes operator by operator: choices, other sizes, reductions, prints.
#include <popart/ir.hpp>
#include <popart/op/add.hpp>
#include <popart/op/call.hpp>
#include <popart/op/if.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/printtensor.hpp>
#include <popart/op/reducel1.hpp>
#include <popart/op/reducel2.hpp>
#include <popart/op/reducelogsum.hpp>
#include <popart/op/reducelogsumexp.hpp>
#include <popart/op/reducemax.hpp>
#include <popart/op/reducemean.hpp>
#include <popart/op/reducemin.hpp>
#include <popart/op/reduceprod.hpp>
#include <popart/op/reducesum.hpp>
#include <popart/op/reducesumsquare.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/resize.hpp>
#include <popart/op/subtract.hpp>
#include <popart/operators.hpp>
#include <popart/transforms/autodiff.hpp>
#include <popart/transforms/autodiff/calledgraphgradophelper.hpp>
#include <popart/util.hpp>

#include <iostream>
#include <memory>

#include <unistd.h>

#include "errors.hpp"
#include "running.hpp"

using namespace popart;

namespace {

const TensorInfo four("FLOAT", std::vector<int64_t>{4});
using Values = std::vector<float>;

template <class OP>
OP* add(Graph& graph, const TensorId& a, const TensorId& b, const TensorId& out,
        const OperatorIdentifier& opid) {
  return graph.createConnectedOp<OP>({{0, a}, {1, b}}, {{0, out}}, opid, Op::Settings(graph, out));
}

/// The sum of the products of two tensors as the loss, and the gradients of the weights.
void lossOf(Ir& ir, const TensorId& a, const TensorId& b) {
  Graph& graph = ir.getMainGraph();
  add<MulOp>(graph, a, b, "products", Onnx::Operators::Mul_7);
  graph.createConnectedOp<ReduceSumOp>({{0, "products"}}, {{0, "loss"}},
                                       Onnx::Operators::ReduceSum_11, nonstd::nullopt, 0,
                                       Op::Settings(graph, "loss"));
  ir.setFinalLoss("loss");
  ir.constructBackwards();
}

/// One graph reads all three inputs; the other has no z, and one of its outputs twice.
void addGraphs(Ir& ir) {
  Graph& yes = ir.createGraph(GraphId("yes"));
  for (const char* id : {"yes/x", "yes/y", "yes/z"}) yes.addInput(id, four);
  add<AddOp>(yes, "yes/x", "yes/y", "yes/sum", Onnx::Operators::Add_7);
  add<MulOp>(yes, "yes/sum", "yes/z", "yes/product", Onnx::Operators::Mul_7);
  yes.markAsOutput("yes/sum");
  yes.markAsOutput("yes/product");
  Graph& no = ir.createGraph(GraphId("no"));
  no.addInput("no/y", four);
  no.addInput("no/x", four);
  no.createConnectedOp<ReluOp>({{0, "no/y"}}, {{0, "no/positive"}}, Onnx::Operators::Relu_6,
                               Op::Settings(no, "positive"));
  add<SubtractOp>(no, "no/x", "no/positive", "no/difference", Onnx::Operators::Sub_7);
  no.markAsOutput("no/difference");
}

const BranchInfo yes(GraphId("yes"), {{1, 0}, {2, 1}, {3, 2}}, {{0, 0}, {1, 1}});
const BranchInfo no(GraphId("no"), {{1, 1}, {2, 0}}, {{0, 0}, {1, 0}});

IfOp* choose(Graph& graph, const std::string& scope) {
  return graph.createConnectedOp<IfOp>(
      {{0, scope + "chooses"}, {1, scope + "x"}, {2, scope + "y"}, {3, scope + "z"}},
      {{0, scope + "first"}, {1, scope + "second"}}, Onnx::Operators::If_1, yes, no,
      Op::Settings(graph, "if"));
}

const Values x{1, -2, 3, -4}, y{5, 6, -7, -8}, z{0.5, -1, 2, 3};

void chosen(bool chooses) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  graph.addStream("chooses", TensorInfo(DataType::BOOL, {}));
  graph.addVarInit("x", four, x.data());
  graph.addVarInit("y", four, y.data());
  graph.addVarInit("z", four, z.data());
  addGraphs(*ir);
  choose(graph, "");
  lossOf(*ir, "first", "second");
  for (const Op* op : graph.getOpSchedule({}, RequireOptimalSchedule::No))
    if (const auto* gradient = dynamic_cast<const IfGradOp*>(op))
      std::cout << gradient->opid << " " << gradient->input->n() << gradient->output->n() << " "
                << gradient->gradInputInfo().size() << gradient->gradOutToNonGradIn().at(2) << "\n";
  run(ir, {}, chooses, {"loss", getGradId("x"), getGradId("y"), getGradId("z")});
}

/// Inputs of several ranks, one of integers in front; outputs whose numbers have a gap.
void mixed(bool chooses) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  const TensorInfo one(DataType::FLOAT, {}), rows(DataType::FLOAT, {2, 4}), whole("INT32", {4});
  const std::vector<int32_t> counts{1, 2, 3, 4};
  const Values m{1, 2, 3, 4, 5, 6, 7, 8}, s{3};
  graph.addStream("chooses", TensorInfo(DataType::BOOL, {}));
  graph.addConstInit("counts", whole, counts.data());
  graph.addVarInit("m", rows, m.data());
  graph.addVarInit("s", one, s.data());
  graph.addVarInit("x", four, x.data());
  for (const char* name : {"yes", "no"}) {
    Graph& each = ir->createGraph(GraphId(name));
    const std::string scope = std::string(name) + "/";
    each.addInput(scope + "counts", whole);
    each.addInput(scope + "m", rows);
    each.addInput(scope + "s", one);
    if (name[0] == 'y')
      add<MulOp>(each, scope + "s", scope + "m", scope + "out", Onnx::Operators::Mul_7);
    else
      add<AddOp>(each, scope + "m", scope + "m", scope + "out", Onnx::Operators::Add_7);
    add<MulOp>(each, scope + "s", scope + "s", scope + "square", Onnx::Operators::Mul_7);
    for (const char* id : {"counts", "out", "square"}) each.markAsOutput(scope + id);
  }
  const std::map<int, int> in{{1, 0}, {2, 1}, {3, 2}}, out{{1, 1}, {3, 2}};
  graph.createConnectedOp<IfOp>({{0, "chooses"}, {1, "counts"}, {2, "m"}, {3, "s"}},
                                {{1, "out"}, {3, "square"}}, Onnx::Operators::If_1,
                                BranchInfo(GraphId("yes"), in, out),
                                BranchInfo(GraphId("no"), in, out), Op::Settings(graph, "if"));
  add<MulOp>(graph, "out", "square", "both", Onnx::Operators::Mul_7);
  lossOf(*ir, "both", "x");
  run(ir, {}, chooses, {"loss", getGradId("m"), getGradId("s"), getGradId("x")});
}

/// Graphs that get a weight and give a constant: the gradient through the choice is zero.
void constant() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  graph.addStream("chooses", TensorInfo(DataType::BOOL, {}));
  graph.addVarInit("x", four, x.data());
  for (const char* name : {"yes", "no"}) {
    Graph& each = ir->createGraph(GraphId(name));
    const std::string scope = std::string(name) + "/";
    each.addInput(scope + "x", four);
    each.addConstInit(scope + "value", four, name[0] == 'y' ? y.data() : z.data());
    each.createConnectedOp<ReluOp>({{0, scope + "value"}}, {{0, scope + "out"}},
                                   Onnx::Operators::Relu_6, Op::Settings(each, name));
    each.markAsOutput(scope + "out");
  }
  const std::map<int, int> in{{1, 0}}, out{{0, 0}};
  IfOp* op =
      graph.createConnectedOp<IfOp>({{0, "chooses"}, {1, "x"}}, {{0, "chosen"}},
                                    Onnx::Operators::If_1, BranchInfo(GraphId("yes"), in, out),
                                    BranchInfo(GraphId("no"), in, out), Op::Settings(graph, "if"));
  std::cout << op->getGradOps().at(0)->gradOutToNonGradIn().at(0) << "\n";
  lossOf(*ir, "chosen", "x");
  run(ir, {}, false, {getGradId("x")});
}

/// The same choice in a graph that is called, by a graph of gradients.
void called(bool chooses) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  addGraphs(*ir);
  Graph& body = ir->createGraph(GraphId("body"));
  body.addInput("body/chooses", TensorInfo(DataType::BOOL, {}));
  for (const char* id : {"body/x", "body/y", "body/z"}) body.addInput(id, four);
  choose(body, "body/");
  add<MulOp>(body, "body/first", "body/second", "body/products", Onnx::Operators::Mul_7);
  body.markAsOutput("body/products");
  const BwdGraphInfo made = Autodiff().createBwdGraph(*ir, body.id, {}, {}, {});
  graph.addStream("chooses", TensorInfo(DataType::BOOL, {}));
  for (const char* id : {"x", "y", "z", "g", "out"}) graph.addStream(id, four);
  std::map<InIndex, TensorId> in;
  for (const ExpectedConnection& each : made.expectedInputs) {
    const TensorId id = each.fwdId.substr(each.fwdId.find('/') + 1);
    const bool isOut = id == "products";
    in.emplace(static_cast<int>(in.size()), each.type == ExpectedConnectionType::FwdGrad ? "g"
                                            : isOut                                      ? "out"
                                                                                         : id);
  }
  std::map<OutIndex, TensorId> out;
  for (const ExpectedConnection& each : made.expectedOutputs)
    out.emplace(static_cast<int>(out.size()), "d" + each.fwdId.substr(each.fwdId.find('/') + 1));
  graph.createConnectedOp<CallOp>(in, out, Onnx::AiGraphcore::OpSet1::Call,
                                  ir->getGraph(made.bwdGraphId), Op::Settings(graph, "backward"));
  run(ir, {{"x", x}, {"y", y}, {"z", z}, {"g", {1, 1, 1, 1}}, {"out", x}}, chooses,
      {"dx", "dy", "dz"});
}

/// A graph of x * y.
Graph& product(Ir& ir) {
  Graph& body = ir.createGraph(GraphId("body"));
  for (const char* id : {"body/x", "body/y"}) body.addInput(id, four);
  add<MulOp>(body, "body/x", "body/y", "body/out", Onnx::Operators::Mul_7);
  body.markAsOutput("body/out");
  return body;
}

/// A call, and its gradient as a CallGradOp, of x * y, whose gradients it computes: g * y and g * x.
/// The CallGradOp is what a class of one's own would return from getGradOps().
void callGradient() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  Graph& body = product(*ir);
  Graph& backward = ir->createGraph(GraphId("backward"));
  for (const char* id : {"backward/g", "backward/x", "backward/y"}) backward.addInput(id, four);
  add<MulOp>(backward, "backward/g", "backward/y", "backward/dx", Onnx::Operators::Mul_7);
  add<MulOp>(backward, "backward/g", "backward/x", "backward/dy", Onnx::Operators::Mul_7);
  for (const char* id : {"backward/dx", "backward/dy"}) backward.markAsOutput(id);
  for (const char* id : {"x", "y", "g"}) graph.addStream(id, four);
  auto* call = graph.createConnectedOp<CallOp>({{0, "x"}, {1, "y"}}, {{0, "out"}},
                                               Onnx::AiGraphcore::OpSet1::Call, body,
                                               Op::Settings(graph, "call"));
  const std::vector<GradInOutMapper> inputs = {
      {0, 0, GradOpInType::GradOut}, {1, 0, GradOpInType::In}, {2, 1, GradOpInType::In}};
  auto* gradient = graph.createConnectedOp<CallGradOp>({{0, "g"}, {1, "x"}, {2, "y"}},
                                                       {{0, "dx"}, {1, "dy"}}, *call, backward,
                                                       inputs, std::map<int, int>{{0, 0}, {1, 1}});
  std::cout << gradient->opid << " " << gradient->gradInputInfo().size() << " "
            << gradient->getNonGradInIndex(1) << " " << gradient->getCalledGraph().id.str() << " "
            << (gradient->clone()->gradInputInfo() == inputs) << "\n";
  failsWithError([&] { gradient->getNonGradInIndex(2); });
  run(ir, {{"x", x}, {"y", y}, {"g", {1, 2, 3, 4}}}, false, {"out", "dx", "dy"});
}

/// The same by the graph that Autodiff makes, with what CalledGraphGradOpHelper says of it.
void calledGradient() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  Graph& body = product(*ir);
  const BwdGraphInfo made = Autodiff().createBwdGraph(*ir, body.id, {}, {}, {});
  for (const char* id : {"x", "y", "g"}) graph.addStream(id, four);
  auto* call = graph.createConnectedOp<CallOp>({{0, "x"}, {1, "y"}}, {{0, "out"}},
                                               Onnx::AiGraphcore::OpSet1::Call, body,
                                               Op::Settings(graph, "call"));
  CalledGraphGradOpHelper helper(call);
  const auto same = [](int index) { return index; };
  failsWithError([&] { helper.getBwdGraph(0); });
  helper.setCalledSubgraphGradInfo({{body.id, made}});
  failsWithError([&] { helper.getBwdGraphInfo(17); });
  const auto inputs = helper.getCalledGraphGradInInfo(0, same);
  const auto outputs = helper.getCalledGraphGradOutToNonGradIn(0, same);
  std::map<InIndex, TensorId> in;
  for (const GradInOutMapper& each : inputs)
    in[each.iGrad] = each.type == GradOpInType::GradOut ? "g"
                     : each.type == GradOpInType::Out   ? call->outId(each.iNonGrad)
                                                        : call->inId(each.iNonGrad);
  std::map<OutIndex, TensorId> out;
  for (const auto& each : outputs) out[each.first] = "d" + call->inId(each.second);
  graph.createConnectedOp<CallGradOp>(in, out, *call, helper.getBwdGraph(0), inputs, outputs);
  BwdGraphInfo wrong = made;
  wrong.expectedInputs.push_back({"body/z", ExpectedConnectionType::Fwd});
  wrong.expectedOutputs.push_back({"body/out", ExpectedConnectionType::FwdGrad});
  helper.setCalledSubgraphGradInfo({{body.id, wrong}});
  failsWithError([&] { helper.getCalledGraphGradInInfo(0, same); });
  failsWithError([&] { helper.getCalledGraphGradOutToNonGradIn(0, same); });
  helper.setCalledSubgraphGradInfo({});
  failsWithError([&] { helper.getBwdGraph(0); });
  run(ir, {{"x", x}, {"y", y}, {"g", {1, 2, 3, 4}}}, false, {"out", "dx", "dy"});
}

/// The gradients of what a graph of a choice's gradients gives: of x * x * y, or of x * y * y.
void second(bool chooses) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  for (const char* name : {"yes", "no"}) {
    Graph& each = ir->createGraph(GraphId(name));
    const std::string scope = std::string(name) + "/";
    for (const char* id : {"x", "y"}) each.addInput(scope + id, four);
    const std::string twice = scope + (name[0] == 'y' ? "x" : "y");
    add<MulOp>(each, scope + "x", scope + "y", scope + "product", Onnx::Operators::Mul_7);
    add<MulOp>(each, scope + "product", twice, scope + "out", Onnx::Operators::Mul_7);
    each.markAsOutput(scope + "out");
  }
  Graph& body = ir->createGraph(GraphId("body"));
  body.addInput("body/chooses", TensorInfo(DataType::BOOL, {}));
  for (const char* id : {"body/x", "body/y"}) body.addInput(id, four);
  const std::map<int, int> inside{{1, 0}, {2, 1}}, outside{{0, 0}};
  body.createConnectedOp<IfOp>(
      {{0, "body/chooses"}, {1, "body/x"}, {2, "body/y"}}, {{0, "body/out"}}, Onnx::Operators::If_1,
      BranchInfo(GraphId("yes"), inside, outside), BranchInfo(GraphId("no"), inside, outside),
      Op::Settings(body, "if"));
  body.markAsOutput("body/out");
  const BwdGraphInfo made = Autodiff().createBwdGraph(*ir, body.id, {}, {}, {});
  graph.addStream("chooses", TensorInfo(DataType::BOOL, {}));
  graph.addVarInit("x", four, x.data());
  graph.addVarInit("y", four, y.data());
  for (const char* id : {"g", "out"}) graph.addStream(id, four);
  std::map<InIndex, TensorId> in;
  for (const ExpectedConnection& each : made.expectedInputs)
    in.emplace(static_cast<int>(in.size()), each.type == ExpectedConnectionType::FwdGrad
                                                ? "g"
                                                : each.fwdId.substr(each.fwdId.find('/') + 1));
  graph.createConnectedOp<CallOp>(in, {{0, "dx"}, {1, "dy"}}, Onnx::AiGraphcore::OpSet1::Call,
                                  ir->getGraph(made.bwdGraphId), Op::Settings(graph, "backward"));
  lossOf(*ir, "dx", "dy");
  run(ir, {{"g", {1, 2, 3, 4}}, {"out", x}}, chooses, {"loss", getGradId("x"), getGradId("y")});
}

/// The gradients of sums of y times other sizes of x, in the mode of that number.
void resized(int mode) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  const Values given{1, 3, 2, 7, -1, 0, 5, 4};
  graph.addVarInit("x", TensorInfo(DataType::FLOAT, {1, 2, 4}), given.data());
  const Op::Settings settings(graph, "resize");
  const std::map<InIndex, TensorId> in{{0, "x"}};
  const std::map<OutIndex, TensorId> out{{0, "resized"}};
  const Values scales{1, 2.5, 1.75};
  ResizeOp* op =
      mode == 0 ? graph.createConnectedOp<ResizeOp>(in, out, Onnx::Operators::Resize_10, settings,
                                                    ResizeMode::Nearest, scales)
                : graph.createConnectedOp<ResizeOp>(in, out, Onnx::Operators::Resize_11, settings,
                                                    mode == 1   ? ResizeMode::Nearest
                                                    : mode == 2 ? ResizeMode::Linear
                                                                : ResizeMode::Cubic,
                                                    scales, ResizeNearestMode::Floor,
                                                    ResizeCoordinateTransformationMode::HalfPixel);
  const TensorInfo info = op->outInfo(0);
  Values factors;
  for (int64_t i = 0; i < info.nelms(); ++i) factors.push_back(static_cast<float>(i % 7) - 2.5f);
  graph.addStream("y", info);
  lossOf(*ir, "resized", "y");
  for (Op* each : graph.getOpSchedule({}, RequireOptimalSchedule::No))
    if (auto* gradient = dynamic_cast<ResizeGradOp*>(each)) {
      std::cout << gradient->opid << " " << gradient->getFwdScales().size() << gradient->getScales()
                << gradient->outInfo(0) << "\n";
      failsWithError([&] { gradient->getGradOps(); });
    }
  run(ir, {{"y", factors}}, false, {getGradId("x")});
}

template <class OP>
void reduced(const OperatorIdentifier& opid, const std::vector<int64_t>& axes) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  const TensorInfo info(DataType::FLOAT, {2, 3, 2});
  graph.addStream("x", info);
  OP* op = graph.createConnectedOp<OP>({{0, "x"}}, {{0, "y"}}, opid, axes, 0,
                                       Op::Settings(graph, "reduce"));
  graph.addStream("g", op->outInfo(0));
  auto made = op->getGradOps();
  Op* gradient = graph.getOp(graph.moveIntoGraph(std::move(made.at(0))));
  for (const GradInOutMapper& each : gradient->gradInputInfo())
    gradient->connectInTensor(each.iGrad, each.type == GradOpInType::GradOut ? "g"
                                          : each.type == GradOpInType::In    ? "x"
                                                                             : "y");
  gradient->createAndConnectOutTensor(0, "dx");
  gradient->setup();
  std::cout << gradient->opid.type << gradient->outShape(0) << "\n";
  Values g;
  for (int64_t i = 0; i < op->outInfo(0).nelms(); ++i) g.push_back(static_cast<float>(i) + 0.5f);
  run(ir, {{"x", {1, 3, 2, 7, 4, 0.5, 5, 4, 2, 2, 1, 3}}, {"g", g}}, false, {"dx"});
}

void reductions() {
  using namespace Onnx::Operators;
  reduced<ReduceSumOp>(ReduceSum_11, {1});
  reduced<ReduceMeanOp>(ReduceMean_11, {0, 2});
  reduced<ReduceMaxOp>(ReduceMax_11, {-1});
  reduced<ReduceMinOp>(ReduceMin_11, {1});
  reduced<ReduceProdOp>(ReduceProd_11, {1});
  reduced<ReduceSumSquareOp>(ReduceSumSquare_11, {0});
  reduced<ReduceL1Op>(ReduceL1_11, {1});
  reduced<ReduceL2Op>(ReduceL2_11, {0, 1, 2});
  reduced<ReduceLogSumOp>(ReduceLogSum_11, {2});
  reduced<ReduceLogSumExpOp>(ReduceLogSumExp_11, {1});
}

/// Prints of a weight and of its gradient, which go to standard output here.
void printed(bool self, bool gradient, const std::string& title) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  graph.addVarInit("w", four, x.data());
  graph.addStream("y", four);
  const PrintTensorFmt format(1000, 3, 75, 3, PrintTensorFmt::FloatFormat::Fixed, ',', '(', ')');
  PrintTensorOp* op = graph.createConnectedOp<PrintTensorOp>(
      {{0, "w"}}, {{0, "shown"}}, Onnx::CustomOperators::PrintTensor_1, self, gradient, title,
      format, Op::Settings(graph, "print"));
  const auto made = op->getGradOps();
  const auto* next = dynamic_cast<const PrintTensorOp*>(made.at(0).get());
  std::cout << op->hasSideEffect() << op->shouldPrint() << op->canBeReplacedByIdentity()
            << op->getTitle() << "|" << next->getTitle() << next->hasSideEffect()
            << next->getFmt().separator << next->gradOutToNonGradIn().at(0) << std::endl;
  op->setTitle(title.empty() ? title : title + "!");
  lossOf(*ir, "shown", "y");
  dup2(STDOUT_FILENO, STDERR_FILENO);
  run(ir, {{"y", y}}, false, {"loss"});
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "chosen") chosen(argv[2] == std::string("yes"));
  if (what == "mixed") mixed(argv[2] == std::string("yes"));
  if (what == "second") second(argv[2] == std::string("yes"));
  if (what == "constant") constant();
  if (what == "called") called(argv[2] == std::string("yes"));
  if (what == "callGradient") callGradient();
  if (what == "calledGradient") calledGradient();
  if (what == "resized") resized(std::stoi(argv[2]));
  if (what == "reductions") reductions();
  if (what == "printed")
    printed(argv[2][0] == '1', argv[2][1] == '1', argv[3] == std::string("-") ? "" : argv[3]);
}
