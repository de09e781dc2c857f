// An operator that stands for another one for a while. After popart/op/placeholder.hpp of PopART 3.
#ifndef popart_op_placeholder_hpp
#define popart_op_placeholder_hpp

#include <popart/op.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// Any name, no shapes and no lowering: for transforms that put another operator in its place.
class PlaceholderOp : public Op {
 public:
  PlaceholderOp(const OperatorIdentifier& opid, const Op::Settings& settings)
      : Op(opid, settings) {}
  ~PlaceholderOp() override;

  std::unique_ptr<Op> clone() const override;
  /// \throws error: it has no shapes
  void setup() override;
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
