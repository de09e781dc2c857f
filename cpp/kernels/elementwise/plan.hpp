// The plan of an element-wise program for given layouts: the loops to call and the memory that each
// of them reads and writes.
//
// The elements are processed in boxes, small enough for the values between two loops to stay in the
// L1 cache. The plan says how the loops reach each operand within a box:
//
// Direct   the elements are contiguous; the loops use the operand's memory
// Uniform  the operand has one value for the whole box (broadcast); the loops read it as a scalar
// Strided  any other strides; a dense buffer is filled before the loops (gather) or written
//          back after them (scatter)
#ifndef popir_kernels_elementwise_plan_hpp
#define popir_kernels_elementwise_plan_hpp

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/elementwise/program.hpp"
#include "kernels/kernel.hpp"

namespace popir {

struct MapPlan {
  /// A dimension of the iteration space, after merging adjacent dimensions; outermost first.
  /// `size`: elements; `box`: elements of a box along this axis; `boxes`: number of boxes.
  struct Axis {
    std::int64_t size, box, boxes;
  };
  enum class Reach : std::uint8_t { Direct, Uniform, Strided };
  struct Operand {
    Reach reach = Reach::Direct;
    std::size_t elementBytes = 0;
    /// Stride in bytes, by axis.
    std::vector<std::int64_t> strides;
    /// The slot that the loops read, or -1 if they do not read this operand.
    int slot = -1;
  };
  /// What a step computes: one element, those of the box, or a result for each of 256 bytes.
  enum class Extent : std::uint8_t { One, Box, Table };
  /// Calls `fn(dst slot, src slots, n)`, of as many elements as `extent` has.
  struct Step {
    VecFn fn;
    Extent extent;
    std::uint8_t count;
    std::uint16_t dst;
    std::uint16_t src[kMaxSources];
    /// Stochastic rounding, where `fn` is null: source type, result type, and the number of the
    /// value in the program.
    Lane from = Lane::F32, to = Lane::F32;
    std::uint16_t value = 0;
  };
  /// A pointer used by the loops: to a constant, into the scratch memory, or to an operand.
  struct Slot {
    enum class Kind : std::uint8_t { Constant, Buffer, Operand };
    Kind kind;
    /// Constant: index in `constants`. Buffer: offset in the thread's scratch memory. Operand: its
    /// number.
    std::size_t at;
  };
  struct Scatter {
    std::size_t operand;
    std::uint16_t slot;
  };

  std::vector<Axis> axes;
  std::int64_t elements = 1;
  std::int64_t boxes = 1;
  /// Elements of a full box.
  std::int64_t capacity = 1;
  std::vector<Operand> operands;
  std::vector<Slot> slots;
  std::vector<std::uint64_t> constants;
  /// `once`: steps that each thread runs once, of full boxes, for values that never change.
  /// `steps`: run for every box.
  std::vector<Step> once, steps;
  std::vector<Scatter> scatters;
  std::size_t bufferBytes = 0;
  /// Whether a step looks up results in a table.
  bool hasTable = false;
  /// True if a step uses non-temporal stores.
  bool streams = false;
  /// The rounding mode of the steps whose `fn` is null.
  Rounding rounding = {};
  /// Number of threads; fewer than allowed if the work is small.
  unsigned threads = 1;
};

/// The elements of an extent, where the box has `box`.
constexpr std::int64_t elementsOf(MapPlan::Extent extent, std::int64_t box) {
  return extent == MapPlan::Extent::One ? 1 : extent == MapPlan::Extent::Box ? box : 256;
}

/// `inputs[k]` is the operand that input k reads, `outputs[k]` the operand that output k writes.
/// One operand may be both.
/// \throws std::invalid_argument if the layouts differ in shape
MapPlan planMap(const MapProgram& program, const std::vector<std::size_t>& inputs,
                const std::vector<std::size_t>& outputs, const std::vector<Layout>& layouts,
                const Setting& setting);

}  // namespace popir

#endif
