// Other sizes of a tensor. After popart/op/resize.hpp of PopART 3.
#ifndef popart_op_resize_hpp
#define popart_op_resize_hpp

#include <popart/op.hpp>

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

enum class ResizeMode { Nearest, Linear, Cubic, N };
std::string toString(const ResizeMode& mode);
std::ostream& operator<<(std::ostream& os, const ResizeMode& mode);

/// Which element is the nearest of a position between two. Pytorch takes the one that PyTorch does,
/// whatever the transformation.
enum class ResizeNearestMode { RoundPreferFloor, RoundPreferCeil, Floor, Ceil, Pytorch, N };
std::string toString(const ResizeNearestMode& mode);
std::ostream& operator<<(std::ostream& os, const ResizeNearestMode& mode);

/// Where an element of the output lies in the input.
enum class ResizeCoordinateTransformationMode {
  HalfPixel,
  PytorchHalfPixel,
  AlignCorners,
  Asymmetric,
  TfCropAndResize,
  N
};
std::string toString(const ResizeCoordinateTransformationMode& mode);
std::ostream& operator<<(std::ostream& os, const ResizeCoordinateTransformationMode& mode);

/// The input with each dimension `scales` times as large, rounded down: for graphs that a program
/// makes. The compiler's graphs have the operators that ONNX's Resize consists of.
class ResizeOp : public Op {
 public:
  /// As Resize of version 10: the element before a position where a dimension grows, and the one
  /// after it where it shrinks; `Asymmetric`.
  ResizeOp(const OperatorIdentifier& opid, const Op::Settings& settings, ResizeMode mode,
           const std::vector<float>& scales);
  /// \throws error for a mode or transformation that is none, and for TfCropAndResize, which needs
  /// a region
  ResizeOp(const OperatorIdentifier& opid, const Op::Settings& settings, ResizeMode mode,
           const std::vector<float>& scales, ResizeNearestMode nearestMode,
           ResizeCoordinateTransformationMode coordinateTransformationMode);
  ~ResizeOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  /// A ResizeGradOp, of any mode.
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  /// \throws error unless there is a positive scale for each dimension
  void setup() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }

  ResizeMode getMode() const { return mode_; }
  const std::vector<float>& getScales() const { return scales_; }
  ResizeNearestMode getNearestMode() const { return nearest_; }
  ResizeCoordinateTransformationMode getCoordinateTransformationMode() const {
    return transformation_;
  }

 protected:
  /// A gradient's: `scales` are those from the gradient's shape to the input's.
  ResizeOp(const ResizeOp& forward, const OperatorIdentifier& opid,
           const std::vector<float>& scales);

 private:
  ResizeMode mode_;
  std::vector<float> scales_;
  ResizeNearestMode nearest_ = ResizeNearestMode::RoundPreferFloor;
  ResizeCoordinateTransformationMode transformation_ =
      ResizeCoordinateTransformationMode::Asymmetric;
  /// Whether it is that of version 10.
  bool isFirst_ = true;
};

/// Adds up what each element of the input has given: every mode is a weighted sum of elements.
class ResizeGradOp : public ResizeOp {
 public:
  explicit ResizeGradOp(const ResizeOp& fwdOp);
  ~ResizeGradOp() override;

  std::unique_ptr<Op> clone() const override;
  /// \throws error: it is linear, and its gradient a ResizeOp, which is not made
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void setup() override;
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  const std::map<int, int>& gradOutToNonGradIn() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  const std::vector<float> getFwdScales() const { return fwdScales_; }

 private:
  std::vector<float> fwdScales_;
  Shape shape_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
