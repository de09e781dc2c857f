// The geometry of a contraction: its indices, and the dimensions of each operand in terms of them.
// Plans split the indices; tile mappings follow from that.
#ifndef popir_machine_contraction_shape_hpp
#define popir_machine_contraction_shape_hpp

#include <array>
#include <vector>

#include "machine/stretch.hpp"
#include "workload/work.hpp"

namespace popir {

/// The role of an index. Group, Row and Column are indices of the result. Inner and Tap are summed
/// over. Tap counts kernel elements, each of which takes a pass of its own; in a weights gradient
/// the output's field positions are its kernel elements.
enum class Axis { Group, Row, Inner, Column, Tap };

/// A dimension of an operand. Without `window` it is an index of the contraction. With `window` two
/// indices give the position in the dimension: (index * step + tap * tapStep + offset) / divisor.
/// If that is no integer in [0, size), there is no element. E.g. the input height of a convolution
/// with stride 2 and padding 1: step 2, tapStep 1, offset -1, divisor 1. Output row 3 and kernel
/// row 0 read input row 3 * 2 + 0 - 1 = 5.
struct OperandDim {
  std::int64_t size;
  std::size_t index;
  bool window = false;
  std::size_t tap = 0;
  std::int64_t step = 1, tapStep = 0, offset = 0, divisor = 1;

  /// The smallest stretch of this dimension that contains all elements which these stretches of the
  /// index and the tap use.
  Stretch meets(Stretch of, Stretch taps) const;
};

struct ContractionShape {
  struct Index {
    Axis axis;
    std::int64_t size;
  };
  std::vector<Index> indices;
  /// The dimensions of each operand, in the order of the kernel's operands.
  /// - Product: A [group, row, inner], B [group, inner, column], C [group, row, column]. If there
  ///   are several kernel elements, B is [group, inner, column, kernel element].
  /// - Convolution: input [batch, group, in channel, field...], weights [group, out channel,
  ///   in channel, kernel...], output [batch, group, out channel, field...]. Field dimensions that
  ///   a kernel of one point walks through element by element are one, and so are their kernels.
  std::array<std::vector<OperandDim>, 3> operands;
  /// The operand that is computed: the output, or for a gradient the input or the weights.
  std::size_t result = 2;

  static ContractionShape of(const ContractionWork& work);
  /// The halo of an index of a window dimension: how many positions a part of the index reads
  /// beyond its own number of elements, in steps of the index. E.g. 4 output rows of a convolution
  /// with a kernel of 3 rows and stride 1 read 6 input rows: the halo is 2. 0 for other indices.
  std::int64_t halo(std::size_t index) const;
  /// The number of elements of an operand.
  std::int64_t elements(std::size_t operand) const;
  /// The axis of Row, Column and Inner that the operand does not have: Column for A, Row for B,
  /// Inner for C of a product. Tiles along this axis need the same elements of the operand.
  Axis lacks(std::size_t operand) const;
  /// The operand other than the result that lacks this axis; the result if there is none.
  std::size_t lacking(Axis axis) const;
};

}  // namespace popir

#endif
