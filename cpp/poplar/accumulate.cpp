#include "poplar/accumulate.hpp"

#include <cstring>

#include "kernels/matmul_kernel.hpp"

namespace popir {
namespace {

using Value = MapProgram::Value;

bool isInput(const Value& v, unsigned number) {
  return v.kind == MapProgram::Kind::Input && v.data == number && v.lane == Lane::F32;
}

bool isApply(const Value& v, VecOp op) {
  return v.kind == MapProgram::Kind::Apply && v.op == op && v.from == Lane::F32;
}

/// c, if the value is input `number` times c.
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

/// c, if the program's only output is input `sum` plus c times input `added`.
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

}  // namespace

std::optional<BulkVertex> accumulated(const BulkVertex& product, const ElementWise& reader,
                                      const poplar::Tensor& read) {
  constexpr std::size_t kResult = 2;
  const auto* kernel = dynamic_cast<const MatMulKernel*>(product.kernel.get());
  if (!kernel || reader.inputs.size() != 2 || reader.outputs.size() != 1) return std::nullopt;
  auto problem = kernel->problem();
  if (problem.inType != poplar::FLOAT || problem.outType != poplar::FLOAT ||
      problem.alpha != 1.0f || problem.accumulate)
    return std::nullopt;
  const auto& result = product.operands[kResult].tensor;
  const unsigned added = sameView(reader.inputs[0], read) ? 0 : 1;
  const auto& sum = reader.inputs[1 - added];
  if (!sameView(reader.inputs[added], read) || !sameView(read.flatten(), result.flatten()) ||
      !sameView(reader.outputs.front(), sum))
    return std::nullopt;
  const auto scale = scaleOf(reader.program, 1 - added, added);
  if (!scale) return std::nullopt;
  for (std::size_t i = 0; i <= kResult; ++i)
    if (product.operands[i].tensor.intersectsWith(sum)) return std::nullopt;
  problem.alpha = *scale;
  problem.accumulate = true;
  BulkVertex vertex = product;
  vertex.kernel = std::make_shared<MatMulKernel>(problem);
  vertex.operands[kResult] = {sum.reshape(result.shape()), Access::ReadWrite};
  return vertex;
}

}  // namespace popir
