// Local response normalization. After popart/op/lrn.hpp of PopART 3.
#ifndef popart_op_lrn_hpp
#define popart_op_lrn_hpp

#include <popart/op.hpp>
#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class LRNOp : public Op {
 public:
  LRNOp(const OperatorIdentifier& opid, float alpha, float beta, float bias, int64_t size,
        const Op::Settings& settings)
      : Op(opid, settings), alpha_(alpha), beta_(beta), bias_(bias), size_(size) {}
  ~LRNOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { outInfo(getOutIndex()) = inInfo(getInIndex()); }
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  float getSubgraphValue() const override { return getHighSubgraphValue(); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getAlpha() const { return alpha_; }
  float getBeta() const { return beta_; }
  float getBias() const { return bias_; }
  int64_t getSize() const { return size_; }

 private:
  float alpha_, beta_, bias_;
  int64_t size_;
};

/// Its gradient, of that of the result and the input.
class LRNGradOp : public builtin::GradOp {
 public:
  explicit LRNGradOp(const LRNOp& fwdOp);
  ~LRNGradOp() override;

  static InIndex getInIndex() { return 0; }
  static InIndex getFwdInInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
  float getAlpha() const { return alpha_; }
  float getBeta() const { return beta_; }
  float getBias() const { return bias_; }
  int64_t getSize() const { return size_; }
  float getSubgraphValue() const final { return getHighSubgraphValue(); }

 private:
  float alpha_, beta_, bias_;
  int64_t size_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
