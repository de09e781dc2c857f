// What patterns share that put a formula in the place of an operator.
#ifndef popir_popart_patterns_formula_hpp
#define popir_popart_patterns_formula_hpp

#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/reducesum.hpp>
#include <popart/op/reshape.hpp>
#include <popart/operators.hpp>
#include <popart/patterns/pattern.hpp>
#include <popart/tensor.hpp>
#include <popart/util.hpp>

#include <vector>

namespace popart {

/// Adds operators with the properties of one that they take the place of.
class Formula {
 public:
  Formula(const PreAliasPattern& pattern, Op* op, const TensorId& near)
      : pattern_(pattern), op_(op), near_(near) {}

  TensorId operator()(const OperatorIdentifier& opid, const std::vector<TensorId>& inputs) const {
    Op* made = pattern_.makeReplacementOpInIr(opid, op_);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      made->connectInTensor(static_cast<InIndex>(i), inputs[i]);
    made->createAndConnectOutTensor(0, id());
    made->setup();
    return made->outId(0);
  }
  TensorId one(DataType type) const { return number(1.0f, type); }
  /// A constant without dimensions.
  TensorId number(float value, DataType type) const {
    const TensorInfo info(type, Shape{});
    const std::vector<char> bytes = cast(DataType::FLOAT, type, &value, sizeof value);
    const TensorId made = id();
    op_->getGraph().addConstInit(made, info, bytes.data());
    return made;
  }

 private:
  TensorId id() const { return op_->getIr().createIntermediateTensorId(near_); }

  const PreAliasPattern& pattern_;
  Op* op_;
  const TensorId near_;
};
/// Makes `last`, which has the shape of the gradient of a result, the gradient `out` of an input of
/// the shape `to`: summed over what was broadcast.
inline void finish(Op* op, const TensorId& last, const std::vector<int64_t>& axes, const Shape& to,
                   const TensorId& out) {
  Graph& graph = op->getGraph();
  const auto add = [&](Op* made, const TensorId& in, const TensorId& result) {
    op->transferBaseProperties(made);
    made->connectInTensor(0, in);
    if (result.empty())
      made->createAndConnectOutTensor(0, op->getIr().createIntermediateTensorId(out));
    else
      made->connectOutTensor(0, result);
    made->setup();
    return made->outId(0);
  };
  const Op::Settings settings(graph, op->name());
  if (axes.empty()) {
    add(graph.createOp<IdentityOp>(Onnx::Operators::Identity_1, settings), last, out);
    return;
  }
  const auto isReduced = static_cast<std::size_t>(to.size()) + axes.size() ==
                         graph.getTensor(last)->info.shape().size();
  const TensorId sum =
      add(graph.createOp<ReduceSumOp>(Onnx::Operators::ReduceSum_11, axes, 0, settings), last,
          isReduced ? out : "");
  if (!isReduced)
    add(graph.createOp<ReshapeOp>(Onnx::CustomOperators::Reshape_1, to, settings), sum, out);
}

}  // namespace popart

#endif
