// An operator for each function of PopLibs and GCL that has no binding to Python.
#include <gcl/Collectives.hpp>
#include <popart/opmanager.hpp>
#include <popart/popx/opxmanager.hpp>
#include <poplar/CSRFunctions.hpp>
#include <poplin/Norms.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Gather.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <popops/TopK.hpp>

namespace {

using popart::Attributes;

/// One output of the type and shape that the attributes give.
class Call : public popart::Op {
 public:
  Call(const popart::OpCreatorInfo& info)
      : Op(info.opid, info.settings),
        attributes(info.attributes),
        out_(info.attributes.getAttribute<Attributes::String>("type"),
             info.attributes.getAttribute<Attributes::Ints>("shape", {})) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<Call>(*this); }
  void setup() final { outInfo(0) = out_; }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }

  Attributes attributes;

 private:
  popart::TensorInfo out_;
};

class CallOpx : public popart::popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    const Attributes& a = getOp<Call>().attributes;
    const std::string what = a.getAttribute<Attributes::String>("what");
    const int number = static_cast<int>(a.getAttribute<Attributes::Int>("number", 0));
    const auto made = graph().addVariable(popart::popx::popType(outInfo(0)), outInfo(0).shape_szt(),
                                          poplar::VariableMappingMethod::LINEAR, "made");
    const auto in = [&](int i) { return getInTensor(i); };
    const auto op = static_cast<gcl::CollectiveOperator>(number);
    poplar::setFloatingPointBehaviour(graph(), prog, !poplar::FloatingPointBehaviour());
    if (what == "stochastic") {
      poplar::setStochasticRounding(graph(), prog, true);
      setOutTensor(0, popops::cast(graph(), in(0), poplar::HALF, prog));
      return poplar::setStochasticRounding(graph(), prog, false);
    }
    if (what == "refused")
      poplar::setFloatingPointBehaviour(graph(), prog, {false, false, false, false, true});
    if (what == "inverse" || what == "root" || what == "half") {
      const bool inv = number == 1, oflo = number == 2;  // or neither
      poplar::setFloatingPointBehaviour(graph(), prog, {inv, false, oflo, false, oflo});
      if (what == "half") return setOutTensor(0, popops::cast(graph(), in(0), poplar::HALF, prog));
      const auto y =
          what == "root" ? popops::sqrt(graph(), in(0), prog) : popops::inv(graph(), in(0), prog);
      return setOutTensor(0, y);
    }
    if (what == "iota") return popops::iota(graph(), made, number, prog), setOutTensor(0, made);
    if (what == "onehot")
      return popops::encodeOneHot(graph(), in(0), made, prog), setOutTensor(0, made);
    if (what == "on and off")
      return popops::encodeOneHot(graph(), in(0), made, prog, in(1), in(2)), setOutTensor(0, made);
    if (what == "select")
      return setOutTensor(0, popops::selectScalarFromRows(graph(), in(0), in(1), prog));
    if (what == "gather")
      return setOutTensor(0, popops::gather(graph(), in(0), in(1), unsigned(number), prog));
    if (what == "allReduce")
      return setOutTensor(0, gcl::allReduceCrossReplica(graph(), in(0), op, prog));
    if (what == "allGather")
      return setOutTensor(0, gcl::allGatherCrossReplica(graph(), in(0), prog, gcl::CommGroup()));
    if (what == "allToAll") return setOutTensor(0, gcl::allToAllCrossReplica(graph(), in(0), prog));
    if (what == "within")
      return setOutTensor(0, gcl::allReduceWithinReplica(graph(), in(0), op, prog));
    if (what == "several")
      return setOutTensor(
          0, gcl::allReduceCrossReplica(graph(), {in(0), in(1)}, op, prog, gcl::CommGroup()).at(1));
    if (what == "topKKeys" || what == "topKValues") {
      const popops::TopKParams params(unsigned(number), true, popops::SortOrder::DESCENDING);
      const auto best = popops::topKKeyValue(graph(), prog, in(0), in(1), params);
      return setOutTensor(0, what == "topKKeys" ? best.first : best.second);
    }
    if (what == "constant") {
      const float values[] = {1, 2, 3, 4, 5, 6};
      const auto traits = poplar::TypeTraits::make<float>();
      const auto type = popart::popx::popType(outInfo(0));
      const auto t = graph().addConstant(type, {2, 3}, values, traits, number == 1, "values");
      graph().setTileMapping(t, 0);
      return setOutTensor(0, cloneNcopy(prog, t));
    }
    if (what == "mean" || what == "deviation" || what == "statistics") {
      // A group of `number` replicas that all have the same samples.
      const unsigned batch = unsigned(in(0).dim(0)) * unsigned(number);
      const poplin::DistributedNormReduceCallback sum =
          [](poplar::Graph& g, const std::vector<poplar::Tensor>& own, poplar::program::Sequence& p,
             unsigned replicas, const poplar::DebugContext&, const poplar::OptionFlags&) {
            std::vector<poplar::Tensor> all;
            for (const auto& one : own) all.push_back(popops::mul(g, one, float(replicas), p));
            return all;
          };
      if (what == "statistics")
        return setOutTensor(0, poplin::distributedNormStatisticsGradients(graph(), in(0), in(1),
                                                                          in(2), prog, sum, batch));
      const auto found =
          poplin::distributedNormStatistics(graph(), in(0), 0.5f, prog, false, sum, batch);
      return setOutTensor(0, what == "mean" ? found.first : found.second);
    }
    if (what == "reduceScatter")
      return setOutTensor(
          0, gcl::reduceScatterCrossReplica(graph(), in(0), op, prog, gcl::CommGroup()));
  }
};

const popart::OperatorIdentifier call = {"test", "Call", 1};
popart::OpCreator<Call> creator(
    popart::OpDefinitions({{call, {}}}),
    [](const popart::OpCreatorInfo& info) -> std::unique_ptr<popart::Op> {
      return std::make_unique<Call>(info);
    },
    true);
popart::popx::OpxCreator<CallOpx> opxCreator(call);

}  // namespace
