// Printing of values.
#include <popart/graphcoreoperators.hpp>
#include <popart/op/builtin.hpp>
#include <popart/op/printtensor.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>
#include <popart/tensornames.hpp>

#include "popart/op/copy_of.hpp"

namespace popart {

PrintTensorOp::PrintTensorOp(const OperatorIdentifier& opid, bool printSelf, bool printGradient,
                             const std::string& title, const Op::Settings& settings)
    : PrintTensorOp(opid, printSelf, printGradient, title, PrintTensorFmt(), settings) {}

PrintTensorOp::PrintTensorOp(const OperatorIdentifier& opid, bool printSelf, bool printGradient,
                             const std::string& title, const PrintTensorFmt& fmt,
                             const Op::Settings& settings)
    : ElementWiseUnaryOp(opid, settings),
      printSelf_(printSelf),
      printGradient_(printGradient),
      title_(title),
      fmt_(fmt) {}

PrintTensorOp::~PrintTensorOp() = default;

std::unique_ptr<Op> PrintTensorOp::clone() const { return copyOf(*this); }

std::vector<std::unique_ptr<Op>> PrintTensorOp::getGradOps() {
  const std::string title =
      title_.empty() ? reservedGradientPrefix() + inId(getInIndex()) : title_ + "_gradient";
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new PrintTensorOp(Onnx::CustomOperators::PrintTensor_1, printGradient_,
                                      printGradient_, title, fmt_, settings));
  return made;
}

const std::vector<GradInOutMapper>& PrintTensorOp::gradInputInfo() const {
  static const std::vector<GradInOutMapper> inputs = {
      {getInIndex(), getOutIndex(), GradOpInType::GradOut}};
  return inputs;
}

const std::map<int, int>& PrintTensorOp::gradOutToNonGradIn() const {
  static const std::map<int, int> outputs = {{getOutIndex(), getInIndex()}};
  return outputs;
}

void PrintTensorOp::setTitle(std::string title) {
  title_ = std::move(title);
  builtin::changed(*this);
}

void PrintTensorOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("printSelf", printSelf_);
  os.appendAttribute("printGradient", printGradient_);
  os.appendAttribute("title", title_);
  os.appendAttribute("summariseThreshold", fmt_.summariseThreshold);
  os.appendAttribute("edgeItems", fmt_.edgeItems);
  os.appendAttribute("maxLineWidth", fmt_.maxLineWidth);
  os.appendAttribute("digits", fmt_.digits);
  os.appendAttribute("floatFormat", static_cast<int>(fmt_.floatFormat));
  os.appendAttribute("separator", std::string(1, fmt_.separator));
  os.appendAttribute("openBracket", std::string(1, fmt_.openBracket));
  os.appendAttribute("closeBracket", std::string(1, fmt_.closeBracket));
}

}  // namespace popart
