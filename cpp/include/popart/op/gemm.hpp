// Products of matrices with a sum. After popart/op/gemm.hpp of PopART 1.
#ifndef popart_op_gemm_hpp
#define popart_op_gemm_hpp

#include <popart/op/builtin.hpp>

#include <memory>
#include <set>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// ONNX's Gemm: alpha A B + beta C, with A and B transposed on request. C, which is optional,
/// broadcasts.
class GemmOp : public Op {
 public:
  GemmOp(const OperatorIdentifier& opid, float alpha, float beta, bool transA, bool transB,
         const Op::Settings& settings)
      : Op(opid, settings), alpha_(alpha), beta_(beta), transA_(transA), transB_(transB) {}
  ~GemmOp() override;

  static InIndex getAInIndex() { return 0; }
  static InIndex getBInIndex() { return 1; }
  static InIndex getCInIndex() { return 2; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  /// \throws error for operands that are no matrices, or do not fit
  void setup() final;
  std::set<InIndex> optionalInputs() const override { return {getCInIndex()}; }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getHighSubgraphValue(); }
  float getAlpha() const { return alpha_; }
  float getBeta() const { return beta_; }
  bool getTransA() const { return transA_; }
  bool getTransB() const { return transB_; }

 private:
  float alpha_, beta_;
  bool transA_, transB_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
