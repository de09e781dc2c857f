// Base class of random operators. After popart/op/randombase.hpp of PopART 3.
#ifndef popart_op_randombase_hpp
#define popart_op_randombase_hpp

#include <popart/datatype.hpp>
#include <popart/op/builtin.hpp>

#pragma GCC visibility push(default)

namespace popart {

/// An operator with a seed input.
class RandomBaseOp : public Op {
 public:
  using Op::Op;
  /// `dataType` is that of the output, if the model names one.
  RandomBaseOp(const OperatorIdentifier& opid, const OptionalDataType& dataType,
               const Op::Settings& settings)
      : Op(opid, settings), dataType_(dataType) {}
  ~RandomBaseOp() override;

  const OptionalDataType& getOptionalDataType() const { return dataType_; }

  bool requiresRandomSeed() const final { return true; }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }

 private:
  OptionalDataType dataType_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
