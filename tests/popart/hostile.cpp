// An operator, its gradient, their lowerings, a pattern, a codelet and functions for inference that
// throw, or talk nonsense, where the attribute `where` says so.
#include <popart/graph.hpp>
#include <popart/opmanager.hpp>
#include <popart/opserialiser.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/region.hpp>
#include <popart/shapeinference.hpp>
#include <popops/Cast.hpp>

#include <new>
#include <sstream>

namespace {

using popart::GradInOutMapper;
using popart::GradOpInType;
using popart::InIndex;
using popart::Op;
using popart::OperatorIdentifier;
using popart::OutIndex;
using popart::TensorInfo;
using popart::view::Region;
using popart::view::Regions;

const OperatorIdentifier hostile("test.hostile", "Hostile", 1);
const OperatorIdentifier hostileInplace("test.hostile", "HostileInplace", 1);
const OperatorIdentifier hostileGrad("test.hostile", "HostileGrad", 1);

/// Both operators: outputs like input 0.
class HostileBase : public Op {
 public:
  HostileBase(const OperatorIdentifier& opid, const Settings& settings, std::string where_)
      : Op(opid, settings), where(std::move(where_)) {}
  void trip(const std::string& place) const {
    if (where == place) throw std::runtime_error("bad luck");
  }
  bool isForward() const { return opid != hostileGrad; }

  std::string where;
};

class HostileGradOp : public HostileBase {
 public:
  HostileGradOp(const Settings& settings, const std::string& where)
      : HostileBase(hostileGrad, settings, where) {
    trip("gradient's constructor");
    inputs_ = {{0, 0, GradOpInType::GradOut}};
    outputs_ = {{0, 0}};
    if (where == "In 9") inputs_.push_back({1, 9, GradOpInType::In});
    if (where == "Out 9") inputs_.push_back({1, 9, GradOpInType::Out});
    if (where == "kind 9") inputs_.push_back({1, 0, static_cast<GradOpInType>(9)});
    if (where == "GradOut 9") inputs_ = {{0, 9, GradOpInType::GradOut}};
    if (where == "gap") inputs_ = {{1, 0, GradOpInType::GradOut}};
    if (where == "no inputs") inputs_.clear();
    if (where == "no outputs") outputs_.clear();
    if (where == "same twice") outputs_ = {{0, 0}, {1, 0}};
    if (where == "output 9") outputs_ = {{0, 0}, {9, 1}};
  }
  std::unique_ptr<Op> clone() const override { return std::make_unique<HostileGradOp>(*this); }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  void setup() override {
    trip("gradient's setup");
    outInfo(0) = inInfo(0);
    if (where == "other type") outInfo(0) = TensorInfo("FLOAT16", inShape(0));
    if (where == "info of output 4") outInfo(4) = inInfo(0);
    if (hasOutput(1)) outInfo(1) = inInfo(0);
  }
  const std::vector<GradInOutMapper>& gradInputInfo() const override {
    trip("gradInputInfo");
    return inputs_;
  }
  const std::map<int, int>& gradOutToNonGradIn() const override {
    trip("gradOutToNonGradIn");
    return outputs_;
  }

 private:
  std::vector<GradInOutMapper> inputs_;
  std::map<int, int> outputs_;
};

class HostileOp : public HostileBase {
 public:
  using HostileBase::HostileBase;
  std::unique_ptr<Op> clone() const override {
    trip("clone");
    return std::make_unique<HostileOp>(*this);
  }
  void setup() override {
    trip("setup");
    outInfo(0) = inInfo(0);
    if (where == "input 3") outInfo(0) = inInfo(3);
    if (where == "negative shape") outInfo(0) = TensorInfo("FLOAT", {-2, 3});
    if (where == "no shape like that") outInfo(0) = TensorInfo("FLOAT", {1 << 30, 1 << 30});
    if (where == "no type like that") outInfo(0).set(static_cast<popart::DataType>(77));
    if (where == "the input's info") inInfo(0) = TensorInfo("INT8", {1});
    if (where == "output disconnected") disconnectAllOutputs();
    if (where == "its own output") connectInTensor(1, outId(0));
  }
  std::vector<std::unique_ptr<Op>> getGradOps() override {
    trip("getGradOps");
    std::vector<std::unique_ptr<Op>> made;
    made.emplace_back(new HostileGradOp(settings, where));
    if (where == "itself") made[0] = clone();
    if (where == "the graph's own") made[0].reset(this);
    return made;
  }
  float getSubgraphValue() const override {
    trip("getSubgraphValue");
    return getLowSubgraphValue();
  }
  void appendAttributes(popart::OpSerialiserBase& os) const override {
    trip("appendAttributes");
    Op::appendAttributes(os);
  }
  void appendOutlineAttributes(popart::OpSerialiserBase& os) const override {
    trip("appendOutlineAttributes");
    os.appendAttribute("no UTF-8", "\xff");
    Op::appendOutlineAttributes(os);
  }
  bool requiresRandomSeed() const override {
    trip("requiresRandomSeed");
    return where == "getSeedInIndex";
  }
  InIndex getSeedInIndex() const override {
    trip("getSeedInIndex");
    return 1;
  }
  bool hasSideEffect() const override {
    trip("hasSideEffect");
    return false;
  }
  bool isOutlineable() const override {
    trip("isOutlineable");
    return true;
  }
  bool canBeReplacedByIdentity() const override {
    trip("canBeReplacedByIdentity");
    return false;
  }
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override {
    trip("inplacePriorityDefault");
    if (opid == hostileInplace) return {};
    return {std::tuple<OperatorIdentifier, float>{hostileInplace, 10.0f}};
  }
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override {
    trip("getInplaceVariant");
    if (where == "no variant") return nullptr;
    return std::unique_ptr<Op>(new HostileOp(id, settings, where));
  }
  Regions modifies(InIndex index) const override {
    trip("modifies");
    return index == 0 && opid == hostileInplace ? Regions{Region::getFull(inShape(0))} : Regions{};
  }
  Regions aliases(InIndex in, OutIndex) const override {
    trip("aliases");
    return modifies(in);
  }
  Regions uses(InIndex index) const override {
    trip("uses");
    return {Region::getFull(inShape(index))};
  }
  popart::view::RegMap fwdRegMap(InIndex, OutIndex) const override {
    trip("fwdRegMap");
    return [](const Region& r) { return Regions{r}; };
  }
  popart::view::RegMap bwdRegMap(InIndex, OutIndex) const override {
    const std::string at = where;
    return [at](const Region& r) -> Regions {
      if (at == "bwdRegMap") throw std::runtime_error("bad luck");
      return {r};
    };
  }
};

class HostileOpx : public popart::popx::Opx {
 public:
  HostileOpx(Op* op, popart::popx::Devicex* devicex) : Opx(op, devicex) {
    trip("the Opx's constructor");
  }
  void trip(const std::string& place) const { getOp<HostileBase>().trip(place); }
  std::string where() const { return getOp<HostileBase>().where; }

  void grow(poplar::program::Sequence& prog) const override {
    trip(getOp<HostileBase>().isForward() ? "grow" : "gradient's grow");
    if (where() == "codelet") {
      vertex(prog);
      return;
    }
    const poplar::Tensor x = getInTensor(0);
    if (where() == "input 5") getInTensor(5);
    if (where() == "other half")
      return setOutTensor(0, popops::cast(graph(), x, poplar::HALF, prog, debugContext("half")));
    setOutTensor(0, op_p->opid == hostileInplace ? x : cloneNcopy(prog, x));
    if (where() == "output 7") setOutTensor(7, x);
    if (where() == "no tile") setOutTensor(0, graph().addVariable(poplar::FLOAT, x.shape()));
    if (where() == "other graph") {
      poplar::Graph other(graph().getTarget());
      setOutTensor(0, other.addVariable(poplar::FLOAT, x.shape()));
    }
    if (where() == "no memory") throw std::bad_alloc();
    if (where() == "bytes") throw std::runtime_error("\xff");
  }
  popart::popx::InputCreatorType getInputCreatorType(InIndex) const override {
    trip("getInputCreatorType");
    if (where() == "unwindTensorLayout") return popart::popx::InputCreatorType::CanUnwind;
    if (where() == "creator 55") return static_cast<popart::popx::InputCreatorType>(55);
    return popart::popx::InputCreatorType::CanCreate;
  }
  poplar::Tensor createInput(InIndex index, const poplar::DebugNameAndId& dnai) const override {
    trip("createInput");
    if (where() == "null tensor") return poplar::Tensor();
    const std::size_t more = where() == "larger tensor" ? 1 : 0;
    const poplar::Type type = where() == "tensor of another type" ? poplar::INT : poplar::FLOAT;
    const poplar::Tensor made = graph().addVariable(
        type, {inInfo(index).shape_szt()[0] + more, inInfo(index).shape_szt()[1]}, dnai);
    graph().setTileMapping(made, 0);
    return made;
  }
  std::set<popart::TensorId> mustExistBeforeCreate(int) const override {
    trip("mustExistBeforeCreate");
    if (where() == "no such tensor") return {"nobody"};
    return {};
  }
  poplar::Tensor unwindTensorLayout(poplar::Tensor t, InIndex, OutIndex) const override {
    trip("unwindTensorLayout");
    return t;
  }
  bool outputCreatedExternally(OutIndex) const override {
    trip("outputCreatedExternally");
    return false;
  }

 private:
  void vertex(poplar::program::Sequence& prog) const {
    static const char* const code = R"(
#include <poplar/Vertex.hpp>
#include <stdexcept>
class Throws : public poplar::Vertex {
 public:
  poplar::InOut<poplar::Vector<float>> x;
  bool compute() {
    if (x[0] > 0) throw std::runtime_error("bad luck in a vertex");
    return true;
  }
};)";
    std::stringstream source(code);
    graph().addCodelets(source, "", poplar::CodeletFileType::CppSource);
    const poplar::Tensor x = cloneNcopy(prog, getInTensor(0));
    const poplar::ComputeSet set = graph().addComputeSet(debugContext("throws"));
    const poplar::VertexRef v = graph().addVertex(set, "Throws", {{"x", x.flatten()}});
    graph().setTileMapping(v, 0);
    graph().setPerfEstimate(v, 1);
    prog.add(poplar::program::Execute(set));
    setOutTensor(0, x);
  }
};

popart::OpCreator<HostileOp> creator(
    popart::OpDefinitions({{hostile, {}}}),
    [](const popart::OpCreatorInfo& info) {
      const auto where = info.attributes.getAttribute<popart::Attributes::String>("where", "");
      if (where == "the factory") throw std::runtime_error("bad luck");
      if (where == "no operator") return std::unique_ptr<Op>();
      return std::unique_ptr<Op>(new HostileOp(info.opid, info.settings, where));
    },
    true);
popart::popx::OpxCreator<HostileOpx> opxCreator({hostile, hostileInplace, hostileGrad});

popart::OpCreator<HostileOp> unconnected(
    popart::OpDefinitions({{{"test.hostile", "Unconnected", 1}, {}}}),
    popart::OpManager::ComplexOpFactoryFunc([](const popart::OpCreatorInfo& info,
                                               popart::Graph& graph) -> Op* {
      return graph.createOp<HostileOp>(hostile, info.settings, "");
    }));

class HostilePattern : public popart::PreAliasPattern {
 public:
  bool matches(Op* op) const override {
    if (!op->isConvertibleTo<HostileOp>()) return false;
    of(op).trip("matches");
    return true;
  }
  std::vector<const popart::Tensor*> touches(Op* op) const override {
    of(op).trip("touches");
    if (of(op).where == "touches no tensor") return {nullptr};
    return {};
  }
  bool apply(Op* op) const override {
    of(op).trip("apply");
    if (of(op).where == "dangling") op->disconnectAllOutputs();
    return of(op).where == "always" || of(op).where == "dangling";
  }

 private:
  static const HostileOp& of(Op* op) { return *dynamic_cast<HostileOp*>(op); }
};

popart::PatternCreator<HostilePattern> pattern("Hostile");

popart::RegisterShapeInferenceFunction shapes({"test.hostile", "Shapes", 1},
                                              [](popart::ShapeInferenceContext&) {
                                                throw std::runtime_error("bad luck");
                                              });

}  // namespace
