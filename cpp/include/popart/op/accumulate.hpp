// Accumulation into a variable over steps. After popart/op/accumulate.hpp of PopART 3.
#ifndef popart_op_accumulate_hpp
#define popart_op_accumulate_hpp

#include <popart/op/varupdate.hpp>
#include <popart/optimizervalue.hpp>

#include <map>
#include <memory>
#include <ostream>

#pragma GCC visibility push(default)

namespace popart {

/// The new value of the variable v, for the updater u and the factor f.
enum class AccumulationType {
  Add = 0,              ///< v + u
  DampenedAdd,          ///< v + f u
  DampenedAddSquare,    ///< v + f u^2
  DecayAdd,             ///< f v + u
  DecayAddSquare,       ///< f v + u^2
  MovingAverage,        ///< f v + (1 - f) u
  MovingAverageSquare,  ///< f v + (1 - f) u^2
  Infinity,             ///< max(f v, |u|)
  Mean                  ///< f / (f + 1) v + 1 / (f + 1) u
};
std::ostream& operator<<(std::ostream& os, const AccumulationType& type);

/// Base of updates of the variable by the updater and a factor.
class AccumulateBaseOp : public VarUpdateWithUpdaterOp {
 public:
  AccumulateBaseOp(const OperatorIdentifier& opid, AccumulationType type,
                   const OptimizerValue& factor, const Op::Settings& settings)
      : AccumulateBaseOp(opid, type, TensorId(), factor, settings) {}
  /// With the id of the variable, as for VarUpdateOp.
  AccumulateBaseOp(const OperatorIdentifier& opid, AccumulationType type, const TensorId& varId,
                   const OptimizerValue& factor, const Op::Settings& settings)
      : VarUpdateWithUpdaterOp(opid, varId, settings), type_(type), factor_(factor) {}
  ~AccumulateBaseOp() override;

  /// Input of the factor, if it is not constant.
  static constexpr InIndex getFactorInIndex() { return 2; }
  std::unique_ptr<Op> clone() const override = 0;
  std::map<InIndex, TensorId> optimizerInputs() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override;
  AccumulationType getAccumulationType() const { return type_; }
  const OptimizerValue& getFactor() const { return factor_; }

 private:
  AccumulationType type_;
  OptimizerValue factor_;
};

/// The update selected by an AccumulationType.
class AccumulateOp : public AccumulateBaseOp {
 public:
  AccumulateOp(AccumulationType type, const OptimizerValue& factor, const Op::Settings& settings);
  ~AccumulateOp() override;

  std::unique_ptr<Op> clone() const override;

 protected:
  AccumulateOp(AccumulationType type, const TensorId& varId, const OptimizerValue& factor,
               const Op::Settings& settings);
};

/// The same, of a variable that is multiplied by a ratio first: by its square where the type squares
/// the updater.
class RescaleAccumulateOp : public AccumulateBaseOp {
 public:
  RescaleAccumulateOp(AccumulationType type, const OptimizerValue& factor,
                      const Op::Settings& settings);
  ~RescaleAccumulateOp() override;

  static constexpr InIndex getRescaleRatioInIndex() { return 3; }
  std::unique_ptr<Op> clone() const override;
};

/// The update of the rows of the variable that the indices name, along an axis.
class SparseAccumulateOp : public AccumulateBaseOp {
 public:
  SparseAccumulateOp(AccumulationType type, const OptimizerValue& factor, unsigned axis,
                     const Op::Settings& settings);
  ~SparseAccumulateOp() override;

  static constexpr InIndex getIndicesInIndex() { return 3; }
  static constexpr InIndex getOriginalVarToUpdateInIndex() { return 4; }
  std::unique_ptr<Op> clone() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  std::set<InIndex> optionalInputs() const override { return {getOriginalVarToUpdateInIndex()}; }
  unsigned getAxis() const { return axis_; }
  static bool supportsAccumulationType(AccumulationType type);

 private:
  unsigned axis_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
