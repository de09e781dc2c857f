// A step of SGD with momentum as one operator. After popart/op/sgdcombobase.hpp of PopART 3.
#ifndef popart_op_sgdcombobase_hpp
#define popart_op_sgdcombobase_hpp

#include <popart/op/varupdate.hpp>
#include <popart/optimizer.hpp>
#include <popart/optimizervalue.hpp>

#include <map>
#include <memory>
#include <set>

#pragma GCC visibility push(default)

namespace popart {

/// Base of the steps that PopART takes apart later. The compiler's graph has the parts at once and
/// none of these; SGD1Decompose and SGD2Decompose take those of a program's graph apart.
class SGDMComboBaseOp : public VarUpdateWithUpdaterOp {
 public:
  SGDMComboBaseOp(const OperatorIdentifier& opid, OptimizerValue initialSmm1,
                  OptimizerValue initialDpsf1, OptimizerValue initialSwd1,
                  OptimizerValue initialSlr1, OptimizerReductionType reductionType,
                  const Op::Settings& settings);
  /// With Nesterov momentum, which takes the last four.
  SGDMComboBaseOp(const OperatorIdentifier& opid, OptimizerValue initialSmm1,
                  OptimizerValue initialDpsf1, OptimizerValue initialSwd1,
                  OptimizerValue initialSlr1, OptimizerValue initialMm, OptimizerValue initialWd,
                  OptimizerValue initialNgsf, OptimizerValue initialNdsf,
                  OptimizerReductionType reductionType, const Op::Settings& settings);
  ~SGDMComboBaseOp() override;

  static InIndex getSmm1InIndex() { return 2; }
  static InIndex getDpsf1InIndex() { return 3; }
  static InIndex getSwd1InIndex() { return 4; }
  static InIndex getSlr1InIndex() { return 5; }
  static InIndex getMmInIndex() { return 6; }
  static InIndex getWdInIndex() { return 7; }
  static InIndex getNgsfInIndex() { return 8; }
  static InIndex getNdsfInIndex() { return 9; }
  std::unique_ptr<Op> clone() const override = 0;
  /// Those that are not constant.
  std::map<InIndex, TensorId> optimizerInputs() const override;
  std::set<InIndex> optionalInputs() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  /// Negative: shared by nothing.
  float getSubgraphValue() const override { return -1.0f; }

  const OptimizerValue initSmm1;   // scaled momentum
  const OptimizerValue initDpsf1;  // dampening scale factor
  const OptimizerValue initSwd1;   // scaled weight decay
  const OptimizerValue initSlr1;   // scaled learning rate
  OptimizerValue initMm;           // momentum
  OptimizerValue initWd;           // weight decay
  OptimizerValue initNgsf;         // Nesterov gradient scale factor
  OptimizerValue initNdsf;         // Nesterov dampening scale factor
  const OptimizerReductionType reductionType;
  bool nesterov;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
