// Random numbers of a uniform distribution. After popart/op/randomuniform.hpp of PopART 3.
#ifndef popart_op_randomuniform_hpp
#define popart_op_randomuniform_hpp

#include <popart/op/shapeorlike.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

class RandomUniformOp : public ShapeOrLikeOp {
 public:
  RandomUniformOp(const OperatorIdentifier& opid, const Shape& shape,
                  const OptionalDataType& dataType, float high, float low,
                  const Op::Settings& settings)
      : ShapeOrLikeOp(opid, dataType, settings), shape_(shape), high_(high), low_(low) {}
  ~RandomUniformOp() override;

  InIndex getSeedInIndex() const final { return 0; }
  std::unique_ptr<Op> clone() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  const Shape& getShape() const { return shape_; }
  float getHigh() const { return high_; }
  float getLow() const { return low_; }

 private:
  Shape shape_;
  float high_, low_;
};

/// With the shape of the input.
class RandomUniformLikeOp : public ShapeOrLikeOp {
 public:
  RandomUniformLikeOp(const OperatorIdentifier& opid, const OptionalDataType& dataType, float high,
                      float low, const Op::Settings& settings)
      : ShapeOrLikeOp(opid, dataType, settings), high_(high), low_(low) {}
  ~RandomUniformLikeOp() override;

  static InIndex getInIndex() { return 0; }
  InIndex getSeedInIndex() const final { return 1; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getHigh() const { return high_; }
  float getLow() const { return low_; }
  /// The operator that makes the same tensor by its shape.
  std::unique_ptr<RandomUniformOp> foldInputTensor(const Op::Settings& settings) const;

 private:
  float high_, low_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
