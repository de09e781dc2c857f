// Matrices of numbers of few bits. popir's own.
#ifndef popir_DequantizeBits_hpp
#define popir_DequantizeBits_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstdint>
#include <optional>

#pragma GCC visibility push(default)
namespace popir {

/// Returns the values of a matrix [rows, columns] of numbers of 2, 4 or 8 bits, a new tensor of
/// `type`, FLOAT, HALF or BFLOAT16: (number - 2^(bits - 1) - zero point) * scale. `numbers` are
/// UNSIGNED_CHAR [rows, blocks, bytes of a block], the lowest bits of a byte first; the last block
/// of a row may reach beyond `columns`. `scales` and `zeros` are FLOAT [blocks, rows]. A block has
/// a multiple of 16 numbers.
///
/// On the host a matrix product that alone reads the values, transposed, reads the numbers instead
/// (engine option host.fuse). With `roundsRows` it may round its other operand to bytes, with a
/// scale for each block. The machine model counts a codelet for each value.
/// \throws poputil::poplibs_error if shapes or types do not match, for other bits and blocks
poplar::Tensor dequantizeBits(poplar::Graph& graph, const poplar::Tensor& numbers,
                              const poplar::Tensor& scales,
                              const std::optional<poplar::Tensor>& zeros, const poplar::Type& type,
                              std::int64_t bits, std::int64_t columns, bool roundsRows,
                              poplar::program::Sequence& prog,
                              const poplar::DebugContext& debugContext = {});

}  // namespace popir
#pragma GCC visibility pop

#endif
