// An element-wise program for given layouts: which loops run over which pieces of memory.
//
// The elements are walked in boxes, small enough that what lies between two loops stays in the
// first-level cache. Inside a box an operand is reached directly (its elements lie one after the
// other), as one value for the whole box, or with strides, by way of a buffer that is filled before
// the loops, or emptied after them.
#ifndef popir_kernels_expression_plan_hpp
#define popir_kernels_expression_plan_hpp

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/expression/program.hpp"
#include "kernels/kernel.hpp"

namespace popir {

struct MapPlan {
  /// Dimensions that are left when neighbours that no operand tells apart are taken together,
  /// outermost first.
  struct Axis {
    std::int64_t size, box, boxes;
  };
  enum class Reach : std::uint8_t { Direct, Uniform, Strided };
  struct Operand {
    Reach reach = Reach::Direct;
    std::size_t elementBytes = 0;
    /// Bytes between neighbours, by axis.
    std::vector<std::int64_t> strides;
    /// Where the loops find it, or -1 if they do not read it.
    int slot = -1;
  };
  /// `fn(slot dst, slots src, elements of the box, or 1)`
  struct Step {
    VecFn fn;
    bool single;
    std::uint8_t count;
    std::uint16_t dst;
    std::uint16_t src[kMaxSources];
    /// Of what is rounded stochastically: the type it has, the type it gets, and the number of the
    /// value; `fn` is null.
    Lane from = Lane::F32, to = Lane::F32;
    std::uint16_t value = 0;
  };
  /// A slot is a pointer that the loops use: to a constant, into the scratch, or to an operand.
  struct Slot {
    enum class Kind : std::uint8_t { Constant, Buffer, Operand };
    Kind kind;
    /// Constant: index in `constants`. Buffer: offset in a thread's scratch. Operand: its number.
    std::size_t at;
  };
  struct Scatter {
    std::size_t operand;
    std::uint16_t slot;
  };

  std::vector<Axis> axes;
  std::int64_t elements = 1;
  std::int64_t boxes = 1;
  /// Elements of a whole box.
  std::int64_t capacity = 1;
  std::vector<Operand> operands;
  std::vector<Slot> slots;
  std::vector<std::uint64_t> constants;
  /// Run once by each thread, over whole boxes, and then for every box.
  std::vector<Step> once, steps;
  std::vector<Scatter> scatters;
  std::size_t bufferBytes = 0;
  /// Some step stores past the caches.
  bool streams = false;
  /// Of steps without a function.
  Rounding rounding = {};
  /// Threads that are worth their start.
  unsigned threads = 1;
};

/// `inputs[k]` is the operand that input k reads, `outputs[k]` the one that output k writes; one
/// operand may be both. All layouts have one shape.
/// \throws std::invalid_argument where they have not.
MapPlan planMap(const MapProgram& program, const std::vector<std::size_t>& inputs,
                const std::vector<std::size_t>& outputs, const std::vector<Layout>& layouts,
                const Setting& setting);

}  // namespace popir

#endif
