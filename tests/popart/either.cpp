// Lowerings that derive from EitherOpx, with a grow() for snap's programs, for Poplar's, or none.
#include <popart/ces/constexpr.hpp>
#include <popart/op.hpp>
#include <popart/opmanager.hpp>
#include <popart/popx/eitheropx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popops/ElementWise.hpp>
#include <snap/Graph.hpp>
#include <snap/Program.hpp>
#include <snap/Tensor.hpp>

using namespace popart;
namespace pe = popops::expr;

namespace {

OperatorIdentifier named(const char* type) { return {"test", type, 1}; }

class DoubledGrad : public Op {
 public:
  explicit DoubledGrad(const Op::Settings& settings) : Op(named("DoubledGrad"), settings) {}
  std::unique_ptr<Op> clone() const override { return std::make_unique<DoubledGrad>(*this); }
  void setup() override { outInfo(0) = inInfo(0); }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  const std::vector<GradInOutMapper>& gradInputInfo() const override {
    static const std::vector<GradInOutMapper> info = {{0, 0, GradOpInType::GradOut}};
    return info;
  }
  const std::map<int, int>& gradOutToNonGradIn() const override {
    static const std::map<int, int> info = {{0, 0}};
    return info;
  }
};

/// Twice its input.
class Doubled : public Op {
 public:
  using Op::Op;
  std::unique_ptr<Op> clone() const override { return std::make_unique<Doubled>(*this); }
  void setup() override { outInfo(0) = inInfo(0); }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  std::vector<std::unique_ptr<Op>> getGradOps() override {
    std::vector<std::unique_ptr<Op>> ops;
    ops.emplace_back(new DoubledGrad(settings));
    return ops;
  }
};

/// For snap's programs: into a copy.
class SnapOpx : public popx::EitherOpx {
 public:
  using EitherOpx::EitherOpx;
  using EitherOpx::grow;
  using EitherOpx::unwindTensorLayout;
  void grow(snap::program::Sequence& prog) const override {
    const snap::Tensor copy = cloneNcopy(prog, inId(0));
    const snap::Tensor again = cloneNcopy(prog, copy, "again");
    popops::mapInPlace(graph().getPoplarGraph(), pe::Add(pe::_1, pe::_1), {again.getPoplarTensor()},
                       prog.getPoplarSequence(), debugContext("doubled"));
    setOutTensor(0, again);
  }
  popx::InputCreatorType getInputCreatorType(InIndex) const override {
    return popx::InputCreatorType::CanUnwind;
  }
  snap::Tensor unwindTensorLayout(snap::Tensor tensor, InIndex, OutIndex) const override {
    return tensor;
  }
};

/// For Poplar's programs.
class PoplarOpx : public popx::EitherOpx {
 public:
  using EitherOpx::EitherOpx;
  using EitherOpx::grow;
  using EitherOpx::unwindTensorLayout;
  void grow(poplar::program::Sequence& prog) const override {
    const poplar::Tensor in = getInView(0);
    setOutTensor(
        0, popops::map(graph(), pe::Add(pe::_1, pe::_1), {in}, prog, debugContext("doubled")));
    if (getOutView(0).shape() != in.shape()) throw error("another shape");
  }
  popx::InputCreatorType getInputCreatorType(InIndex) const override {
    return popx::InputCreatorType::CanUnwind;
  }
  poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex, OutIndex) const override {
    return tensor;
  }
};

/// Nothing of its own.
class EmptyOpx : public popx::EitherOpx {
 public:
  using EitherOpx::EitherOpx;
};

/// Says that layouts go through it, and not how.
class LayoutlessOpx : public SnapOpx {
 public:
  using SnapOpx::SnapOpx;
  using SnapOpx::unwindTensorLayout;
  snap::Tensor unwindTensorLayout(snap::Tensor tensor, InIndex in, OutIndex out) const override {
    return EitherOpx::unwindTensorLayout(tensor, in, out);
  }
};

const char* const types[] = {"Snap", "Poplar", "Empty", "Layoutless"};
OpCreator<Doubled> creator(OpDefinitions(
    {{named(types[0]), {}}, {named(types[1]), {}}, {named(types[2]), {}}, {named(types[3]), {}}}));
popx::OpxCreator<SnapOpx> snapX(named("Snap"));
popx::OpxCreator<PoplarOpx> poplarX({named("Poplar"), named("DoubledGrad")});
popx::OpxCreator<EmptyOpx> emptyX(named("Empty"));
popx::OpxCreator<LayoutlessOpx> layoutlessX(named("Layoutless"));

// What the compiler computes while it imports a model, by a ConstExprOp of the library.

class Known : public Doubled {
 public:
  using Doubled::Doubled;
  std::unique_ptr<Op> clone() const override { return std::make_unique<Known>(*this); }
};
OpCreator<Known> known(OpDefinitions({{named("Known"), {}}, {named("Longer"), {}}}));
popx::OpxCreator<PoplarOpx> knownX({named("Known"), named("Longer")});

class KnownCE : public ConstExprOp {
 public:
  using ConstExprOp::ConstExprOp;
  std::vector<char> compute() override {
    const auto* values = static_cast<const float*>(inTensor(0)->tensorData()->data());
    std::vector<float> found;
    for (int64_t i = 0; i < inInfo(0).nelms(); ++i) found.push_back(2 * values[i]);
    const auto* bytes = reinterpret_cast<const char*>(found.data());
    return std::vector<char>(bytes, bytes + found.size() * sizeof(float));
  }
};
class LongerCE : public ConstExprOp {
 public:
  using ConstExprOp::ConstExprOp;
  std::vector<char> compute() override { return std::vector<char>(99); }
};
ConstExprOpCreator<KnownCE> knownCE("Known");
ConstExprOpCreator<LongerCE> longerCE("Longer");

}  // namespace
