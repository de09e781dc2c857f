// Operators, lowerings and patterns that show the tests what reaches them, and that fail on demand.
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/opmanager.hpp>
#include <popart/opserialiser.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/shapeinference.hpp>
#include <popart/tensornames.hpp>
#include <popart/util.hpp>
#include <popops/ElementWise.hpp>

namespace {

using popart::Attributes;
using popart::OperatorIdentifier;
using popart::TensorInfo;

/// An output like input 0.
class SameOp : public popart::Op {
 public:
  using popart::Op::Op;
  std::unique_ptr<popart::Op> clone() const override { return std::make_unique<SameOp>(*this); }
  void setup() override { outInfo(0) = inInfo(0); }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
};

class SameOpx : public popart::popx::Opx {
 public:
  using popart::popx::Opx::Opx;
  void grow(poplar::program::Sequence& prog) const override {
    setOutTensor(0, cloneNcopy(prog, getInTensor(0)));
  }
};

// Fails: throws `what` in `where`.

void fail(const std::string& what) {
  if (what == "error") throw popart::error("bad {} of {}", "luck", 3);
  if (what == "internal_error") throw popart::internal_error("bad state");
  if (what == "runtime_error") throw popart::runtime_error("bad run");
  if (what == "poplar_error") throw poplar::poplar_error("bad device");
  if (what == "index_error") throw poplar::index_error("bad index");
  if (what == "link")
    throw poplar::recoverable_runtime_error("bad link", poplar::RecoveryAction::LINK_RESET);
  if (what == "logic_error") throw std::logic_error("bad logic");
  if (what == "int") throw 42;
  if (what == "division") {
    const volatile int zero = 0;
    throw 42 / zero;
  }
}

class FailsOp : public SameOp {
 public:
  FailsOp(const OperatorIdentifier& opid, const Settings& settings, std::string where,
          std::string what)
      : SameOp(opid, settings), where_(where), what_(what) {}
  void failIn(const std::string& place) const {
    if (where_ == place) fail(what_);
  }
  std::unique_ptr<popart::Op> clone() const override {
    failIn("clone");
    if (where_ == "null") return nullptr;
    return std::make_unique<FailsOp>(*this);
  }
  void setup() override {
    outInfo(0) = TensorInfo(popart::DataType::INT8, {1});
    failIn("setup");
    SameOp::setup();
  }
  std::vector<std::unique_ptr<popart::Op>> getGradOps() override {
    failIn("getGradOps");
    return {};
  }
  bool hasSideEffect() const override {
    failIn("hasSideEffect");
    return true;
  }

 private:
  std::string where_;
  std::string what_;
};

class FailsOpx : public SameOpx {
 public:
  using SameOpx::SameOpx;
  void grow(poplar::program::Sequence&) const override { getOp<FailsOp>().failIn("grow"); }
};

popart::OpCreator<FailsOp> fails(
    popart::OpDefinitions({{{"test", "Fails", 1}, {}}}),
    [](const popart::OpCreatorInfo& info) {
      const std::string where = info.attributes.getAttribute<Attributes::String>("where", "");
      const std::string what = info.attributes.getAttribute<Attributes::String>("what", "");
      if (where == "factory") fail(what);
      return std::make_unique<FailsOp>(info.opid, info.settings, where, what);
    },
    true);
popart::popx::OpxCreator<FailsOpx> failsOpx({"test", "Fails", 1});

// Same: does what it should.

popart::OpCreator<SameOp> same(popart::OpDefinitions({{{"test", "Same", 1}, {}}}));
popart::popx::OpxCreator<SameOpx> sameOpx({"test", "Same", 1});

// NoOpx: nothing lowers it. Removed: its Opx is an error.

popart::OpCreator<SameOp> noOpx(popart::OpDefinitions({{{"test", "NoOpx", 1}, {}}}));
popart::OpCreator<SameOp> removed(popart::OpDefinitions({{{"test", "Removed", 1}, {}}}));
popart::popx::OpxCreator<SameOpx> removedOpx(OperatorIdentifier("test", "Removed", 1),
                                             "a pattern must remove Removed");

// Attributes: gives all that it got to appendAttributes.

class AttributesOp : public SameOp {
 public:
  AttributesOp(const popart::OpCreatorInfo& info) : SameOp(info.opid, info.settings) {
    const Attributes& a = info.attributes;
    a.setIfPresent(i_, "i");
    a.setIfPresent(b_, "b");
    a.setIfPresent(ints_, "ints");
    f_ = a.getAttribute<Attributes::Float>("f");
    floats_ = a.getAttribute<Attributes::Floats>("floats", {});
    s_ = a.getAttribute<Attributes::String>("s", "none");
    strings_ = a.getAttribute<Attributes::Strings>("strings", {});
    names_ = a.getNames();
  }
  std::unique_ptr<popart::Op> clone() const override {
    return std::make_unique<AttributesOp>(*this);
  }
  void appendAttributes(popart::OpSerialiserBase& os) const override {
    SameOp::appendAttributes(os);
    os.appendAttribute("i", i_);
    os.appendAttribute("b", b_);
    os.appendAttribute("ints", ints_);
    os.appendAttribute("f", f_);
    os.appendAttribute("floats", floats_);
    os.appendAttribute("s", s_);
    os.appendAttribute("strings", strings_);
    os.appendAttribute("names", names_);
  }

 private:
  int64_t i_ = -1;
  bool b_ = false;
  Attributes::Ints ints_;
  float f_;
  Attributes::Floats floats_;
  std::string s_;
  Attributes::Strings strings_, names_;
};

popart::OpDefinition attributesDefinition(
    {popart::OpDefinition::Inputs({{"x", {popart::DataType::FLOAT}}}),
     popart::OpDefinition::Outputs({{"y", {popart::DataType::FLOAT}}}),
     popart::OpDefinition::Attributes({{"f", {"*"}}})});
popart::OpCreator<AttributesOp> attributesCreator(
    popart::OpDefinitions({{{"test", "Attributes", 1}, attributesDefinition}}),
    [](const popart::OpCreatorInfo& info) { return std::make_unique<AttributesOp>(info); }, true);

// InPlace: writes its input 0 and shows it as its output.

class InPlaceOp : public SameOp {
 public:
  using SameOp::SameOp;
  std::unique_ptr<popart::Op> clone() const override { return std::make_unique<InPlaceOp>(*this); }
  popart::view::Regions modifies(popart::InIndex index) const override {
    if (index != 0) return {popart::view::Region::getEmpty(inRank(index))};
    return {popart::view::Region::getFull(inShape(0))};
  }
  popart::view::Regions aliases(popart::InIndex in, popart::OutIndex) const override {
    return modifies(in);
  }
};

class VariantOp : public SameOp {
 public:
  using SameOp::SameOp;
  std::unique_ptr<popart::Op> clone() const override { return std::make_unique<VariantOp>(*this); }
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override {
    return {{OperatorIdentifier("test", "InPlace", 1), 10.0f}};
  }
  std::unique_ptr<popart::Op> getInplaceVariant(const OperatorIdentifier& id) const override {
    return std::make_unique<InPlaceOp>(id, settings);
  }
};

popart::OpCreator<InPlaceOp> inPlace(popart::OpDefinitions({{{"test", "InPlace", 1}, {}}}));
popart::OpCreator<VariantOp> variant(popart::OpDefinitions({{{"test", "Variant", 1}, {}}}));

// AddTimes: adds input 1 to input 0, and multiplies by it, in place. AddTimesSecretly: declares
// nothing.

class AddTimesOpx : public popart::popx::Opx {
 public:
  using popart::popx::Opx::Opx;
  void grow(poplar::program::Sequence& prog) const override {
    const poplar::Tensor to = getInTensor(0);
    popops::addInPlace(graph(), to, getInTensor(1), prog, debugContext());
    popops::mulInPlace(graph(), to, getInTensor(1), prog, debugContext());
    setOutTensor(0, to);
  }
};

popart::OpCreator<InPlaceOp> addTimes(popart::OpDefinitions({{{"test", "AddTimes", 1}, {}}}));
popart::OpCreator<SameOp> secretly(popart::OpDefinitions({{{"test", "AddTimesSecretly", 1}, {}}}));
popart::popx::OpxCreator<AddTimesOpx> addTimesOpx({"test", "AddTimes", 1});
popart::popx::OpxCreator<AddTimesOpx> secretlyOpx({"test", "AddTimesSecretly", 1});

// Layout: creates input 0, once input 1 is there; unwinds input 1.

class LayoutOpx : public SameOpx {
 public:
  using SameOpx::SameOpx;
  popart::popx::InputCreatorType getInputCreatorType(popart::InIndex index) const override {
    return index == 0 ? popart::popx::InputCreatorType::CanCreate
                      : popart::popx::InputCreatorType::CanUnwind;
  }
  std::set<popart::TensorId> mustExistBeforeCreate(int) const override { return {inId(1)}; }
  poplar::Tensor createInput(popart::InIndex index,
                             const poplar::DebugNameAndId& dnai) const override {
    const poplar::Tensor t =
        graph().addVariable(popart::popx::popType(inInfo(index)), inInfo(index).shape_szt(), dnai);
    graph().setTileMapping(t, 3);
    return t;
  }
  poplar::Tensor unwindTensorLayout(poplar::Tensor t, popart::InIndex,
                                    popart::OutIndex) const override {
    return t.reverse(0);
  }
};

popart::OpCreator<SameOp> layout(popart::OpDefinitions({{{"test", "Layout", 1}, {}}}));
popart::popx::OpxCreator<LayoutOpx> layoutOpx({"test", "Layout", 1});

// Pair: two operators for one node, made by the factory and connected by it.

popart::OpCreator<SameOp> pair(
    popart::OpDefinitions({{{"test", "Pair", 1}, {}}}),
    popart::OpManager::ComplexOpFactoryFunc([](const popart::OpCreatorInfo& info,
                                               popart::Graph& graph) -> popart::Op* {
      const OperatorIdentifier same("test", "NoOpx", 1);
      const popart::TensorId between =
          graph.getIr().createIntermediateTensorId(info.getOutputIds()[0]);
      graph.createConnectedOp<SameOp>({{0, info.getInputIds()[0]}}, {{0, between}}, same,
                                      info.settings.copy("first"));
      return graph.createConnectedOp<SameOp>({{0, between}}, {{0, info.getOutputIds()[0]}}, same,
                                             info.settings.copy("second"));
    }));

// Shapes: known to a Builder.

popart::RegisterShapeInferenceFunction shapes(
    {"test", "Shapes", 1}, [](popart::ShapeInferenceContext& ctx) {
      popart::propagateElemTypeFromInputToOutput(ctx, 0, 0);
      popart::propagateShapeFromInputToOutput(ctx, 0, 0);
      if (ctx.getNumOutputs() > 1)
        ctx.outInfo(1) = TensorInfo("INT32", {ctx.getAttribute<Attributes::Int>("n", 7)});
    });

// Walk: asks the graph everything, and logs it.

class Walk : public popart::PreAliasPattern {
 public:
  bool matches(popart::Op* op) const override { return op->opid.type == "Walk"; }
  std::vector<const popart::Tensor*> touches(popart::Op* op) const override {
    return {op->inTensor(0), op->outTensor(0)};
  }
  bool apply(popart::Op* op) const override {
    using popart::logging::pattern::info;
    popart::Graph& graph = op->getGraph();
    popart::Tensor* in = op->inTensor(0);
    popart::Tensor* out = op->outTensor(0);
    info("class {} {}", op->isConvertibleTo<SameOp>(), op->str());
    info("input {} {} {} {}", in->id, in->info, in->tensorType(), in->hasProducer());
    info("output {} {} {}", out->id, out->getProducer() == op, out->consumers.getTotal());
    info("ids {} {}", graph.getTensors().getAllTensorIds(), graph.getOpIds());
    info("opset {} {}", graph.getIr().getOpSetVersionFromModel("test"), getPatternName());
    for (popart::Op* consumer : out->consumers.getOps())
      info("consumer {} {} {}", consumer->debugName(), out->consumers.n(consumer),
           consumer->input->tensorIdMap().begin()->second);
    op->setName("walked");
    out->info.set(popart::DataType::FLOAT16);
    return false;
  }
};

popart::PatternCreator<Walk> walk("Walk", false);

/// Puts a copy of the operator behind it, once.
class Double : public popart::PreAliasPattern {
 public:
  bool matches(popart::Op* op) const override { return op->opid.type == "Double"; }
  std::vector<const popart::Tensor*> touches(popart::Op*) const override { return {}; }
  bool apply(popart::Op* op) const override {
    popart::Graph& graph = op->getGraph();
    popart::Tensor* out = op->outTensor(0);
    const popart::TensorId between = graph.getIr().createIntermediateTensorId(out->id);
    std::unique_ptr<popart::Op> made = op->clone();
    popart::Op* second = made.get();
    graph.moveIntoGraph(std::move(made));
    transferBaseProperties(op, second);
    op->disconnectOutTensor(out);
    op->createAndConnectOutTensor(0, between);
    op->setup();
    second->connectInTensor(0, between);
    second->connectOutTensor(0, out->id);
    second->setup();
    graph.topoCons->insert(op, second);
    return true;
  }
};

popart::PatternCreator<Double> twice("Double", true, true);

/// Breaks rules: erases an operator and goes on to use it, and worse.
class Careless : public popart::PreAliasPattern {
 public:
  bool matches(popart::Op* op) const override { return op->opid.type == "Careless"; }
  std::vector<const popart::Tensor*> touches(popart::Op*) const override { return {}; }
  bool apply(popart::Op* op) const override {
    const std::string how = op->name();
    popart::Graph& graph = op->getGraph();
    if (how == "erased twice") graph.eraseOp(op->id);
    if (how == "erased and connected" || how == "erased twice") {
      graph.eraseOp(op->id);
      op->connectInTensor(0, "x");
    }
    if (how == "not in the graph") {
      SameOp loose(OperatorIdentifier("test", "NoOpx", 1), op->settings);
      loose.connectInTensor(0, "x");
    }
    if (how == "no such input") op->inTensor(7);
    if (how == "no such tensor") graph.getTensor("nothing");
    if (how == "no such operator") popart::OpManager::createOp({"test", "Nothing", 1}, graph);
    if (how == "dropped") makeReplacementOp({"test", "NoOpx", 1}, op);
    if (how == "dropped built in") makeReplacementOp({"test", "Double", 1}, op);
    return false;
  }
};

popart::PatternCreator<Careless> careless("Careless");

}  // namespace
