// Alias graphs, alias models of graphs that a program makes, what operators inherit from those around
// them, and settings of variables.
#include <popart/alias/aliasmodel.hpp>
#include <popart/alias/aliasmodelgrower.hpp>
#include <popart/builder.hpp>
#include <popart/error.hpp>
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/add.hpp>
#include <popart/op/elementwise.hpp>
#include <popart/op/reshape.hpp>
#include <popart/opattributehelper.hpp>
#include <popart/operators.hpp>
#include <popart/tensor.hpp>
#include <popart/tensors.hpp>
#include <popart/util.hpp>
#include <popart/variablesettings.hpp>

#include <cstring>
#include <functional>
#include <iostream>
#include <set>

using namespace popart;
namespace inplace = poprithms::memory::inplace;

namespace {

void fails(const std::function<void()>& body) {
  try {
    body();
    std::cout << "no error\n";
  } catch (const error& e) {
    std::cout << e.what() << "\n";
  }
}

void views() {
  inplace::Graph g;
  const auto a = g.allocate({4, 6});
  const auto left = g.slice(a, {0, 0}, {4, 3}), right = g.slice(a, {0, 3}, {4, 6});
  const auto turned = g.dimShuffle(a, {{1, 0}});
  const auto back = g.reverse(g.reshape(right, {2, 6}), {1});
  const auto odd = g.subSample(g.slice(a, {0, 1}, {4, 6}), 2, 1);
  const auto b = g.allocate({3});
  const auto wide = g.expand(b, {4, 3}), joined = g.concat({left, wide}, 1);
  std::cout << g.shape(turned) << g.shape(back) << g.shape(odd) << g.shape(joined)
            << g.shape(g.flatten(a)) << g.shape(g.squeeze(g.reshape(b, {1, 3, 1}))) << "\n";
  std::cout << g.areAliased(left, right) << g.areAliased(a, back) << g.areAliased(left, odd)
            << g.areAliased(turned, right) << g.areAliased(joined, right) << g.areAliased(joined, b)
            << " " << g.contains(a, odd) << g.contains(odd, a) << g.contains(back, right)
            << g.contains(left, odd) << g.contains(joined, left) << "\n";
  std::cout << g.allAliases(right).size() << " " << g.allAliases(b).size() << "\n";

  // A gate, closed and open.
  const auto gate = g.aliasGate({left, wide});
  const inplace::TensorId out(gate, 0);
  const auto written = g.modify(g.reshape(out, {12}));
  std::cout << g.isClosed(gate) << g.areAliased(written, a) << g.isModified(a);
  g.open({gate, 0});
  std::cout << g.isClosed(gate) << g.areAliased(written, a) << g.isModified(left)
            << g.isModified(right) << g.isModified(b) << "\n";
  fails([&] { g.open({gate, 1}); });
  fails([&] { g.open({g.aliasGate({b, wide}), 0}); });
  fails([&] { g.aliasGate({b}, 1); });
  fails([&] { g.expand(a, {3}); });
  fails([&] { g.aliasGate({a, b}); });
  fails([&] { g.shape({inplace::OpId(99), 0}); });
  fails([&] { g.multi({a}, {{6}}, {inplace::CrossLink::modifies(0, 0)}); });
  const auto multi = g.multi({b}, {{3}, {2}}, {inplace::CrossLink::modifies(0, 0)});
  std::cout << g.areAliased({multi, 0}, wide) << g.areAliased({multi, 1}, b) << g.isModified(b)
            << "\n";
}

/// A variant in place of an element-wise operator.
struct Positive : ElementWiseInplaceUnaryOp {
  using ElementWiseInplaceUnaryOp::ElementWiseInplaceUnaryOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Positive>(*this); }
};

/// x = a + b, r is x, written in place, f a copy of r.
struct Model {
  Model() : graph(ir.getMainGraph()) {
    const TensorInfo info(DataType::FLOAT, {2, 3});
    for (const char* id : {"a", "b", "z"}) graph.getTensors().addStream(id, info);
    add = graph.createConnectedOp<AddOp>({{0, "a"}, {1, "b"}}, {{0, "x"}}, Onnx::Operators::Add_7,
                                         Op::Settings(graph, "add"));
    const OperatorIdentifier id{"test", "Positive", 1};
    relu =
        graph.createConnectedOp<Positive>({{0, "x"}}, {{0, "r"}}, id, Op::Settings(graph, "relu"));
    flat =
        graph.createConnectedOp<ReshapeOp>({{0, "r"}}, {{0, "f"}}, Onnx::CustomOperators::Reshape_1,
                                           Shape{6}, Op::Settings(graph, "flat"));
  }
  const Tensor& tensor(const char* id) { return *graph.getTensors().get(id); }
  std::set<TensorId> aliases(AliasModel& model, const char* id) {
    std::set<TensorId> found;
    for (const Tensor* each : model.allAliases(tensor(id))) found.insert(each->id);
    return found;
  }

  Ir ir;
  Graph& graph;
  Op *add, *relu, *flat;
};

/// Squares its input, or, in place, its second one; as PopART's operators describe such.
struct Second : Op {
  Second(const Op::Settings& settings, bool isInPlace)
      : Op({"test", "Second", 1}, settings), inPlace(isInPlace) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<Second>(*this); }
  void setup() final { outInfo(0) = inInfo(0); }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  view::Regions aliases(InIndex in, OutIndex) const final {
    return {inPlace && in == 1 ? view::Region::getFull(inShape(in))
                               : view::Region::getEmpty(inRank(in))};
  }
  view::Regions modifies(InIndex in) const final { return aliases(in, 0); }
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const final {
    if (inPlace) return {};
    return {std::make_tuple(OperatorIdentifier("test", "SecondInPlace", 1), 10.0f)};
  }
  void growAliasModel(AliasModel& m) const final { m.insertNG2aryModifier(*this, 2); }
  poprithms::memory::inplace::Proposal mapInplaceProposal(const AliasModel& m,
                                                          OperatorIdentifier) const final {
    return {m.getGate(id), 1};
  }
  bool inPlace;
};

/// Shows its input transposed, by a view of its own.
struct Turn : Op {
  Turn(const Op::Settings& settings) : Op({"test", "Turn", 1}, settings) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<Turn>(*this); }
  void setup() final { outInfo(0) = {inInfo(0).dataType(), {inShape(0)[1], inShape(0)[0]}}; }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  view::Regions aliases(InIndex in, OutIndex) const final {
    return {view::Region::getFull(inShape(in))};
  }
  void growAliasModel(AliasModel& m) const final {
    m.insertViewChange(m.g.dimShuffle(m.getPoprithmsTensorId(inId(0)), {{1, 0}}), *outTensor(0),
                       false);
  }
};

void models() {
  Model m;
  AliasModel model;
  AliasModelGrower grower(model);
  grower.growFullGraph(m.graph, DataDependenciesOnly::Yes);
  std::cout << &grower.getAliasModelRef() << " " << &model << "\n";
  for (const char* id : {"a", "x", "f"}) {
    for (const TensorId& each : m.aliases(model, id)) std::cout << each << " ";
    std::cout << "\n";
  }
  std::cout << model.contains(m.tensor("x"), m.tensor("r")) << model.contains(m.relu->id)
            << model.contains(TensorId("x")) << model.contains(TensorId("y")) << " "
            << (model.getOpId(model.getGate(m.add->id)) == m.add->id) << " "
            << model.getTensorId(model.getPoprithmsTensorId("x")) << " "
            << model.getAll(m.add->id).size() << "\n";
  const auto proposal = m.add->mapInplaceProposal(model, Onnx::CustomOperators::AddLhsInplace);
  std::cout << (proposal.gateId() == model.getGate(m.add->id)) << proposal.inIndex() << "\n";
  // What the proposal makes of it.
  model.g.open(proposal);
  for (const TensorId& each : m.aliases(model, "a")) std::cout << each << " ";
  std::cout << "\n";
  model.update(m.add->id, 1000);
  fails([&] { model.getAll(m.add->id); });
  fails([&] { model.getPoprithmsTensorId("y"); });

  // Operators that describe themselves.
  for (const bool inPlace : {false, true}) {
    Model n;
    Op* second = n.graph.createConnectedOp<Second>({{0, "a"}, {1, "z"}}, {{0, "s"}},
                                                   Op::Settings(n.graph, "second"), inPlace);
    n.graph.createConnectedOp<Turn>({{0, "s"}}, {{0, "t"}}, Op::Settings(n.graph, "turn"));
    AliasModel partial;
    AliasModelGrower(partial).growPartialGraph(n.graph, "s", DataDependenciesOnly::Yes);
    for (const TensorId& each : n.aliases(partial, "t")) std::cout << each << " ";
    std::cout << partial.contains(TensorId("f"))
              << partial.g.isModified(partial.getPoprithmsTensorId("t"));
    if (!inPlace) {
      std::cout << partial.contains(second->id);
      const auto wish = second->mapInplaceProposal(partial, second->opid);
      partial.g.open(wish);
      std::cout << partial.g.areAliased(partial.getPoprithmsTensorId("t"),
                                        partial.getPoprithmsTensorId("z"));
    }
    std::cout << "\n";
  }
}

void inherited() {
  for (const VirtualGraphMode mode : {VirtualGraphMode::Off, VirtualGraphMode::Manual}) {
    Model m;
    m.ir.getSessionOptions().virtualGraphMode = mode;
    m.ir.getSessionOptions().enablePipelining = true;
    m.add->setVirtualGraphId(3);
    m.add->setBatchSerializedPhase(4);
    m.flat->setVirtualGraphId(1);
    m.flat->setPipelineStage(2);
    AliasModel model;
    AliasModelGrower(model).growFullGraph(m.graph, DataDependenciesOnly::Yes);
    m.relu->inheritPlacementAttributes(mode == VirtualGraphMode::Manual, model);
    std::cout << (m.relu->hasVirtualGraphId() ? m.relu->getVirtualGraphId() : -1) << " "
              << m.relu->getPipelineStage() << " " << m.relu->hasBatchSerializedPhase() << " "
              << m.relu->hasExecutionPhase() << "\n";
  }
}

void settings() {
  const VariableSettings all, groups(2, 2, VariableRetrievalMode::AllReplicas),
      pairs(CommGroup(CommGroupType::Consecutive, 2));
  for (const VariableSettings& each : {all, groups, pairs}) {
    std::cout << each << " " << each.getGroupCount(8) << " " << each.getRealGroupSize(8) << " "
              << each.getStride(8) << " " << each.numReplicasReturningVariable(8) << " "
              << each.groups(8)[0] << " " << each.shapeOnHost({3}, 8) << "\n";
  }
  std::cout << (all == VariableSettings(CommGroup())) << (all != groups)
            << groups.isUsingCommGroup() << pairs.getGroupRepresentative(3)
            << groups.shapeOnReplica({4, 5}, 8, "w") << "\n";
  fails([] { VariableSettings(0, 2); });
  fails([] { VariableSettings(CommGroup(CommGroupType::Orthogonal, 0)); });
  fails([&] { groups.getSharedVariableDomain(); });
  fails([&] { groups.shapeOnReplica({3, 5}, 8, "w"); });

  // What a Builder makes of them: a weight of two replicas has two values.
  auto builder = Builder::create();
  float values[4] = {1, 2, 3, 4};
  const ConstVoidData data(values, {DataType::FLOAT, {2, 2}});
  const auto x = builder->addInputTensor({DataType::FLOAT, {2}});
  for (const VariableSettings& each :
       {VariableSettings(1, 1), VariableSettings(CommGroup(CommGroupType::None, 0))}) {
    const auto w = builder->addInitializedInputTensor(data, each, {"w"});
    builder->addOutputTensor(builder->aiOnnxOpset11().add({x, w}));
    std::cout << w << " " << builder->getTensorShape(w) << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto is = [&](const char* name) { return argc > 1 && std::strcmp(argv[1], name) == 0; };
  if (is("views")) views();
  if (is("models")) models();
  if (is("inherited")) inherited();
  if (is("settings")) settings();
}
