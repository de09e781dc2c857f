#include <algorithm>
#include <stdexcept>

#include "kernels/check.hpp"
#include "kernels/elementwise/expression.hpp"
#include "kernels/elementwise/forms.hpp"
#include "kernels/elementwise/plan.hpp"
#include "kernels/elementwise/runner.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<MapKernel> kSavedMap("map");

#define POPIR_ONE(NODE, OP, FUNCTION) +1
constexpr int kUnary = POPOPS_EXPR_UNARY_OPS(POPIR_ONE);
constexpr int kBinary = POPOPS_EXPR_BINARY_OPS(POPIR_ONE);
constexpr int kTernary = POPOPS_EXPR_TERNARY_OPS(POPIR_ONE);
#undef POPIR_ONE

/// Number of arguments of an operator that occurs in unfused programs; 0 for any other.
int argumentsOf(VecOp op) {
  if (op == VecOp::Copy || op == VecOp::Convert) return 1;
  const int row = static_cast<int>(op);
  return row < kUnary ? 1 : row < kUnary + kBinary ? 2 : row < kUnary + kBinary + kTernary ? 3 : 0;
}

/// Checks one value: its arguments precede it, and the operator takes their type.
void checkApply(const MapProgram& program, std::size_t at) {
  const auto& v = program.values()[at];
  const bool converts = v.op == VecOp::Convert;
  require(v.count > 0 && v.count == argumentsOf(v.op),
          "an operator has another number of arguments");
  for (int i = 0; i < v.count; ++i) {
    const int arg = v.args[static_cast<std::size_t>(i)];
    require(arg >= 0 && static_cast<std::size_t>(arg) < at, "an argument is no value before it");
    const bool condition = v.op == VecOp::Select && i == 2;
    require(program[arg].lane == (condition ? Lane::Bool : v.from),
            "an argument has another element type");
  }
  require((converts ? vectorConvert(v.from, v.lane) : vectorOp(v.op, v.from, 0)) != nullptr,
          "an operator does not take the element type");
  require(converts || v.lane == resultLane(v.op, v.from), "a value has another element type");
}

}  // namespace

MapKernel::MapKernel(MapProgram program, std::vector<std::size_t> inputs,
                     std::vector<std::size_t> outputs, Activation activation)
    : program_(std::move(program)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      activation_(activation) {
  if (inputs_.size() < program_.inputCount() || outputs_.size() != program_.outputs().size() ||
      outputs_.empty())
    throw std::invalid_argument("MapKernel: operands do not fit the program");
}

bool MapKernel::writes(std::size_t operand) const {
  return std::find(outputs_.begin(), outputs_.end(), operand) != outputs_.end();
}

bool MapKernel::accepts(std::size_t i, const Layout& layout) const {
  if (!writes(i) || layout.channelBlock != Layout::kPlain) return true;
  for (std::size_t d = 0; d < layout.shape.size(); ++d)
    if (layout.strides[d] == 0 && layout.shape[d] > 1) return false;
  return true;
}

std::vector<std::size_t> MapKernel::tied(const std::vector<Layout>& operands) const {
  std::vector<std::size_t> whole;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Layout& l = operands[i];
    bool repeated = false;
    for (std::size_t d = 0; d < l.shape.size(); ++d)
      repeated =
          repeated || (l.channelBlock == Layout::kPlain && l.strides[d] == 0 && l.shape[d] > 1);
    if (!repeated) whole.push_back(i);
  }
  return whole;
}

void MapKernel::check(const std::vector<OperandInfo>& operands) const {
  const auto& values = program_.values();
  std::vector<bool> read(operands.size()), written(operands.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& v = values[i];
    if (v.kind == MapProgram::Kind::Apply)
      checkApply(program_, i);
    else
      require(v.count == 0, "a value that is not computed has arguments");
    if (v.kind != MapProgram::Kind::Input) continue;
    require(v.data < program_.inputCount() && inputs_[v.data] < operands.size(),
            "an input is no operand");
    require(v.lane == storageLane(operands[inputs_[v.data]].type),
            "an input has another element type");
    read[inputs_[v.data]] = true;
  }
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    require(outputs_[k] < operands.size() && !written[outputs_[k]],
            "an output is no operand, or is written twice");
    written[outputs_[k]] = true;
    const int v = program_.outputs()[k];
    require(v >= 0 && static_cast<std::size_t>(v) < values.size(), "an output is no value");
    require(program_[v].lane == storageLane(operands[outputs_[k]].type),
            "an output has another element type");
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    // An operand given as ReadWrite keeps this access even if no value reads it.
    const auto access = !written[i]                                          ? Access::Read
                        : read[i] || operands[i].access == Access::ReadWrite ? Access::ReadWrite
                                                                             : Access::Write;
    requireOperand(operands[i], access, operands[i].type, operands[0].shape);
  }
}

Rounds MapKernel::rounds(bool) const {
  const auto& values = program_.values();
  return std::any_of(values.begin(), values.end(), isRounding) ? Rounds::AsAsked : Rounds::Nothing;
}

std::unique_ptr<Runner> MapKernel::prepare(const std::vector<Layout>& operands,
                                           const Setting& setting) const {
  return makeMapRunner(planMap(program_.fused(), inputs_, outputs_, operands, setting));
}

std::shared_ptr<const ElementWiseForm> MapKernel::elementWise() const {
  auto form = std::make_shared<ElementWiseForm>();
  form->program = program_;
  for (const auto i : inputs_) form->inputs.push_back({i, false});
  form->outputs = outputs_;
  return form;
}

}  // namespace popir
