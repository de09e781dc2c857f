// Printing of values. After popart/op/printtensor.hpp of PopART 3.
#ifndef popart_op_printtensor_hpp
#define popart_op_printtensor_hpp

#include <popart/op/elementwise.hpp>
#include <popart/printtensorfmt.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The input, whose values are printed each time that it runs, if `printSelf`, under the title or
/// else the id of the input. With `printGradient` its gradient is printed too.
class PrintTensorOp : public ElementWiseUnaryOp {
 public:
  PrintTensorOp(const OperatorIdentifier& opid, bool printSelf, bool printGradient,
                const std::string& title, const Op::Settings& settings);
  PrintTensorOp(const OperatorIdentifier& opid, bool printSelf, bool printGradient,
                const std::string& title, const PrintTensorFmt& fmt, const Op::Settings& settings);
  ~PrintTensorOp() override;

  std::unique_ptr<Op> clone() const override;
  /// A PrintTensorOp of the gradient, under the title and "_gradient", or the id of the gradient.
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  const std::map<int, int>& gradOutToNonGradIn() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  bool canBeReplacedByIdentity() const override { return !printSelf_; }
  bool hasSideEffect() const override { return printSelf_; }

  bool shouldPrint() const { return printSelf_; }
  const std::string& getTitle() const { return title_; }
  void setTitle(std::string title);
  const PrintTensorFmt& getFmt() const { return fmt_; }
  /// For popir itself.
  bool printsGradient() const { return printGradient_; }

 private:
  bool printSelf_;
  bool printGradient_;
  std::string title_;
  PrintTensorFmt fmt_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
