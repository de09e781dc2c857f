// Operators that use what an operator may use: several outputs and gradients, inputs that may be
// left out, seeds, graphs as attributes, regions, variants in place; and others that do it wrong.
#include <popart/graph.hpp>
#include <popart/opmanager.hpp>
#include <popart/opserialiser.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/region.hpp>
#include <popart/transforms/transform.hpp>
#include <popops/ElementWise.hpp>
#include <poprand/RandomGen.hpp>

namespace {

using popart::Attributes;
using popart::GradInOutMapper;
using popart::GradOpInType;
using popart::Op;
using popart::OperatorIdentifier;
using popart::TensorInfo;
using popart::view::Region;
using popart::view::Regions;
namespace pe = popops::expr;

/// clone() and the subgraph value, for all.
template <class Derived>
class Base : public Op {
 public:
  using Op::Op;
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new Derived(static_cast<const Derived&>(*this)));
  }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
};

// Products: y = a * b (* c), s = a + b. Gradients of a and b by one operator, of c by another.

template <class Derived>
class ProductsGradBase : public Base<Derived> {
 public:
  ProductsGradBase(const char* type, const Op& forward, std::vector<GradInOutMapper> inputs,
                   std::map<int, int> outputs)
      : Base<Derived>(OperatorIdentifier("test.features", type, 1), forward.settings),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}
  const std::vector<GradInOutMapper>& gradInputInfo() const override { return inputs_; }
  const std::map<int, int>& gradOutToNonGradIn() const override { return outputs_; }

 private:
  std::vector<GradInOutMapper> inputs_;
  std::map<int, int> outputs_;
};

class FactorsGradOp : public ProductsGradBase<FactorsGradOp> {
 public:
  explicit FactorsGradOp(const Op& forward)
      : ProductsGradBase("FactorsGrad", forward,
                         {{0, 0, GradOpInType::GradOut},
                          {1, 1, GradOpInType::GradOut},
                          {2, 0, GradOpInType::In},
                          {3, 1, GradOpInType::In},
                          {4, 2, GradOpInType::In}},
                         {{0, 0}, {1, 1}}) {}
  void setup() override {
    outInfo(0) = inInfo(2);
    outInfo(1) = inInfo(3);
  }
};

class ThirdGradOp : public ProductsGradBase<ThirdGradOp> {
 public:
  explicit ThirdGradOp(const Op& forward)
      : ProductsGradBase(
            "ThirdGrad", forward,
            {{0, 0, GradOpInType::GradOut}, {1, 0, GradOpInType::In}, {2, 1, GradOpInType::In}},
            {{0, 2}}) {}
  void setup() override { outInfo(0) = inInfo(1); }
};

class ProductsOp : public Base<ProductsOp> {
 public:
  using Base::Base;
  void setup() override {
    outInfo(0) = inInfo(0);
    outInfo(1) = inInfo(0);
  }
  std::set<popart::InIndex> optionalInputs() const override { return {2}; }
  std::vector<std::unique_ptr<Op>> getGradOps() override {
    std::vector<std::unique_ptr<Op>> gradients;
    gradients.emplace_back(new FactorsGradOp(*this));
    gradients.emplace_back(new ThirdGradOp(*this));
    return gradients;
  }
};

class ProductsOpx : public popart::popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const override {
    poplar::Tensor y = popops::mul(graph(), getInTensor(0), getInTensor(1), prog);
    if (hasInput(2)) y = popops::mul(graph(), y, getInTensor(2), prog);
    setOutTensor(0, y);
    setOutTensor(1, popops::add(graph(), getInTensor(0), getInTensor(1), prog));
  }
};

class FactorsGradOpx : public popart::popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const override {
    poplar::Tensor dy = getInTensor(0);
    if (hasInput(4)) dy = popops::mul(graph(), dy, getInTensor(4), prog);
    for (int i = 0; i < 2; ++i)
      setOutTensor(i, popops::map(graph(), pe::Add(pe::Mul(pe::_1, pe::_2), pe::_3),
                                  {dy, getInTensor(3 - i), getInTensor(1)}, prog));
  }
};

class ThirdGradOpx : public popart::popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const override {
    setOutTensor(0, popops::map(graph(), pe::Mul(pe::_1, pe::Mul(pe::_2, pe::_3)),
                                {getInTensor(0), getInTensor(1), getInTensor(2)}, prog));
  }
};

popart::OpCreator<ProductsOp> products(popart::OpDefinitions({{{"test.features", "Products", 1},
                                                               {}}}));
popart::popx::OpxCreator<ProductsOpx> productsOpx({"test.features", "Products", 1});
popart::popx::OpxCreator<FactorsGradOpx> factorsOpx({"test.features", "FactorsGrad", 1});
popart::popx::OpxCreator<ThirdGradOpx> thirdOpx({"test.features", "ThirdGrad", 1});

// Noise: adds random numbers, from the seed that the compiler connects.

class NoiseOp : public Base<NoiseOp> {
 public:
  NoiseOp(const OperatorIdentifier& opid, const Settings& settings, int seed)
      : Base(opid, settings), seed_(seed) {}
  void setup() override { outInfo(0) = inInfo(0); }
  bool requiresRandomSeed() const override { return true; }
  popart::InIndex getSeedInIndex() const override { return seed_; }

 private:
  int seed_;
};

class NoiseOpx : public popart::popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const override {
    const poplar::Tensor x = getInTensor(0);
    if (!hasInput(1)) return setOutTensor(0, x);  // takes no seed
    const poplar::Tensor seed = getInTensor(1);
    const poplar::Tensor noise = poprand::uniform(graph(), &seed, 0, x, x.elementType(), 0.0, 1.0,
                                                  prog, debugContext("noise"));
    setOutTensor(0, popops::add(graph(), x, noise, prog, debugContext("add")));
  }
};

popart::OpCreator<NoiseOp> noise(
    popart::OpDefinitions({{{"test.features", "Noise", 1}, {}}}),
    [](const popart::OpCreatorInfo& info) {
      const int64_t seed = info.attributes.getAttribute<Attributes::Int>("seed", 1);
      return std::unique_ptr<Op>(new NoiseOp(info.opid, info.settings, static_cast<int>(seed)));
    },
    true);
popart::popx::OpxCreator<NoiseOpx> noiseOpx({"test.features", "Noise", 1});

// Proxy: its first input, with a leading dimension of 1 that setup() does not have. Gradients flow to
// the second input alone.

class ProxyGradOp : public ProductsGradBase<ProxyGradOp> {
 public:
  explicit ProxyGradOp(const Op& forward)
      : ProductsGradBase("ProxyGrad", forward, {{0, 0, GradOpInType::GradOut}}, {{0, 1}}) {}
  void setup() override { outInfo(0) = inInfo(0); }
};

class ProxyOp : public Base<ProxyOp> {
 public:
  using Base::Base;
  void setup() override { outInfo(0) = inInfo(0); }
  std::vector<std::unique_ptr<Op>> getGradOps() override {
    std::vector<std::unique_ptr<Op>> gradients;
    gradients.emplace_back(new ProxyGradOp(*this));
    return gradients;
  }
};

class ProxyOpx : public popart::popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence&) const override {
    setOutTensor(0, getInTensor(0).expand({0}));
  }
};

popart::OpCreator<ProxyOp> proxy(popart::OpDefinitions({{{"test.features", "Proxy", 1}, {}}}));
popart::popx::OpxCreator<ProxyOpx> proxyOpx({"test.features", "Proxy", 1});
popart::popx::OpxCreator<ProxyOpx> proxyGradOpx({"test.features", "ProxyGrad", 1});

// Subgraph: says what is in the graphs that it is given.

class SubgraphOp : public Base<SubgraphOp> {
 public:
  SubgraphOp(const popart::OpCreatorInfo& info) : Base(info.opid, info.settings) {
    const Attributes::Graph body = info.attributes.getAttribute<Attributes::Graph>("body");
    const auto& tensor = body.input(0).type().tensor_type();
    said_ = popart::logging::format(
        "{} {}.{}({}) -> {}, {} {}", body.name(), body.node(0).domain(), body.node(0).op_type(),
        popart::logging::join(body.node(0).input().begin(), body.node(0).input().end(), ","),
        body.node(0).output(0), tensor.elem_type(), tensor.shape().dim(0).dim_value());
    for (const auto& a : body.node(0).attribute()) said_ += " " + a.name() + "=" + a.s();
    graphs_ = info.attributes.getAllGraphAttributes().size();
    floats_ = info.attributes.getAttribute<Attributes::Floats>("floats", {});
    more_ = info.attributes.getAttribute<Attributes::Graphs>("more", {}).size();
  }
  void setup() override { outInfo(0) = inInfo(0); }
  void appendAttributes(popart::OpSerialiserBase& os) const override {
    Op::appendAttributes(os);
    os.appendAttribute("body", said_);
    os.appendAttribute("graphs", static_cast<int64_t>(graphs_));
    os.appendAttribute("more", static_cast<int64_t>(more_));
    os.appendAttribute("floats", floats_);
    os.appendAttribute("vgraph", settings.vgraphId);
    os.appendAttribute("stage", settings.pipelineStage);
    os.appendAttribute("priority", settings.schedulePriority);
    os.appendAttribute("excluded", static_cast<int64_t>(settings.excludePatterns.size()));
  }

 private:
  std::string said_;
  std::size_t graphs_ = 0, more_ = 0;
  Attributes::Floats floats_;
};

popart::OpCreator<SubgraphOp> subgraph(
    popart::OpDefinitions({{{"test.features", "Subgraph", 1}, {}}}),
    [](const popart::OpCreatorInfo& info) { return std::unique_ptr<Op>(new SubgraphOp(info)); },
    true);

// Scaled: by a constant input, 2 where it is left out.

class ScaledOp : public Base<ScaledOp> {
 public:
  ScaledOp(const OperatorIdentifier& opid, const Settings& settings, int64_t factor)
      : Base(opid, settings), factor_(factor) {}
  void setup() override {
    outInfo(0) = inInfo(0);
    seen_ = hasInput(1) && inTensor(1)->hasTensorData() ? inTensor(1)->tensorData()->size() : 0;
  }
  void appendAttributes(popart::OpSerialiserBase& os) const override {
    os.appendAttribute("factor", factor_);
    os.appendAttribute("bytes", static_cast<int64_t>(seen_));
  }

 private:
  int64_t factor_;
  std::size_t seen_ = 0;
};

popart::OpCreator<ScaledOp> scaled(
    popart::OpDefinitions({{{"test.features", "Scaled", 1}, {}}}),
    [](const popart::OpCreatorInfo& info) {
      return std::unique_ptr<Op>(
          new ScaledOp(info.opid, info.settings, info.getInputScalarValue<int64_t>(1, 2)));
    },
    true);

// Renaming: a pattern that calls a transform.

class Renaming : public popart::Transform {
 public:
  bool apply(popart::Graph& graph) const override {
    bool changed = false;
    for (popart::OpId id : graph.getOpIds()) {
      Op* op = graph.getOp(id);
      if (op->name() != "old") continue;
      op->setName("new");
      changed = true;
    }
    return changed;
  }
  static std::size_t id() { return typeid(Renaming).hash_code(); }
  std::size_t getId() const override { return id(); }
  std::string getName() const override { return "Renaming"; }
};

bool renaming = popart::Transform::registerTransform(new Renaming);

class Rename : public popart::PreAliasPattern {
 public:
  bool matches(Op* op) const override { return op->opid.type == "Scaled"; }
  std::vector<const popart::Tensor*> touches(Op*) const override { return {}; }
  bool apply(Op* op) const override {
    if (op->name() == "lost") popart::Transform::getIdFromName("Nothing");
    return popart::Transform::applyTransform(popart::Transform::getIdFromName("Renaming"),
                                             op->getGraph());
  }
};

popart::PatternCreator<Rename> rename("Rename", false);

// Head: shows the first rows of its input, in place where it may. `how` makes it lie.

class HeadOp : public Base<HeadOp> {
 public:
  HeadOp(const OperatorIdentifier& opid, const Settings& settings, int64_t rows, std::string how)
      : Base(opid, settings), rows_(rows), how_(std::move(how)) {}
  bool inPlace() const { return opid.type == "HeadInplace"; }
  void setup() override {
    if (how_ == "no info") return;
    popart::Shape shape = inInfo(0).shape();
    shape[0] = rows_;
    outInfo(0) = {inInfo(0).dataType(), shape};
  }
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override {
    if (inPlace()) return {};
    return {{OperatorIdentifier("test.features", "HeadInplace", 1), 5.0f}};
  }
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override {
    const bool other = how_ == "other variant";
    return std::unique_ptr<Op>(new HeadOp(other ? opid : id, settings, rows_, how_));
  }
  Region head() const {
    popart::Shape upper = inShape(0);
    upper[0] = how_ == "outside" ? 100 : rows_;
    return Region(popart::Shape(upper.size(), 0), upper);
  }
  Regions aliases(popart::InIndex, popart::OutIndex) const override {
    return inPlace() ? Regions{head()} : Regions{};
  }
  Regions uses(popart::InIndex) const override { return {head()}; }
  popart::view::RegMap fwdRegMap(popart::InIndex, popart::OutIndex) const override {
    const Region head = this->head();
    return [head](const Region& r) { return Regions{r.intersect(head)}; };
  }
  popart::view::RegMap bwdRegMap(popart::InIndex, popart::OutIndex) const override {
    const bool wrong = how_ == "wrong rank";
    return [wrong](const Region& r) { return Regions{wrong ? Region({0}, {1}) : r}; };
  }
  bool canBeReplacedByIdentity() const override { return rows_ == inShape(0)[0]; }
  bool isOutlineable() const override { return rows_ != 1; }

 private:
  int64_t rows_;
  std::string how_;
};

class HeadOpx : public popart::popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const override {
    const poplar::Tensor head =
        getInTensor(0).slice(0, static_cast<std::size_t>(outInfo(0).dim(0)), 0);
    setOutTensor(0, getOp<HeadOp>().inPlace() ? head : cloneNcopy(prog, head));
  }
};

popart::OpCreator<HeadOp> head(
    popart::OpDefinitions({{{"test.features", "Head", 1}, {}}}),
    [](const popart::OpCreatorInfo& info) {
      return std::unique_ptr<Op>(new HeadOp(
          info.opid, info.settings, info.attributes.getAttribute<Attributes::Int>("rows"),
          info.attributes.getAttribute<Attributes::String>("how", "")));
    },
    true);
popart::popx::OpxCreator<HeadOpx> headOpx(std::vector<OperatorIdentifier>{
    {"test.features", "Head", 1}, {"test.features", "HeadInplace", 1}});

// Wrong: `how` says what its lowering, or its gradient, does wrong.

class WrongGradOp : public Base<WrongGradOp> {
 public:
  WrongGradOp(const Op& forward, const std::string& how)
      : Base(OperatorIdentifier("test.features", "WrongGrad", 1), forward.settings) {
    inputs_ = {{0, 0, GradOpInType::GradOut}};
    outputs_ = {{0, 0}};
    if (how == "negative") inputs_ = {{0, -1, GradOpInType::GradOut}};
    if (how == "twice") inputs_ = {{0, 0, GradOpInType::GradOut}, {0, 0, GradOpInType::In}};
    if (how == "negative output") outputs_ = {{-3, 0}};
    if (how == "no such input") outputs_ = {{0, 7}};
    if (how == "unset") unset_ = true;
    if (how == "other shape") other_ = true;
  }
  const std::vector<GradInOutMapper>& gradInputInfo() const override { return inputs_; }
  const std::map<int, int>& gradOutToNonGradIn() const override { return outputs_; }
  void setup() override {
    if (unset_) return;
    outInfo(0) = inInfo(0);
    if (other_) outInfo(0) = TensorInfo("FLOAT", {1});
  }

 private:
  std::vector<GradInOutMapper> inputs_;
  std::map<int, int> outputs_;
  bool unset_ = false, other_ = false;
};

class WrongOp : public Base<WrongOp> {
 public:
  WrongOp(const OperatorIdentifier& opid, const Settings& settings, std::string how_)
      : Base(opid, settings), how(std::move(how_)) {}
  void setup() override { outInfo(0) = inInfo(0); }
  std::vector<std::unique_ptr<Op>> getGradOps() override {
    std::vector<std::unique_ptr<Op>> gradients;
    gradients.emplace_back(how == "null" ? nullptr : new WrongGradOp(*this, how));
    return gradients;
  }
  std::string how;
};

class WrongOpx : public popart::popx::Opx {
 public:
  WrongOpx(Op* op, popart::popx::Devicex* devicex) : Opx(op, devicex) {
    if (getOp<WrongOp>().how == "constructor") throw std::runtime_error("not made");
  }
  void grow(poplar::program::Sequence& prog) const override {
    const std::string how = getOp<WrongOp>().how;
    if (how == "no output") return;
    if (how == "throws") throw 3;
    if (how == "codelet") graph().addCodelets("there_is_no_such_codelet.cpp");
    const poplar::Tensor x = cloneNcopy(prog, getInTensor(0));
    setOutTensor(0, how == "flat" ? x.flatten() : x);
  }
};

popart::OpCreator<WrongOp> wrong(
    popart::OpDefinitions({{{"test.features", "Wrong", 1}, {}}}),
    [](const popart::OpCreatorInfo& info) {
      return std::unique_ptr<Op>(new WrongOp(
          info.opid, info.settings, info.attributes.getAttribute<Attributes::String>("how", "")));
    },
    true);
popart::popx::OpxCreator<WrongOpx> wrongOpx({"test.features", "Wrong", 1});

}  // namespace
