#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/add.hpp>
#include <popart/op/sum.hpp>
#include <popart/operators.hpp>
#include <popart/topocons.hpp>
#include <popart/transforms/decomposesum.hpp>

#include <typeinfo>

namespace popart {
namespace {

const bool registeredSums = Transform::registerTransform(new DecomposeSum);

}  // namespace

DecomposeSum::~DecomposeSum() = default;
std::size_t DecomposeSum::id() { return typeid(DecomposeSum).hash_code(); }

std::vector<Op*> DecomposeSum::getDecomposableSumOps(const Graph& graph) const {
  std::vector<Op*> sums;
  for (const auto& each : graph.getOps())
    if (each.second->isConvertibleTo<SumOp>() && each.second->input->n() > 2)
      sums.push_back(each.second.get());
  return sums;
}

bool DecomposeSum::apply(Graph& graph) const {
  const std::vector<Op*> sums = getDecomposableSumOps(graph);
  for (Op* sum : sums) {
    std::vector<TensorId> addends;
    for (const auto& in : sum->input->tensorIdMap()) addends.push_back(in.second);
    const TensorId out = sum->outId(SumOp::getOutIndex());
    sum->disconnectAllInputs();
    sum->disconnectAllOutputs();
    TensorId total = addends.front();
    for (std::size_t i = 1; i < addends.size(); ++i) {
      auto* made = graph.createOp<AddOp>(Onnx::Operators::Add_7, Op::Settings(graph, sum->name()));
      sum->transferBaseProperties(made);
      made->connectInTensor(AddOp::getArg0InIndex(), total);
      made->connectInTensor(AddOp::getArg1InIndex(), addends[i]);
      if (i + 1 == addends.size()) {
        graph.topoCons->transfer(sum, made);
        made->connectOutTensor(AddOp::getOutIndex(), out);
      } else {
        total = graph.getIr().createIntermediateTensorId(out);
        made->createAndConnectOutTensor(AddOp::getOutIndex(), total);
      }
      made->setup();
      applyAddOpAttributes(made);
    }
    graph.eraseOp(sum->id);
  }
  return !sums.empty();
}

}  // namespace popart
