// Largest elements of whole channels. After popart/op/globalmaxpool.hpp of PopART 3.
#ifndef popart_op_globalmaxpool_hpp
#define popart_op_globalmaxpool_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class GlobalMaxPoolOp : public Op {
 public:
  using Op::Op;
  ~GlobalMaxPoolOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { builtin::setup(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  /// The spatial dimensions of the input.
  Shape getSpatialK() const;
  Shape getStrides() const { return Shape(getSpatialK().size(), 1); }
  Shape getLowerPads() const { return Shape(getSpatialK().size(), 0); }
  Shape getUpperPads() const { return getLowerPads(); }
};

/// Its gradient, of that of the result, the result and the input.
class GlobalMaxPoolGradOp : public builtin::GradOp {
 public:
  explicit GlobalMaxPoolGradOp(const GlobalMaxPoolOp& fwdOp);
  ~GlobalMaxPoolGradOp() override;

  static InIndex getPrePooledInIndex() { return 0; }
  static InIndex getPooledInIndex() { return 1; }
  static InIndex getGradPooledInIndex() { return 2; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;

  const Shape creatorSpatialK, creatorStrides, creatorLowerPads, creatorUpperPads;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
