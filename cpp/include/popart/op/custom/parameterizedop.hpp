// popart/op/custom/parameterizedop.hpp: operators whose attributes are one struct.
#ifndef popart_op_custom_parameterizedop_hpp
#define popart_op_custom_parameterizedop_hpp

#include <popart/graph.hpp>
#include <popart/op.hpp>
#include <popart/opmanager.hpp>
#include <popart/opserialiser.hpp>

#include <map>
#include <memory>

namespace popart {

/// The base of `OP : ParameterizedOp<OP, PARAMS>`, which has defaultOperatorId(). PARAMS is
/// copyable and has appendAttributes(OpSerialiserBase&) const and the static
/// makeFromAttributes(Attributes).
template <typename OP, typename PARAMS>
class ParameterizedOp : public Op {
 public:
  using ParamsType = PARAMS;

  ParameterizedOp(const OperatorIdentifier& opid, const PARAMS& params,
                  const Op::Settings& settings)
      : Op(opid, settings), params_(params) {}
  ParameterizedOp(const PARAMS& params, const Op::Settings& settings)
      : ParameterizedOp(OP::defaultOperatorId(), params, settings) {}
  /// With parameters and settings of another operator, such as a gradient of its forward operator.
  template <typename OTHER>
  ParameterizedOp(const OperatorIdentifier& opid, const ParameterizedOp<OTHER, PARAMS>& op)
      : ParameterizedOp(opid, op.params(), op.settings) {}
  template <typename OTHER>
  ParameterizedOp(const ParameterizedOp<OTHER, PARAMS>& op)
      : ParameterizedOp(OP::defaultOperatorId(), op) {}

  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new OP(static_cast<const OP&>(*this)));
  }
  /// The factory for an OpCreator.
  static std::unique_ptr<OP> createOpFromCreatorInfo(const OpCreatorInfo& info) {
    return std::unique_ptr<OP>(
        new OP(info.opid, PARAMS::makeFromAttributes(info.attributes), info.settings));
  }
  /// A new operator in the graph, connected and set up.
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
