// Random numbers of a normal distribution. After popart/op/randomnormal.hpp of PopART 3.
#ifndef popart_op_randomnormal_hpp
#define popart_op_randomnormal_hpp

#include <popart/op/shapeorlike.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

class RandomNormalOp : public ShapeOrLikeOp {
 public:
  RandomNormalOp(const OperatorIdentifier& opid, const Shape& shape,
                 const OptionalDataType& dataType, float mean, float scale,
                 const Op::Settings& settings)
      : ShapeOrLikeOp(opid, dataType, settings), shape_(shape), mean_(mean), scale_(scale) {}
  ~RandomNormalOp() override;

  InIndex getSeedInIndex() const final { return 0; }
  std::unique_ptr<Op> clone() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  const Shape& getShape() const { return shape_; }
  float getMean() const { return mean_; }
  float getScale() const { return scale_; }

 private:
  Shape shape_;
  float mean_, scale_;
};

/// With the shape of the input.
class RandomNormalLikeOp : public ShapeOrLikeOp {
 public:
  RandomNormalLikeOp(const OperatorIdentifier& opid, const OptionalDataType& dataType, float mean,
                     float scale, const Op::Settings& settings)
      : ShapeOrLikeOp(opid, dataType, settings), mean_(mean), scale_(scale) {}
  ~RandomNormalLikeOp() override;

  static InIndex getInIndex() { return 0; }
  InIndex getSeedInIndex() const final { return 1; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getMean() const { return mean_; }
  float getScale() const { return scale_; }
  /// The operator that makes the same tensor by its shape.
  std::unique_ptr<RandomNormalOp> foldInputTensor(const Op::Settings& settings) const;

 private:
  float mean_, scale_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
