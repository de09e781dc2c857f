// Gradients and variants of the compiler's operators, as objects. popir's own.
//
// An object of these classes keeps the operator that it belongs to: which one of the compiler's, its
// attributes, the types and shapes of its inputs. By that a session puts the compiler's own gradient
// in its place, in a graph that a program makes and where a library's class derives from one of
// PopART's.
#ifndef popart_op_gradient_hpp
#define popart_op_gradient_hpp

#include <popart/attributes.hpp>
#include <popart/op/builtin.hpp>

#include <map>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace builtin {

/// What an object keeps of the operator whose gradient or variant it is.
class Origin {
 public:
  /// `forward` is an object of PopART's class for the compiler's operator `known`, or of one that
  /// derives from it and has another name. Its version counts, if it has the name of `known`.
  Origin(const Op& forward, const OperatorIdentifier& known);
  /// Of exactly this operator, with these attributes and only the first `inputs` inputs.
  Origin(const Op& forward, const OperatorIdentifier& known, Attributes attributes, InIndex inputs);
  /// Of one that is made without an object: without attributes.
  explicit Origin(const OperatorIdentifier& known);
  Origin(const Origin&) = default;
  Origin& operator=(const Origin&) = default;
  virtual ~Origin();

  const OperatorIdentifier& forwardId() const { return id_; }
  const Attributes& forwardAttributes() const { return attributes_; }
  /// By index, what was connected when the object was made.
  const std::map<int, TensorInfo>& forwardInputs() const { return inputs_; }
  const std::map<int, TensorInfo>& forwardOutputs() const { return outputs_; }
  /// The values of inputs that were constant.
  const std::map<int, std::vector<char>>& forwardConstants() const { return constants_; }
  /// \throws error if the input was not connected
  const TensorInfo& forwardInput(const Op& owner, InIndex index) const;

 protected:
  /// For appendOutlineAttributes() of the object.
  void appendForward(OpSerialiserBase& os) const;

 private:
  OperatorIdentifier id_;
  Attributes attributes_;
  std::map<int, TensorInfo> inputs_, outputs_;
  std::map<int, std::vector<char>> constants_;
};

/// A gradient: each output has the type and shape of the input whose gradient it is.
class GradOp : public Op, public Origin {
 public:
  /// `reads` and `gives` are gradInputInfo() and gradOutToNonGradIn().
  GradOp(const OperatorIdentifier& opid, const Op& forward, const OperatorIdentifier& known,
         std::vector<GradInOutMapper> reads, std::map<int, int> gives);
  ~GradOp() override;

  void setup() override;
  const std::vector<GradInOutMapper>& gradInputInfo() const override { return reads_; }
  const std::map<int, int>& gradOutToNonGradIn() const override { return gives_; }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }

 private:
  std::vector<GradInOutMapper> reads_;
  std::map<int, int> gives_;
};

/// Of a gradient that reads that of output 0 alone, and gives that of input 0.
extern const std::vector<GradInOutMapper> ofResult;
extern const std::map<int, int> ofInput;

}  // namespace builtin
}  // namespace popart

#pragma GCC visibility pop

#endif
