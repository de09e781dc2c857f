// Matrix products. After popart/op/matmul.hpp of PopART 3.
#ifndef popart_op_matmul_hpp
#define popart_op_matmul_hpp

#include <popart/basicoptionals.hpp>
#include <popart/datatype.hpp>
#include <popart/op/builtin.hpp>
#include <popart/vendored/optional.hpp>

#include <cstdint>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

enum class MatMulPartialsType { HALF, FLOAT };
std::string toString(const MatMulPartialsType& type);
std::ostream& operator<<(std::ostream& os, const MatMulPartialsType& type);

/// Base of the product and its gradients.
class MatMulBaseOp : public Op {
 public:
  enum class Phase { Fwd, BwdLHS, BwdRHS };

  /// How Builder::setSerializeMatMul() cuts a product.
  struct SerialiseSettings {
    enum class Mode { None, InputChannels, ReducingDim, OutputChannels };
    Mode mode = Mode::None;
    uint32_t factor = 0;  // the number of parts
    bool keep_precision = false;
  };

  MatMulBaseOp(const OperatorIdentifier& opid, const Op::Settings& settings, Phase phase,
               nonstd::optional<float> availableMemoryProportion,
               const SerialiseSettings& serialisation, OptionalDataType outputType,
               MatMulPartialsType partialsType, bool enableFullyConnectedPass = true)
      : Op(opid, settings),
        phase(phase),
        enableFullyConnectedPass(enableFullyConnectedPass),
        availableMemoryProportion(availableMemoryProportion),
        serialization(serialisation),
        outputType(outputType),
        partialsType(partialsType) {}
  ~MatMulBaseOp() override;

  std::unique_ptr<Op> clone() const override = 0;
  bool useFullyConnectedPass() const { return enableFullyConnectedPass; }
  /// Whether the product is planned together with those of the layer's other passes.
  void setUseFullyConnectedPass(bool b);
  /// What a caller sets below is what the getters return; the compiler plans products from their
  /// annotations, and does not look at it.
  nonstd::optional<float> getAvailableMemoryProportion() const { return availableMemoryProportion; }
  void setAvailableMemoryProportion(const nonstd::optional<float> v) {
    availableMemoryProportion = v;
  }
  const SerialiseSettings& getSerialiseSettings() const { return serialization; }
  /// The shapes of the operands, inputs 0 and 1, with leading 1 up to three dimensions.
  virtual Shape getExpandedLhsShape() const;
  virtual Shape getExpandedRhsShape() const;
  SerialiseSettings& getSerialiseSettings() { return serialization; }
  OptionalDataType getOutputType() const { return outputType; }
  Phase getPhase() const { return phase; }
  void setPhase(Phase p) { phase = p; }
  MatMulPartialsType getPartialsType() const { return partialsType; }
  void setPartialsType(const MatMulPartialsType& type) { partialsType = type; }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getHighSubgraphValue(); }
  bool canShard() const override { return true; }

 protected:
  Phase phase;
  bool enableFullyConnectedPass;
  nonstd::optional<float> availableMemoryProportion;
  SerialiseSettings serialization;
  OptionalDataType outputType;
  MatMulPartialsType partialsType;
};

/// ONNX's MatMul: numpy.matmul of two inputs. On inputs of 8 bits input 2 is the logarithm of a
/// scale (isPow2ScaledMatMul()), and the output FLOAT16.
class MatMulOp : public MatMulBaseOp {
 public:
  MatMulOp(const OperatorIdentifier& opid, const Op::Settings& settings,
           const nonstd::optional<float>& availableMemoryProportion,
           const SerialiseSettings& serialisation, const OptionalDataType& outputType,
           const MatMulPartialsType& partialsType = MatMulPartialsType::FLOAT)
      : MatMulBaseOp(opid, settings, Phase::Fwd, availableMemoryProportion, serialisation,
                     outputType, partialsType) {}
  ~MatMulOp() override;

  static InIndex getLhsInIndex() { return 0; }
  static InIndex getRhsInIndex() { return 1; }
  static InIndex getLog2ScaleInIndex() { return 2; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  /// \throws error for shapes whose product there is not, and for types that do not go together
  void setup() override;
  std::set<InIndex> optionalInputs() const override { return {getLog2ScaleInIndex()}; }
  bool isPow2ScaledMatMul() const;
  /// A vector is a row on the left and a column on the right.
  Shape getExpandedLhsShape() const override;
  Shape getExpandedRhsShape() const override;
  const Tensor* lhsIn() const { return inTensor(getLhsInIndex()); }
  const Tensor* rhsIn() const { return inTensor(getRhsInIndex()); }
  const Tensor* out() const { return outTensor(getOutIndex()); }
};

/// Base of the gradients, each of one input.
class MatMulBaseGradOp : public MatMulBaseOp {
 public:
  using MatMulBaseOp::MatMulBaseOp;
  /// With the options of the product that it is a gradient of.
  MatMulBaseGradOp(const OperatorIdentifier& opid, const MatMulOp& fwdOp, Phase phase);
  ~MatMulBaseGradOp() override;
  std::unique_ptr<Op> clone() const override = 0;
  void setup() override { builtin::setup(*this); }
};

/// The gradient of the first input, from that of the output and the second input.
class MatMulLhsGradOp : public MatMulBaseGradOp {
 public:
  using MatMulBaseGradOp::MatMulBaseGradOp;
  explicit MatMulLhsGradOp(const MatMulOp& fwdOp);
  ~MatMulLhsGradOp() override;
  static InIndex getGradInIndex() { return 0; }
  static InIndex getRhsInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
};

/// The gradient of the second input, from that of the output and the first input.
class MatMulRhsGradOp : public MatMulBaseGradOp {
 public:
  using MatMulBaseGradOp::MatMulBaseGradOp;
  explicit MatMulRhsGradOp(const MatMulOp& fwdOp);
  ~MatMulRhsGradOp() override;
  static InIndex getGradInIndex() { return 0; }
  static InIndex getLhsInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
