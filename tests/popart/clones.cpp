// A clone takes the place of each operator.
#include <popart/graph.hpp>
#include <popart/op/and.hpp>
#include <popart/op/asin.hpp>
#include <popart/op/atan.hpp>
#include <popart/op/atan2.hpp>
#include <popart/op/cosh.hpp>
#include <popart/op/elu.hpp>
#include <popart/op/equal.hpp>
#include <popart/op/expm1.hpp>
#include <popart/op/fmod.hpp>
#include <popart/op/gelu.hpp>
#include <popart/op/geluerf.hpp>
#include <popart/op/gemm.hpp>
#include <popart/op/greater.hpp>
#include <popart/op/gru.hpp>
#include <popart/op/hardsigmoid.hpp>
#include <popart/op/isinf.hpp>
#include <popart/op/isnan.hpp>
#include <popart/op/leakyrelu.hpp>
#include <popart/op/less.hpp>
#include <popart/op/log1p.hpp>
#include <popart/op/lrn.hpp>
#include <popart/op/lstm.hpp>
#include <popart/op/matmul.hpp>
#include <popart/op/max.hpp>
#include <popart/op/min.hpp>
#include <popart/op/nearbyint.hpp>
#include <popart/op/not.hpp>
#include <popart/op/or.hpp>
#include <popart/op/pow.hpp>
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
#include <popart/op/rnn.hpp>
#include <popart/op/round.hpp>
#include <popart/op/selu.hpp>
#include <popart/op/shrink.hpp>
#include <popart/op/sinh.hpp>
#include <popart/op/softplus.hpp>
#include <popart/op/swish.hpp>
#include <popart/op/thresholdedrelu.hpp>
#include <popart/op/varupdate.hpp>
#include <popart/patterns/patterns.hpp>

#include <algorithm>
#include <iterator>
#include <typeinfo>

using namespace popart;

namespace {

template <class... OPS>
bool isOneOf(const Op& op) {
  const bool is[] = {typeid(op) == typeid(OPS)...};
  return std::find(std::begin(is), std::end(is), true) != std::end(is);
}

bool isFunction(const Op& op) {
  return isOneOf<AsinOp, AtanOp, CoshOp, SinhOp, Expm1Op, Log1pOp, GeluOp, GeluErfOp, SwishOp,
                 SoftPlusOp, RoundOp, NearbyIntOp, NotOp, IsInf, IsNaN, EqualOp, LessOp, GreaterOp,
                 AndOp, OrOp, PowOp, FmodOp, Atan2Op, MaxOp, MinOp, EluOp, LeakyReluOp,
                 ThresholdedReluOp, SeluOp, HardSigmoidOp, ShrinkOp, ReduceSumOp, ReduceMeanOp,
                 ReduceMaxOp, ReduceMinOp, ReduceProdOp, ReduceSumSquareOp, ReduceL1Op, ReduceL2Op,
                 ReduceLogSumOp, ReduceLogSumExpOp, GemmOp, RNNOp, GRUOp, LSTMOp, PopartLSTMOp,
                 LRNOp>(op);
}

/// `made` takes the place of `op`.
void replace(Op* op, std::unique_ptr<Op> made, const std::string& name) {
  Graph& graph = op->getGraph();
  const auto in = op->input->tensorIdMap(), out = op->output->tensorIdMap();
  Op* copy = made.get();
  copy->setName(name);
  graph.moveIntoGraph(std::move(made));
  op->disconnectAllInputs();
  op->disconnectAllOutputs();
  graph.eraseOp(op->id);
  for (const auto& each : in) copy->connectInTensor(each.first, each.second);
  for (const auto& each : out) copy->connectOutTensor(each.first, each.second);
  copy->setup();
}

class Clone : public PreAliasPattern {
 public:
  bool matches(Op* op) const override { return op->name().find("cloned") == std::string::npos; }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    logging::pattern::info("{} {}", isFunction(*op) ? "function" : "other", op->opid.type);
    // A copy of a copy of one that is gone by then.
    std::unique_ptr<Op> first = op->clone();
    replace(op, first->clone(), "cloned");
    return true;
  }
};

PatternCreator<Clone> clone("Clone", false);

class CloneUpdates : public Clone {
 public:
  bool matches(Op* op) const final {
    return dynamic_cast<VarUpdateWithUpdaterOp*>(op) != nullptr && Clone::matches(op);
  }
};

PatternCreator<CloneUpdates> cloneUpdates("CloneUpdates", false);

/// Products are planned apart from those of other passes: said before they are in a graph.
class Apart : public PreAliasPattern {
 public:
  bool matches(Op* op) const final {
    const auto* product = dynamic_cast<const MatMulOp*>(op);
    return product != nullptr && product->useFullyConnectedPass();
  }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    auto product = std::make_unique<MatMulOp>(
        op->opid, Op::Settings(op->getGraph(), "apart"), nonstd::optional<float>(),
        MatMulBaseOp::SerialiseSettings(), OptionalDataType());
    product->setUseFullyConnectedPass(false);
    replace(op, std::move(product), "apart");
    return true;
  }
};

PatternCreator<Apart> apart("Apart", false);

/// Tells how products are planned.
class Plans : public PreAliasPattern {
 public:
  bool matches(Op* op) const final {
    if (const auto* product = dynamic_cast<const MatMulOp*>(op))
      logging::pattern::info("pass {}", product->useFullyConnectedPass());
    return false;
  }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op*) const final { return false; }
};

PatternCreator<Plans> plans("Plans", false);

}  // namespace
