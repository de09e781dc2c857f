// Local response normalization. After popart/op/lrn.hpp of PopART 3.
#ifndef popart_op_lrn_hpp
#define popart_op_lrn_hpp

#include <popart/op.hpp>
#include <popart/op/builtin.hpp>

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
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
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

}  // namespace popart

#pragma GCC visibility pop

#endif
