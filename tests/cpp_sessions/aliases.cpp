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

#include <chrono>
#include <cstring>
#include <functional>
#include <iostream>
#include <set>
#include <utility>
#include <vector>

#include "errors.hpp"

using namespace popart;
namespace inplace = poprithms::memory::inplace;

namespace {

/// A line of what was found, each by its name.
void say(const std::vector<std::pair<const char*, int64_t>>& found) {
  for (const auto& each : found) std::cout << each.first << "=" << each.second << " ";
  std::cout << "\n";
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
  say({{"left,right", g.areAliased(left, right)},
       {"a,back", g.areAliased(a, back)},
       {"left,odd", g.areAliased(left, odd)},
       {"turned,right", g.areAliased(turned, right)},
       {"joined,right", g.areAliased(joined, right)},
       {"joined,b", g.areAliased(joined, b)}});
  say({{"a,odd", g.contains(a, odd)},
       {"odd,a", g.contains(odd, a)},
       {"back,right", g.contains(back, right)},
       {"left,odd", g.contains(left, odd)},
       {"joined,left", g.contains(joined, left)}});
  say({{"right", g.allAliases(right).size()}, {"b", g.allAliases(b).size()}});

  // A gate, closed and open.
  const auto gate = g.aliasGate({left, wide});
  const inplace::TensorId out(gate, 0);
  const auto written = g.modify(g.reshape(out, {12}));
  say({{"closed", g.isClosed(gate)},
       {"written shows a", g.areAliased(written, a)},
       {"a is modified", g.isModified(a)}});
  g.open({gate, 0});
  say({{"closed", g.isClosed(gate)},
       {"written shows a", g.areAliased(written, a)},
       {"left is modified", g.isModified(left)},
       {"right is modified", g.isModified(right)},
       {"b is modified", g.isModified(b)}});
  fails([&] { g.open({gate, 1}); });
  fails([&] { g.open({g.aliasGate({b, wide}), 0}); });
  fails([&] { g.aliasGate({b}, 1); });
  fails([&] { g.expand(a, {3}); });
  fails([&] { g.aliasGate({a, b}); });
  fails([&] { g.shape({inplace::OpId(99), 0}); });
  fails([&] { g.multi({a}, {{6}}, {inplace::CrossLink::modifies(0, 0)}); });
  const auto multi = g.multi({b}, {{3}, {2}}, {inplace::CrossLink::modifies(0, 0)});
  say({{"output 0 shows b", g.areAliased({multi, 0}, wide)},
       {"output 1 shows b", g.areAliased({multi, 1}, b)},
       {"b is modified", g.isModified(b)}});
}

/// Views that do not fit.
void misfits() {
  inplace::Graph g;
  const auto a = g.allocate({4, 6}), b = g.allocate({3});
  fails([&] { g.reshape(a, {5, 5}); });
  fails([&] { g.slice(a, {0, 0}, {5, 6}); });
  fails([&] { g.dimShuffle(a, {{0, 0}}); });
  fails([&] { g.reverse(a, {2}); });
  fails([&] { g.reverse(a, {uint64_t{1} << 32}); });
  fails([&] { g.subSample(a, 2, 2); });
  fails([&] { g.subSample(a, 0, 0); });
  fails([&] { g.subSample(a, -1, 0); });
  fails([&] { g.concat({a, b}, 0); });
  fails([&] { g.concat({}, 0); });
  say({{"operators", g.nOps()}});
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

/// Writes a part of its input, of which its output shows nothing, or a row.
struct Mark : Op {
  Mark(const Op::Settings& settings, bool showsRow)
      : Op({"test", "Mark", 1}, settings), shows(showsRow) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<Mark>(*this); }
  void setup() final { outInfo(0) = {inInfo(0).dataType(), {inShape(0)[1]}}; }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  view::Regions aliases(InIndex in, OutIndex) const final {
    return {shows ? row(0, in) : view::Region::getEmpty(inRank(in))};
  }
  view::Regions modifies(InIndex in) const final { return {row(1, in)}; }
  view::Region row(int64_t i, InIndex in) const { return {{i, 0}, {i + 1, inShape(in)[1]}}; }
  bool shows;
};

/// The parts that an operator without a growAliasModel() of its own shows and writes.
void marks() {
  for (const bool shows : {false, true}) {
    Model m;
    Op* mark = m.graph.createConnectedOp<Mark>({{0, "z"}}, {{0, "k"}},
                                               Op::Settings(m.graph, "mark"), shows);
    AliasModel model;
    AliasModelGrower(model).growFullGraph(m.graph, DataDependenciesOnly::Yes);
    auto& g = model.g;
    const auto z = model.getPoprithmsTensorId("z"), k = model.getPoprithmsTensorId("k");
    int64_t own = 0;
    for (uint64_t i = 0; i < g.nOps(); ++i) {
      const inplace::OpId op(static_cast<int64_t>(i));
      own += model.contains(op) && model.getOpId(op) == mark->id;
    }
    say({{"operators", model.getAll(mark->id).size()},
         {"of them its own", own},
         {"k shows z", g.areAliased(k, z)},
         {"z is modified", g.isModified(z)},
         {"row 1 is modified", g.isModified(g.slice(z, {1, 0}, {2, 3}))}});
  }
}

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
  say({{"x holds r", model.contains(m.tensor("x"), m.tensor("r"))},
       {"has relu", model.contains(m.relu->id)},
       {"has x", model.contains(TensorId("x"))},
       {"has y", model.contains(TensorId("y"))},
       {"the gate is add's", model.getOpId(model.getGate(m.add->id)) == m.add->id},
       {"x is x", model.getTensorId(model.getPoprithmsTensorId("x")) == "x"},
       {"operators of add", model.getAll(m.add->id).size()}});
  const auto proposal = m.add->mapInplaceProposal(model, Onnx::CustomOperators::AddLhsInplace);
  say({{"the gate is proposed", proposal.gateId() == model.getGate(m.add->id)},
       {"input", proposal.inIndex()}});
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
    std::cout << "\n";
    if (!inPlace) partial.g.open(second->mapInplaceProposal(partial, second->opid));
    const auto t = partial.getPoprithmsTensorId("t"), z = partial.getPoprithmsTensorId("z");
    say({{"has f", partial.contains(TensorId("f"))},
         {"has second", partial.contains(second->id)},
         {"t is modified", partial.g.isModified(t)},
         {"t shows z", partial.g.areAliased(t, z)}});
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
    say({{"graph", m.relu->hasVirtualGraphId() ? m.relu->getVirtualGraphId() : -1},
         {"stage", m.relu->getPipelineStage()},
         {"has a batch phase", m.relu->hasBatchSerializedPhase()},
         {"has a phase", m.relu->hasExecutionPhase()}});
  }
}

/// Inheriting from a neighbour takes as long as to find the neighbours, however many others there are.
void near() {
  Model m;
  TensorId last = "r";
  for (int i = 0; i < 500; ++i) {
    const TensorId next = "r" + std::to_string(i);
    m.graph.createConnectedOp<Positive>({{0, last}}, {{0, next}}, m.relu->opid,
                                        Op::Settings(m.graph, "relu"));
    last = next;
  }
  AliasModel model;
  AliasModelGrower(model).growFullGraph(m.graph, DataDependenciesOnly::Yes);
  const auto seconds = [](const std::function<void()>& body) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const double one = seconds([&] { model.allAliases(m.tensor("r")); });
  const double all = seconds([&] { m.relu->inheritPlacementAttributes(false, model); });
  say({{"look-ups", static_cast<int64_t>(all / one)}});
}

void settings() {
  const VariableSettings all, groups(2, 2, VariableRetrievalMode::AllReplicas),
      pairs(CommGroup(CommGroupType::Consecutive, 2));
  for (const VariableSettings& each : {all, groups, pairs}) {
    std::cout << each << " " << each.getGroupCount(8) << " " << each.getRealGroupSize(8) << " "
              << each.getStride(8) << " " << each.numReplicasReturningVariable(8) << " "
              << each.groups(8)[0] << " " << each.shapeOnHost({3}, 8) << "\n";
  }
  say({{"all is the default", all == VariableSettings(CommGroup())},
       {"all is not groups", all != groups},
       {"groups is a CommGroup", groups.isUsingCommGroup()},
       {"pair 3 begins at", pairs.getGroupRepresentative(3)},
       {"group 2 of 2 with stride 2 begins at", VariableSettings(2, 2).getGroupRepresentative(2)},
       {"group 5 of 2 with stride 2 begins at", VariableSettings(2, 2).getGroupRepresentative(5)}});
  std::cout << groups.shapeOnReplica({4, 5}, 8, "w") << "\n";
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
  if (is("misfits")) misfits();
  if (is("models")) models();
  if (is("marks")) marks();
  if (is("inherited")) inherited();
  if (is("near")) near();
  if (is("settings")) settings();
}
