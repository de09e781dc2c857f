// Zeros, by shape and like a tensor. After popart/op/zeros.hpp of PopART 3.
#ifndef popart_op_zeros_hpp
#define popart_op_zeros_hpp

#include <popart/datatype.hpp>
#include <popart/op/builtin.hpp>

#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Zeros, which become a constant before they are lowered. Without a type they are FLOAT.
class ZerosBaseOp : public Op {
 public:
  ZerosBaseOp(const OperatorIdentifier& opid, const OptionalDataType& dataType,
              const Op::Settings& settings)
      : Op(opid, settings), dataType_(dataType) {}
  ~ZerosBaseOp() override;

  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override = 0;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  const OptionalDataType& getDataType() const { return dataType_; }
  static std::vector<DataType> supportedDataTypes();

 private:
  OptionalDataType dataType_;
};

class ZerosOp : public ZerosBaseOp {
 public:
  ZerosOp(const OperatorIdentifier& opid, const Shape& shape, const OptionalDataType& dataType,
          const Op::Settings& settings)
      : ZerosBaseOp(opid, dataType, settings), shape_(shape) {}
  ~ZerosOp() override;

  std::unique_ptr<Op> clone() const final;
  /// \throws error for a type that supportedDataTypes() lacks
  void setup() final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;

 private:
  Shape shape_;
};

/// With the shape and the type of the input.
class ZerosLikeOp : public ZerosBaseOp {
 public:
  ZerosLikeOp(const OperatorIdentifier& opid, const Op::Settings& settings)
      : ZerosBaseOp(opid, {}, settings) {}
  ~ZerosLikeOp() override;

  static InIndex getInIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() final;
  /// The operator that makes the same tensor by its shape.
  std::unique_ptr<ZerosOp> foldInputTensor(const Op::Settings& settings) const;
};

/// The gradient of an operator with one input that does not depend on it.
class UnaryZeroGradOp : public ZerosLikeOp {
 public:
  using ZerosLikeOp::ZerosLikeOp;
  ~UnaryZeroGradOp() override;

  std::unique_ptr<Op> clone() const final;
  static std::vector<std::unique_ptr<Op>> getGradOpVector(const Op::Settings& settings);
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  const std::map<int, int>& gradOutToNonGradIn() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
