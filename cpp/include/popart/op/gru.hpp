// A recurrent layer with two gates. After popart/op/gru.hpp of PopART 3.
#ifndef popart_op_gru_hpp
#define popart_op_gru_hpp

#include <popart/op/rnnbase.hpp>

#include <cstdint>
#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

class GRUOp : public BaseOnnxRNNOp {
 public:
  GRUOp(const OperatorIdentifier& opid, nonstd::optional<int64_t> hiddenSize,
        const std::string& direction, bool linearBeforeReset, const Op::Settings& settings)
      : BaseOnnxRNNOp(opid, hiddenSize, settings),
        direction_(direction),
        linearBeforeReset_(linearBeforeReset) {}
  ~GRUOp() override;

  std::unique_ptr<Op> clone() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  std::string getName() const override { return "GRU"; }
  std::string getDirectionAttribute() const { return direction_; }
  int getLinearBeforeResetAttribute() const { return linearBeforeReset_ ? 1 : 0; }

 private:
  std::string direction_;
  bool linearBeforeReset_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
