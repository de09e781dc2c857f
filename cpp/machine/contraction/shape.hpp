// The geometry of a contraction: its indices, and the dimensions of each operand in terms of them.
// Plans split the indices; tile mappings follow from that.
#ifndef popir_machine_contraction_shape_hpp
#define popir_machine_contraction_shape_hpp

#include <array>
#include <vector>

#include "workload/work.hpp"

namespace popir {

/// The role of an index. Group, Row and Column are indices of the result. Inner and Tap are summed
/// over; Tap, the kernel's elements, in one pass for each.
enum class Axis { Group, Row, Inner, Column, Tap };

/// Elements [begin, end).
struct Stretch {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end > begin ? end - begin : 0; }
};

/// A dimension of an operand: an index of the contraction, or where two of them meet,
/// (index * step + tap * tapStep + offset) / divisor where that is an integer of the dimension.
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
  /// In the order of the kernel: A [group, row, inner], B [group, inner, column], C [group, row,
  /// column]; of a convolution in [batch, group, channel, field...], weights [group, out channel,
  /// in channel, kernel...], out [batch, group, channel, field...].
  std::array<std::vector<OperandDim>, 3> operands;
  std::size_t result = 2;

  static ContractionShape of(const ContractionWork& work);
  /// The halo: how many elements more than its own length a part of an index reads, if a window
  /// moves over the index.
  std::int64_t halo(std::size_t index) const;
  /// Elements of an operand.
  std::int64_t elements(std::size_t operand) const;
  /// Of the axes that are split apart, the one that the operand lacks: tiles along it want the
  /// same.
  Axis lacks(std::size_t operand) const;
  /// The operand that is no result and lacks that axis; the result if none does.
  std::size_t lacking(Axis axis) const;
};

}  // namespace popir

#endif
