// What operators, tensors and graphs of a program answer beside what a session needs: settings of
// inputs, what must not be written, constants made of inputs, copies of graphs, and what is refused.
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/add.hpp>
#include <popart/op/call.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/reshape.hpp>
#include <popart/opdebuginfo.hpp>
#include <popart/operators.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/transforms/autodiff.hpp>
#include <popart/util.hpp>

#include <iostream>
#include <sstream>

#include "errors.hpp"

using namespace popart;

namespace {

const TensorInfo kInfo(DataType::FLOAT, {2, 3});

Op* add(Graph& graph, const TensorId& a, const TensorId& b, const TensorId& out) {
  return graph.createConnectedOp<AddOp>({{0, a}, {1, b}}, {{0, out}}, Onnx::Operators::Add_7,
                                        Op::Settings(graph, out));
}

void operators() {
  Ir ir;
  Graph& main = ir.getMainGraph();
  main.addStream("x", kInfo);
  main.addStream("y", kInfo);
  Op* sum = add(main, "x", "y", "sum");
  Op* shown = main.createConnectedOp<ReshapeInplaceOp>({{0, "sum"}}, {{0, "flat"}},
                                                       Onnx::CustomOperators::ReshapeInplace,
                                                       Shape{6}, Op::Settings(main, "view"));
  Op* relu = main.createConnectedOp<ReluOp>({{0, "flat"}}, {{0, "out"}}, Onnx::Operators::Relu_6,
                                            Op::Settings(main, "relu"));
  main.markAsOutput("out");
  sum->setVirtualGraphId(2);
  std::cout << *sum->getInSettings(0).vgraphId << bool(relu->getOutSettings(0).vgraphId)
            << *sum->adjustOutSettings(0, relu->getSettings()).vgraphId << "\n";
  // Not an input, an output of the graph, and what a view shows of one.
  std::cout << sum->inputsUnmodifiable() << relu->inputUnmodifiable(0)
            << relu->producesGraphOutput() << relu->consumesGraphOutput();
  main.markAsOutput("sum");
  std::cout << relu->inputUnmodifiable(0) << shown->consumesGraphOutput()
            << sum->hasAliasedModifiers(0) << "\n";
  const auto signature = relu->getSubgraphInputs().at(0);
  std::cout << (std::get<0>(signature) == shown) << std::get<1>(signature) << std::get<2>(signature)
            << sum->getSubgraphOutputs().at(0).count(shown)
            << std::get<1>(sum->getSubgraphInputs().at(1)) << "\n";
  std::set<int> seen;
  // A gradient of Relu reads its output, 6 floats.
  std::cout << relu->calcAutoVirtualGraphCost(seen) << " " << seen.size() << "\n";
  sum->finalizeDebugInfo();
  std::cout << (&sum->getDebugInfo() == &sum->getDebugInfo()) << sum->inId(1)
            << const_cast<const Op*>(sum)->outId(0) << "\n";
  sum->settings.inferTensorMappingToFrom[0] = 1;
  failsWithError([&] { main.moveIntoGraph(sum->clone()); });
}

void tensors() {
  Ir ir;
  Graph& main = ir.getMainGraph();
  Tensors& all = main.getTensors();
  main.addStream("x", kInfo);
  main.addStream("y", kInfo);
  add(main, "x", "y", "sum");
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  all.makeConstInit("y", values.data());
  std::cout << all.get("y")->tensor_type() << all.get("y")->consumers.getTotal()
            << main.hasInputId("y") << all.get("y")->isUnmodifiable() << all.getNoProducerIds()
            << "\n";
  failsWithError([&] { all.makeConstInit("sum", values.data()); });
  std::stringstream ss;
  all.append(ss);
  std::cout << ss.str() << "\n";
  all.addActGrad("outer/z", {});
  const Scope inner = Scope() / "outer" / "inner";
  std::cout << all.find("z", inner) << all.contains("z", inner) << all.contains("z", Scope())
            << all.find("x", inner) << "\n";
  failsWithError([&] { all.find("none", inner); });
  all.removeIsolated();
  std::cout << all.contains("outer/z") << "\n";
  all.addVarInit("w", kInfo, values.data(), VariableSettings());
  std::cout << all.get("w")->tensor_type() << "\n";
  failsWithError([&] { all.addVarInit("v", kInfo, values.data(), VariableSettings(1, 2)); });
  std::vector<float> own = values;
  failsWithError([&] { all.addVarInitFromViewOf("v", kInfo, own.data(), VariableSettings()); });
}

void graphs() {
  Ir ir;
  failsWithError([&] { Graph(ir, GraphId("own")); });
  Graph& one = ir.createGraph(GraphId("one"));
  Graph& two = ir.createGraph(GraphId("two"));
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  one.addInput(addScope(one, "a"), kInfo);
  one.addConstInit(addScope(one, "c"), kInfo, values.data());
  Op* first = add(one, "one/a", "one/c", "one/sum");
  Op* second = add(one, "one/a", "one/a", "one/twice");
  one.topoCons->insert(second, first);
  one.markAsOutput("one/sum");
  two.copyFrom(one);
  std::cout << two.getInputIds() << two.getOutputIds() << two.getOps().size()
            << two.getTensor("two/sum")->info << "\n";
  Op* copy = two.getTensor("two/sum")->getProducer();
  std::cout << copy->getScope() << " " << two.topoCons->getBefores(copy).size()
            << (two.getTensor("two/c")->tensorData()->copyDataAs<float>(6) == values)
            << (&copy->getGraph() == &two) << "\n";
  failsWithError([&] { two.copyFrom(one); });
  Graph& three = ir.createGraph(GraphId("three"));
  three.copyFrom(one, Graph::CopyInputMarkings::No, Graph::CopyOutputMarkings::No);
  std::cout << three.getInputIds().size() << three.getOutputIds().size() << "\n";
  Ir other;
  other.getMainGraph().copyFrom(one, Graph::CopyInputMarkings::No, Graph::CopyOutputMarkings::No);
  std::cout << other.getMainGraph().getInputIds().size() << other.getMainGraph().getOps().size()
            << "\n";
  Graph& caller = ir.createGraph(GraphId("caller"));
  caller.addInput("caller/a", kInfo);
  caller.createConnectedOp<CallOp>({{0, "caller/a"}}, {{0, "caller/sum"}},
                                   Onnx::CustomOperators::Call_1, one,
                                   Op::Settings(caller, "call"));
  failsWithError([&] { other.createGraph(GraphId("copy")).copyFrom(caller); });
}

void differentiated() {
  Ir ir;
  Graph& inner = ir.createGraph(GraphId("inner"));
  inner.addInput("inner/a", kInfo);
  add(inner, "inner/a", "inner/a", "inner/sum");
  inner.markAsOutput("inner/sum");
  Graph& outer = ir.createGraph(GraphId("outer"));
  outer.addInput("outer/a", kInfo);
  outer.createConnectedOp<CallOp>({{0, "outer/a"}}, {{0, "outer/sum"}},
                                  Onnx::CustomOperators::Call_1, inner,
                                  Op::Settings(outer, "call"));
  outer.markAsOutput("outer/sum");
  inner.setCanBeRecursivelyAutodiffed(false);
  const auto differentiate = [&](const char* id) {
    Autodiff().apply(ir, GraphId(id), {}, {}, {}, AutodiffStitchStrategy::RecomputeAllNonInputs);
    std::cout << id << "\n";
  };
  failsWithError([&] { differentiate("outer"); });
  differentiate("inner");
  inner.setCanBeRecursivelyAutodiffed(true);
  differentiate("outer");
  // A call of the graph of gradients, as the gradient operator of a call.
  auto* call = dynamic_cast<CallOp*>(outer.getTensor("outer/sum")->getProducer());
  Graph& own = ir.createGraph(GraphId("own"));
  own.addInput("own/g", kInfo);
  add(own, "own/g", "own/g", "own/twice");
  own.markAsOutput("own/twice");
  const CallGradOp grad(*call, own, {{0, 0, GradOpInType::GradOut}}, {{0, 0}});
  const auto copy = grad.clone();
  std::cout << copy->gradInputInfo().size() << copy->getNonGradInIndex(0) << copy->opid.type
            << copy->getCalledGraphIds() << "\n";
}

}  // namespace

int main() {
  operators();
  tensors();
  graphs();
  differentiated();
  Patterns patterns;
  std::string name = "SumToAdd", none = "none";
  bool (Patterns::*isEnabled)(const std::string&) = &Patterns::isPatternEnabled;
  std::cout << (patterns.*isEnabled)("OpToIdentity") << Patterns::isMandatory(name)
            << Patterns::isMandatory(none) << "\n";
}
