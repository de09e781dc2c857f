#include <popir/DequantizeBits.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include "kernels/contraction/bits_kernel.hpp"
#include "kernels/half.hpp"
#include "poplar/bulk_vertex.hpp"
#include "poplin/contraction_options.hpp"

namespace popir {
namespace {

using poplar::Tensor;

[[noreturn]] void refuseBits(const std::string& why) {
  throw poputil::poplibs_error("popir::dequantizeBits: " + why);
}

BitsMatrix matrixOf(const Tensor& numbers, std::int64_t bits, std::int64_t columns) {
  if (bits != 2 && bits != 4 && bits != 8)
    refuseBits("the numbers have " + std::to_string(bits) + " bits; expected are 2, 4 or 8");
  if (numbers.elementType() != poplar::UNSIGNED_CHAR || numbers.rank() != 3)
    refuseBits("the numbers are " + numbers.elementType().toString() + " " +
               shapeText(numbers.shape()) +
               "; expected are unsigned char [rows, blocks, bytes of a block]");
  const auto size = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  const BitsMatrix matrix = {
      size(numbers.dim(0)), columns, size(numbers.dim(2)) * 8 / bits, bits, false, false};
  if (matrix.blockSize == 0 || matrix.blockSize % 16 != 0)
    refuseBits("a block has " + std::to_string(matrix.blockSize) +
               " numbers; expected is a multiple of 16");
  if (columns < 0 || matrix.blocks() != size(numbers.dim(1)))
    refuseBits(std::to_string(columns) + " columns do not fit " + std::to_string(numbers.dim(1)) +
               " blocks of " + std::to_string(matrix.blockSize));
  return matrix;
}

}  // namespace

Tensor dequantizeBits(poplar::Graph& graph, const Tensor& numbers, const Tensor& scales,
                      const std::optional<Tensor>& zeros, const poplar::Type& type,
                      std::int64_t bits, std::int64_t columns, bool roundsRows,
                      poplar::program::Sequence& prog, const poplar::DebugContext& debugContext) {
  auto matrix = matrixOf(numbers, bits, columns);
  matrix.hasZeros = zeros.has_value();
  matrix.roundsRows = roundsRows;
  if (!isFloatOrHalf(type))
    refuseBits("the values would be " + type.toString() + "; expected is float, half or bfloat16");
  const auto values =
      graph.addVariable(type, {numbers.dim(0), static_cast<std::size_t>(columns)}, debugContext);
  poputil::mapTensorLinearly(graph, values);
  std::vector<BulkOperand> operands = {
      {numbers, Access::Read}, {values, Access::Write}, {scales, Access::Read}};
  if (zeros) operands.push_back({*zeros, Access::Read});
  const std::vector<std::size_t> expected = {numbers.dim(1), numbers.dim(0)};
  for (std::size_t i = 2; i < operands.size(); ++i) {
    const auto& t = operands[i].tensor;
    if (t.elementType() != poplar::FLOAT || t.shape() != expected)
      refuseBits(std::string(i == 2 ? "the scales" : "the zero points") + " are " +
                 t.elementType().toString() + " " + shapeText(t.shape()) + "; expected are float " +
                 shapeText(expected));
  }
  addBulkVertex(graph, prog, std::make_shared<DequantizeBitsKernel>(matrix, type),
                std::move(operands), debugContext);
  return values;
}

}  // namespace popir
