// A recurrent layer without gates. After popart/op/rnn.hpp of PopART 3.
#ifndef popart_op_rnn_hpp
#define popart_op_rnn_hpp

#include <popart/op/rnnbase.hpp>

#include <cstdint>
#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

class RNNOp : public BaseOnnxRNNOp {
 public:
  RNNOp(const OperatorIdentifier& opid, ActivationFunction activation,
        nonstd::optional<int64_t> hiddenSize, const Op::Settings& settings)
      : BaseOnnxRNNOp(opid, hiddenSize, settings), activation_attribute(activation) {}
  ~RNNOp() override;

  std::unique_ptr<Op> clone() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  std::string getName() const override { return "RNN"; }

  const ActivationFunction activation_attribute;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
