// Operators that ask the compiler for what it offers to lowerings, factories and settings.
#include <popart/graph.hpp>
#include <popart/opmanager.hpp>
#include <popart/opserialiser.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/irlowering.hpp>
#include <popart/popx/op/elementwisex.hpp>
#include <popart/popx/op/gatherx.hpp>
#include <popart/popx/op/sliceplanx.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/util.hpp>
#include <poplin/MatMul.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>

namespace {

using popart::Attributes;
using popart::Op;
using popart::OperatorIdentifier;
using popart::Shape;
using popart::TensorId;
namespace pe = popops::expr;

OperatorIdentifier named(const char* type) { return OperatorIdentifier("test.services", type, 1); }

/// clone(), the subgraph value, and an output like input 0.
template <class Derived>
class Base : public Op {
 public:
  using Op::Op;
  void setup() override { outInfo(0) = inInfo(0); }
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new Derived(static_cast<const Derived&>(*this)));
  }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
};

// Steps: y = 2 x + t[-1], with constants, variables, views and programs of the compiler's. Its
// input 0 is on tile 0 as a whole, like its input 1, which has to be there before.

class StepsOp : public Base<StepsOp> {
 public:
  using Base::Base;
};

class StepsOpx : public popart::popx::Opx {
 public:
  StepsOpx(Op* op, popart::popx::Devicex* devicex, double two) : Opx(op, devicex), two_(two) {
    verifyOp<StepsOp>(op);
    verifyOp<StepsOp>(op, named("Steps"));
    verifyOp<StepsOp>(op, std::vector<OperatorIdentifier>{named("Other"), named("Steps")});
    inputCreatorPriority = 3.5;
  }
  popart::popx::InputCreatorType getInputCreatorType(popart::InIndex index) const override {
    return index == 0 ? popart::popx::InputCreatorType::CanCreate
                      : popart::popx::InputCreatorType::Deadend;
  }
  std::set<TensorId> mustExistBeforeCreate(int) const override { return {inId(1)}; }
  poplar::Tensor createInputTensor(popart::InIndex index,
                                   const poplar::DebugNameAndId& dnai) const override {
    const poplar::Tensor made = graph().addVariable(popart::popx::popType(inInfo(index)),
                                                    inInfo(index).shape_szt(), {dnai, "made"});
    graph().setTileMapping(made, get(inId(1)).rank() == 1 ? 0 : 1);
    return made;
  }
  void grow(poplar::program::Sequence& prog) const override {
    const poplar::Tensor x = getInTensor(0), last = getScalarVariable(x.elementType(), "last");
    const poplar::Tensor t = cloneNcopy(prog, inId(1)),
                         tail = t.slice(t.numElements() - 1, t.numElements());
    prog.add(poplar::program::Copy(tail.squeeze({0}), last, false, debugContext("tail")));
    const poplar::Tensor two = getConst(x.elementType(), {}, two_, "two");
    const poplar::DebugNameAndId dnai = getDebugNameAndId("twice");
    const poplar::Tensor twice = popops::mul(srcVirtualGraph(0), x, two, prog, {dnai});
    popops::addInPlace(dstVirtualGraph(0), twice, broadcast(outShape(0), last), prog,
                       debugContext("sum"));
    insert(outId(0), twice);
  }

 private:
  double two_;
};

popart::OpCreator<StepsOp> steps(popart::OpDefinitions({{named("Steps"), {}}}));
popart::popx::OpxCreator<StepsOpx> stepsOpx(named("Steps"), [](Op* op,
                                                               popart::popx::Devicex* devicex) {
  return std::unique_ptr<popart::popx::Opx>(new StepsOpx(op, devicex, 2.0));
});

// Product: a @ b + 0, through the caches, options and graphs that a lowering is given. An input can
// be created once either both or none of the other is there; nobody unwinds to input 1.
// An `a` of one row asks what nobody says.

class ProductOp : public Base<ProductOp> {
 public:
  using Base::Base;
  void setup() override { outInfo(0) = {inInfo(0).dataType(), {inShape(0)[0], inShape(1)[1]}}; }
};

class ProductOpx : public popart::popx::Opx {
 public:
  using Opx::Opx;
  popart::popx::InputCreatorType getInputCreatorType(popart::InIndex) const override {
    return popart::popx::InputCreatorType::CanCreateOrUnwind;
  }
  popart::DnfTensorIds mustExistBeforeCreateDNF(int index) const override {
    return {{inId(0), inId(1)}, {inId(1 - index)}};
  }
  bool canUnwind(popart::InIndex in, popart::OutIndex out) const override {
    return in == 0 && Opx::canUnwind(in, out);
  }
  poplar::Tensor createInput(popart::InIndex index,
                             const poplar::DebugNameAndId& dnai) const override {
    const poplar::Type type = popart::popx::popType(inInfo(index));
    const std::vector<std::size_t> a = inShapeSzt(0), b = inShapeSzt(1);
    return index == 0
               ? poplin::createMatMulInputLHS(graph(), type, a, b, {dnai}, {}, &dv_p->matmulCache)
               : poplin::createMatMulInputRHS(graph(), type, a, b, {dnai}, {}, &dv_p->matmulCache);
  }
  void grow(poplar::program::Sequence& prog) const override {
    const auto& lowering = dv_p->lowering();
    if (&srcGraph(0) != &graph() || &dstGraph(0) != &graph() || getVirtualGraphId() != 0 ||
        lowering.getReplicationFactor() != dv_p->getReplicationFactor() ||
        lowering.isReplicatedGraph() || dv_p->isReplicatedGraph() ||
        getView(inId(0)) != getInView(0))
      throw popart::error("not the one graph");
    const poplar::Type type = popart::popx::popType(outInfo(0));
    const poplar::Tensor product =
        poplin::matMul(inGraph(0), getInView(0), getInView(1), prog, type, debugContext("product"),
                       lowering.matmulOptions, &dv_p->matmulCache);
    const poplar::Tensor zeros = getZerosTensor(outShapeSzt(0), type, "zeros");
    setOutTensor(0, popops::add(outGraph(0), product, zeros, prog, debugContext("sum")));
    if (getOutView(0).shape() != outShapeSzt(0)) throw popart::error("another output");
    if (inShape(0)[0] == 1) createsEquiv(0, this, 1);
  }
};

popart::OpCreator<ProductOp> product(popart::OpDefinitions({{named("Product"), {}}}));
popart::popx::OpxCreator<ProductOpx> productOpx(named("Product"));

// Aligned: [4, 6] as [2, 4, 3], its rows along dimension 1, twice; on the way the shapes that
// tensors have which a plan lays out; and [2, 3, 4] of two groups, its last dimension the second.

class AlignedOp : public Base<AlignedOp> {
 public:
  using Base::Base;
  void setup() override {
    outInfo(0) = {inInfo(0).dataType(), {2, 4, 3}};
    outInfo(1) = {inInfo(0).dataType(), {2, 3, 4}};
  }
};

struct Sum : popart::popx::EwbComputex {};

class AlignedOpx : public popart::popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const override {
    namespace popx = popart::popx;
    const popart::TensorInfo data(popart::DataType::FLOAT, {2, 4, 3});
    const popart::TensorInfo lists(popart::DataType::INT32, {2, 5});
    const popart::TensorInfo single(popart::DataType::INT32, {2, 5, 3});
    const auto options = popx::createSlicePlanOptions(popx::SlicePlanUsedFor::Update);
    const auto plan = popx::createSlicePlan(graph(), data, lists, options, 1, 2);
    expect(popx::createDataTensor(graph(), data, plan, 1, 2, false, "a"), {2, 4, 3});
    expect(popx::createUpdateTensor(graph(), data, lists, plan, 1, 2, false, "b"), {2, 5, 3});
    expect(popx::createIndicesTensor(graph(), lists, plan, 1, 2, false, "c"), {2, 5});
    for (unsigned axis = 0; axis < 3; ++axis) {
      expect(popx::createDataTensor(graph(), data, {}, axis, 1, true, "d"), {2, 4, 3});
      expect(popx::createUpdateTensor(graph(), data, single, {}, axis, 1, true, "e"), {2, 5, 3});
      expect(popx::createIndicesTensor(graph(), single, {}, axis, 1, true, "f"), {2, 5, 3});
    }
    const poplar::Tensor in = popx::alignToAxis(getInTensor(0), {2, 4, 3}, 1, 1);
    poplar::Tensor out = cloneNcopy(prog, in), same = in, thrice = in[0][0][0].expand({0});
    const Sum sum;
    const auto add = pe::BinaryOpType::ADD;
    if (sum.mapMaybeInPlace(graph(), add, out, same, prog, debugContext("sum")) != out)
      throw popart::error("not in place");
    thrice = thrice.broadcast(3, 0);
    poplar::Tensor three = out[0][0];
    if (sum.mapMaybeInPlace(graph(), add, thrice, three, prog, debugContext("aliases")) == thrice)
      throw popart::error("in place of a tensor that shows an element several times");
    setOutTensor(0, out);
    const poplar::Tensor grouped = getInTensor(0).reshape({2, 4, 3});
    setOutTensor(1, cloneNcopy(prog, popx::alignToAxis(grouped, {2, 3, 4}, 2, 2)));
  }

 private:
  static void expect(const poplar::Tensor& made, const std::vector<std::size_t>& shape) {
    if (made.shape() != shape) throw popart::error("{} in place of {}", made.shape(), shape);
  }
};

popart::OpCreator<AlignedOp> aligned(popart::OpDefinitions({{named("Aligned"), {}}}));
popart::popx::OpxCreator<AlignedOpx> alignedOpx(named("Aligned"));

// Rows: of each of several tables, one below the other, rows by index; `how` chooses the update.

class RowsOp : public Base<RowsOp> {
 public:
  RowsOp(const OperatorIdentifier& opid, const Settings& settings, std::string how_)
      : Base(opid, settings), how(std::move(how_)) {}
  void setup() override {
    if (how != "slice") return Base::setup();
    outInfo(0) = {inInfo(0).dataType(), {inShape(0)[0], inShape(1)[1], inShape(0)[2]}};
  }
  std::string how;
};

class RowsOpx : public popart::popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const override {
    const std::string how = getOp<RowsOp>().how;
    const poplar::Tensor tables = getInTensor(0);
    const poplar::Tensor indices = getInTensor(1).reinterpret(poplar::UNSIGNED_INT);
    const auto plan = popart::popx::createSlicePlan(
        graph(), inInfo(0), inInfo(1),
        popart::popx::createSlicePlanOptions(popart::popx::SlicePlanUsedFor::CombinedSliceUpdate),
        1, tables.dim(0));
    const std::vector<std::size_t> dims = {0}, sizes = {1};
    const std::size_t groups = tables.dim(0), count = indices.dim(1);
    if (how == "slice") {
      const poplar::Tensor at = popops::createGroupedIndicesTensor(graph(), groups, dims, count,
                                                                   plan, {}, debugContext("at"));
      prog.add(poplar::program::Copy(indices.expand({2}), at));
      setOutTensor(0, popops::groupedMultiSlice(graph(), tables, at, dims, sizes, prog, plan, {},
                                                debugContext("slices"))
                          .squeeze({2}));
      return;
    }
    const poplar::Tensor made = popops::createGroupedSliceableTensor(
        graph(), tables.elementType(), groups, {tables.dim(1), tables.dim(2)}, dims, sizes, plan,
        {}, debugContext("tables"));
    prog.add(poplar::program::Copy(tables, made));
    const poplar::Tensor rows = popops::createGroupedSliceTensor(
        graph(), tables.elementType(), groups, {tables.dim(1), tables.dim(2)}, dims, sizes, count,
        plan, {}, debugContext("rows"));
    prog.add(poplar::program::Copy(getInTensor(2).expand({2}), rows));
    const poplar::Tensor at = indices.expand({2}), one = getConst(poplar::FLOAT, {}, 1, "one");
    if (how == "add")
      popops::groupedMultiUpdateAdd(graph(), made, rows, at, one, dims, sizes, prog, plan, {});
    if (how == "max")
      popops::groupedMultiUpdateMax(graph(), made, rows, at, dims, sizes, prog, plan, {});
    if (how == "write")
      popops::groupedMultiUpdate(graph(), made, rows, at, dims, sizes, prog, plan, {});
    setOutTensor(0, made);
  }
};

popart::OpCreator<RowsOp> rows(
    popart::OpDefinitions({{named("Rows"), {}}}),
    [](const popart::OpCreatorInfo& info) {
      return std::unique_ptr<Op>(new RowsOp(
          info.opid, info.settings, info.attributes.getAttribute<Attributes::String>("how")));
    },
    true);
popart::popx::OpxCreator<RowsOpx> rowsOpx(named("Rows"));

// Prefers: says in its settings what others say in a model's annotations.

class PrefersOp : public Base<PrefersOp> {
 public:
  PrefersOp(const OperatorIdentifier& opid, const Settings& settings_, bool alone)
      : Base(opid, settings_) {
    if (alone) settings.excludePatterns.insert("Mark");
    settings.inplacePriorityVeto.emplace_back("PrefersInplace", 7.5f);
    settings.extraOutlineAttributes["color"] = "green";
    pruneable = !alone;
  }
};

popart::OpCreator<PrefersOp> prefers(
    popart::OpDefinitions({{named("Prefers"), {}}}),
    [](const popart::OpCreatorInfo& info) {
      const bool alone = info.attributes.getAttribute<Attributes::Int>("alone", 0) != 0;
      return std::unique_ptr<Op>(new PrefersOp(info.opid, info.settings, alone));
    },
    true);

/// Names what it meets, and sets what another pattern, or in-placing, will read.
class Mark : public popart::PreAliasPattern {
 public:
  bool matches(Op* op) const override {
    return op->opid.type == "Prefers" && op->name() != "marked";
  }
  std::vector<const popart::Tensor*> touches(Op*) const override { return {}; }
  bool apply(Op* op) const override {
    op->setName("marked");
    return true;
  }
};

popart::PatternCreator<Mark> mark("Mark");

// Counted: sees each of its inputs when it is connected, and refuses a second one of that name.

class CountedOp : public Base<CountedOp> {
 public:
  using Base::Base;
  void connectInTensor(popart::InIndex index, TensorId id) override {
    if (popart::isOneOf(id, seen_))
      throw popart::error("It reads '{}' already; it has {}", id, seen_);
    seen_.push_back(id);
    Op::connectInTensor(index, id);
  }
  void appendAttributes(popart::OpSerialiserBase& os) const override {
    os.appendAttribute("seen", seen_);
  }

 private:
  std::vector<TensorId> seen_;
};

popart::OpCreator<CountedOp> counted(popart::OpDefinitions({{named("Counted"), {}}}));

// Words: what the small helpers give, as attributes.

class WordsOp : public Base<WordsOp> {
 public:
  using Base::Base;
  void appendAttributes(popart::OpSerialiserBase& os) const override {
    std::ostringstream text;
    {
      using namespace popart;
      text << std::map<std::string, int>{{"a", 1}, {"b", 2}} << std::set<int>{3, 4}
           << std::vector<float>{0.5f};
    }
    os.appendAttribute("text", text.str());
    os.appendAttribute("padded", "'" + popart::padded(12, 5) + "'");
    os.appendAttribute("numbers", popart::vXtoY<std::size_t, int64_t>({3, 1}));
    std::vector<int64_t> axes = {-1, 0};
    popart::normalizeReduceAxes(axes, 3);
    os.appendAttribute("axes", axes);
    std::map<int, int> map = {{1, 1}, {2, 4}, {3, 9}};
    popart::erase_if(map, [](const std::pair<const int, int>& item) { return item.second == 4; });
    os.appendAttribute("left", static_cast<int64_t>(map.size()));
    os.appendAttribute("near", popart::isAlmostEqual(0.1 + 0.2, 0.3));
    os.appendAttribute("far", popart::isAlmostEqual(0.1f, 0.2f));
    const auto known = popart::OpManager::getSupportedOperations(true);
    os.appendAttribute("known", popart::isOneOf(named("Words"), known));
    const auto defined = popart::OpManager::getSupportedOperationsDefinition(true);
    os.appendAttribute("defined",
                       defined.at(named("Words")).attributes.at("some").supportedValuesRegex);
  }
};

popart::OpCreator<WordsOp> words(popart::OpDefinitions({{named("Words"),
                                                         {{{"x", {popart::DataType::FLOAT}}},
                                                          {{"y", {popart::DataType::FLOAT}}},
                                                          {{"some", {"a|b"}}}}}}));

/// A creation in two steps, without a static object.
const bool registered = [] {
  const popart::OpDefinition definition;
  popart::OpManager::registerOp(
      {named("Late"), true, definition, [](const popart::OpCreatorInfo& i) {
         return std::unique_ptr<Op>(new StepsOp(i.opid, i.settings));
       }});
  return true;
}();

}  // namespace
