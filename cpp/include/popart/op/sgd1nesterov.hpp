// The gradient of SGD with Nesterov's momentum. After popart/op/sgd1nesterov.hpp of PopART 3.
#ifndef popart_op_sgd1nesterov_hpp
#define popart_op_sgd1nesterov_hpp

#include <popart/op.hpp>

#include <memory>
#include <set>

#pragma GCC visibility push(default)

namespace popart {

/// ngsf * (inverse loss scale * gradient + wd * weight) + mm * velocity. Each of the four numbers is
/// an input, or else what the constructor was given.
class SGD1NesterovOp : public Op {
 public:
  SGD1NesterovOp(const OperatorIdentifier& opid, float initInverseLossScale, float initWd,
                 float initNgsf, float initMm, const Op::Settings& settings)
      : Op(opid, settings),
        inverseLossScale_(initInverseLossScale),
        wd_(initWd),
        ngsf_(initNgsf),
        mm_(initMm) {}
  ~SGD1NesterovOp() override;

  static InIndex getGradInIndex() { return 0; }
  static InIndex getWeightInIndex() { return 1; }
  static InIndex getVelocityInIndex() { return 2; }
  static InIndex getInverseLossScaleInIndex() { return 3; }
  static InIndex getWdInIndex() { return 4; }
  static InIndex getNgsfInIndex() { return 5; }
  static InIndex getMmInIndex() { return 6; }
  static OutIndex getOutIndex() { return 0; }

  std::unique_ptr<Op> clone() const override;
  void setup() override { outInfo(getOutIndex()) = inInfo(getGradInIndex()); }
  std::set<InIndex> optionalInputs() const override {
    return {getInverseLossScaleInIndex(), getWdInIndex(), getNgsfInIndex(), getMmInIndex()};
  }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool isOptimizerOp() const override { return true; }
  float getInverseLossScale() const { return inverseLossScale_; }
  float getWd() const { return wd_; }
  float getNgsf() const { return ngsf_; }
  float getMm() const { return mm_; }

 private:
  float inverseLossScale_, wd_, ngsf_, mm_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
