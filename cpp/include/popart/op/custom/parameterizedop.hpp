// Base class of operators with all attributes in one struct.
// After popart/op/custom/parameterizedop.hpp of PopART 3.
#ifndef popart_op_custom_parameterizedop_hpp
#define popart_op_custom_parameterizedop_hpp

#include <popart/graph.hpp>
#include <popart/op.hpp>
#include <popart/opmanager.hpp>
#include <popart/opserialiser.hpp>

#include <map>
#include <memory>

namespace popart {

/// Base of `OP : ParameterizedOp<OP, PARAMS>`. OP defines defaultOperatorId(). PARAMS is copyable
/// and defines appendAttributes(OpSerialiserBase&) const and static makeFromAttributes(Attributes).
template <typename OP, typename PARAMS>
class ParameterizedOp : public Op {
 public:
  using ParamsType = PARAMS;

  ParameterizedOp(const OperatorIdentifier& opid, const PARAMS& params,
                  const Op::Settings& settings)
      : Op(opid, settings), params_(params) {}
  ParameterizedOp(const PARAMS& params, const Op::Settings& settings)
      : ParameterizedOp(OP::defaultOperatorId(), params, settings) {}
  /// Takes parameters and settings of another operator, for example a gradient those of its forward
  /// operator.
  template <typename OTHER>
  ParameterizedOp(const OperatorIdentifier& opid, const ParameterizedOp<OTHER, PARAMS>& op)
      : ParameterizedOp(opid, op.params(), op.settings) {}
  template <typename OTHER>
  ParameterizedOp(const ParameterizedOp<OTHER, PARAMS>& op)
      : ParameterizedOp(OP::defaultOperatorId(), op) {}

  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new OP(static_cast<const OP&>(*this)));
  }
  /// A factory for OpCreator.
  static std::unique_ptr<OP> createOpFromCreatorInfo(const OpCreatorInfo& info) {
    return std::unique_ptr<OP>(
        new OP(info.opid, PARAMS::makeFromAttributes(info.attributes), info.settings));
  }
  /// Creates an operator in the graph, connects it and calls its setup().
  static OP* createOpInGraph(Graph& graph, const std::map<InIndex, TensorId>& in,
                             const std::map<OutIndex, TensorId>& out,
                             const OperatorIdentifier& opid, const PARAMS& params,
                             const Op::Settings& settings) {
    return graph.createConnectedOp<OP>(in, out, opid, params, settings);
  }
  static OP* createOpInGraph(Graph& graph, const std::map<InIndex, TensorId>& in,
                             const std::map<OutIndex, TensorId>& out, const PARAMS& params,
                             const Op::Settings& settings) {
    return createOpInGraph(graph, in, out, OP::defaultOperatorId(), params, settings);
  }

  void appendAttributes(OpSerialiserBase& os) const override {
    Op::appendAttributes(os);
    params_.appendAttributes(os);
  }
  void appendOutlineAttributes(OpSerialiserBase& os) const override {
    Op::appendOutlineAttributes(os);
    params_.appendAttributes(os);
  }
  float getSubgraphValue() const override { return getHighSubgraphValue(); }
  bool requiresRandomSeed() const override { return false; }
  const PARAMS& params() const { return params_; }

 private:
  PARAMS params_;
};

}  // namespace popart

#endif
