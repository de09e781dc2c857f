// Batch normalization. After popart/op/batchnorm.hpp of PopART 3.
#ifndef popart_op_batchnorm_hpp
#define popart_op_batchnorm_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Inputs x, scale, b, mean and variance; output y, and in training what the statistics become.
class BatchNormOp : public Op {
 public:
  BatchNormOp(const OperatorIdentifier& opid, float epsilon, float momentum, int64_t spatial,
              bool unbiased_variance, const Op::Settings& settings)
      : Op(opid, settings),
        epsilon_(epsilon),
        momentum_(momentum),
        spatial_(spatial),
        unbiased_(unbiased_variance) {}
  ~BatchNormOp() override;

  static InIndex getXInIndex() { return 0; }
  static InIndex getScaleInIndex() { return 1; }
  static InIndex getBInIndex() { return 2; }
  static InIndex getMeanInIndex() { return 3; }
  static InIndex getVarInIndex() { return 4; }
  static OutIndex getYOutIndex() { return 0; }
  static OutIndex getMeanOutIndex() { return 1; }
  static OutIndex getVarOutIndex() { return 2; }
  static OutIndex getSavedMeanOutIndex() { return 3; }
  static OutIndex getSavedVarOutIndex() { return 4; }
  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void setup() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getHighSubgraphValue(); }
  bool isNorm() const override { return true; }

  float getEpsilon() const { return epsilon_; }
  float getMomentum() const { return momentum_; }
  int64_t getSpatial() const { return spatial_; }
  bool useUnbiasedVariance() const { return unbiased_; }
  /// Whether it also gives statistics.
  bool isTraining() const { return output->n() > 1; }

 private:
  float epsilon_, momentum_;
  int64_t spatial_;
  bool unbiased_;
};

/// The gradients of its inputs. The saved statistics are read, if the operator gives them.
class BatchNormGradOp : public builtin::GradOp {
 public:
  explicit BatchNormGradOp(const BatchNormOp& fwdOp);
  ~BatchNormGradOp() override;

  static InIndex getXInIndex() { return 0; }
  static InIndex getScaleInIndex() { return 1; }
  static InIndex getMeanInIndex() { return 2; }
  static InIndex getVarInIndex() { return 3; }
  static InIndex getYGradInIndex() { return 4; }
  static OutIndex getXOutIndex() { return 0; }
  static OutIndex getScaleOutIndex() { return 1; }
  static OutIndex getBOutIndex() { return 2; }
  std::unique_ptr<Op> clone() const final;
  float getEpsilon() const { return epsilon_; }
  int64_t getSpatial() const { return spatial_; }
  float getSubgraphValue() const final { return getHighSubgraphValue(); }

 private:
  float epsilon_;
  int64_t spatial_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
