// What operators are not moved over. After popart/op/boundary.hpp of PopART 3.
#ifndef popart_op_boundary_hpp
#define popart_op_boundary_hpp

#include <popart/op.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// Has neither inputs nor outputs. It keeps its place in an order of operators, is in no outlined
/// graph, and computes nothing: a session drops it.
class BoundaryOp : public Op {
 public:
  explicit BoundaryOp(const Op::Settings& settings)
      : Op(OperatorIdentifier(Domain::ai_graphcore, "Boundary", 1), settings) {}
  ~BoundaryOp() override;

  std::unique_ptr<Op> clone() const override;
  void setup() final {}
  float getSubgraphValue() const final { return 0.0f; }
  bool isOutlineable() const override { return false; }
  bool hasSideEffect() const override { return true; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
