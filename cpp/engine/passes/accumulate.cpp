#include "engine/passes/accumulate.hpp"

#include <cstring>

#include "kernels/elementwise/program.hpp"
#include "poplar/view.hpp"

namespace popir {
namespace {

using Value = MapProgram::Value;

bool isInput(const Value& v, unsigned number) {
  return v.kind == MapProgram::Kind::Input && v.data == number && v.lane == Lane::F32;
}

bool isApply(const Value& v, VecOp op) {
  return v.kind == MapProgram::Kind::Apply && v.op == op && v.from == Lane::F32;
}

/// The constant c, if the value is c * input `number`.
std::optional<float> factorOf(const MapProgram& p, const Value& v, unsigned number) {
  if (isInput(v, number)) return 1.0f;
  if (!isApply(v, VecOp::Mul)) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    const Value& c = p[v.args[i]];
    if (c.kind != MapProgram::Kind::Constant || !isInput(p[v.args[1 - i]], number)) continue;
    float factor;
    const auto bits = static_cast<std::uint32_t>(c.data);
    std::memcpy(&factor, &bits, sizeof factor);
    return factor;
  }
  return std::nullopt;
}

/// The constant c, if the program's only output is input `sum` + c * input `added`.
std::optional<float> scaleOf(const MapProgram& p, unsigned sum, unsigned added) {
  if (p.outputs().size() != 1) return std::nullopt;
  const Value& last = p[p.outputs().front()];
  const bool plus = isApply(last, VecOp::Add), minus = isApply(last, VecOp::Sub);
  if (!plus && !minus) return std::nullopt;
  for (std::size_t i = 0; i < (plus ? 2 : 1); ++i) {
    if (!isInput(p[last.args[i]], sum)) continue;
    const auto c = factorOf(p, p[last.args[1 - i]], added);
    if (c) return minus ? -*c : *c;
  }
  return std::nullopt;
}

/// `sum` in the order of `result`, where `read`, which is added to it, shows `result` as it is or
/// transposed, as the update of weights that a product reads transposed does. Else nothing.
std::optional<poplar::Tensor> inOrderOf(const poplar::Tensor& result, const poplar::Tensor& read,
                                        const poplar::Tensor& sum) {
  if (sameView(read.flatten(), result.flatten())) return sum.reshape(result.shape());
  if (read.rank() != 2 || !sameView(read.transpose().flatten(), result.flatten()))
    return std::nullopt;
  return sum.transpose().reshape(result.shape());
}

/// Whether the kernel takes the tensor as its operand `i` without a copy.
bool acceptsAsItLies(const Kernel& kernel, std::size_t i, const poplar::Tensor& t) {
  const auto affine = t.view().affine();
  auto layout = Layout::rowMajor(t.elementType(), t.view().shape());
  if (affine) layout.strides = affine->strides;
  return affine && kernel.accepts(i, layout);
}

}  // namespace

std::optional<BulkVertex> accumulated(const BulkVertex& product, const ElementWise& reader,
                                      const poplar::Tensor& read) {
  if (reader.inputs.size() != 2 || reader.outputs.size() != 1) return std::nullopt;
  const auto written = writtenOperand(product);
  if (!written) return std::nullopt;
  const auto& result = product.operands[*written].tensor;
  const unsigned added = sameView(reader.inputs[0], read) ? 0 : 1;
  const auto& sum = reader.inputs[1 - added];
  if (!sameView(reader.inputs[added], read) || !sameView(reader.outputs.front(), sum))
    return std::nullopt;
  const auto place = inOrderOf(result, read, sum);
  if (!place) return std::nullopt;
  const auto scale = scaleOf(reader.program, 1 - added, added);
  if (!scale) return std::nullopt;
  auto kernel = product.kernel->accumulating(*scale);
  if (!kernel) return std::nullopt;
  for (const auto& operand : product.operands)
    if (operand.tensor.intersectsWith(sum)) return std::nullopt;
  BulkVertex vertex = product;
  vertex.kernel = std::move(kernel);
  if (!acceptsAsItLies(*vertex.kernel, *written, *place)) return std::nullopt;
  vertex.operands[*written] = {*place, Access::ReadWrite};
  return vertex;
}

}  // namespace popir
