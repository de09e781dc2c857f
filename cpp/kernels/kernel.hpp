// The interface of host kernels, between the graph, which describes work, and the engine, which
// runs it. A Kernel is immutable and belongs to the graph. For each vertex, an engine calls
// prepare(), with the layouts of the operands and the number of threads, and gets a Runner, once
// for vertices of one kernel and equal layouts. A run uses Runners only.
#ifndef popir_kernels_kernel_hpp
#define popir_kernels_kernel_hpp

#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/policy.hpp"
#include "kernels/rounding.hpp"
#include "workload/work.hpp"

namespace popir {

struct ElementWiseForm;
struct SummingForm;
struct Tail;

enum class Access : std::uint8_t { Read, Write, ReadWrite };
constexpr Access lastOf(Access) { return Access::ReadWrite; }

/// How the elements of one operand lie in memory, fixed when an engine is compiled.
struct Layout {
  /// Values of channelBlock. kPlain: channels (dimension 1) are not in blocks. kChannelsLast:
  /// memory is dense [N, spatial..., C].
  static constexpr int kPlain = 0;
  static constexpr int kChannelsLast = -1;

  poplar::Type type;
  std::vector<std::int64_t> shape;
  /// For each dimension, the distance between neighbours, in elements; 0 where broadcast. Valid
  /// only if channelBlock is kPlain.
  std::vector<std::int64_t> strides;
  /// kPlain, kChannelsLast, or n > 0: memory is dense [N, C/n, spatial..., n], and n divides C.
  int channelBlock = kPlain;

  std::size_t elements() const;
  std::size_t bytes() const { return elements() * type.sizeInBytes(); }
  /// True if row-major without gaps or broadcasts.
  bool dense() const;
  /// The same elements with dimension 1 in two, [N, C/block, spatial..., block], as a plain layout.
  /// Channels of this layout are plain, or in blocks of `block`.
  Layout split(std::int64_t block) const;
  static Layout rowMajor(poplar::Type type, std::vector<std::int64_t> shape);
  bool operator==(const Layout& other) const {
    return type == other.type && shape == other.shape && strides == other.strides &&
           channelBlock == other.channelBlock;
  }
};

struct Prepacked;

/// A kernel prepared for fixed layouts. `operands[i]` points to the first element of operand i.
class Runner {
 public:
  virtual ~Runner() = default;
  /// `scratch` has scratchBytes() bytes and is 64-byte aligned. Its contents are not kept between
  /// runs.
  virtual void run(void* const* operands, void* scratch) const = 0;
  virtual std::size_t scratchBytes() const { return 0; }
  /// How it computes, where the text of a plan is to say more than the kernel's name. Empty by default.
  virtual const char* note() const { return ""; }
  /// The same work in two parts, for a runner with an operand that many runs use unchanged
  /// (weights): packable() is packed once, and each run uses the packed form. Nothing if the
  /// runner has no such parts, which is the default. `operands` is the runner's number of operands.
  virtual std::optional<Prepacked> prepacked(std::size_t operands) const;
  /// The number of the operand that prepacked() may pack. Nothing, which is the default, if it
  /// packs none. It costs less than prepacked().
  virtual std::optional<std::size_t> packable() const { return std::nullopt; }
};

/// The two parts of Runner::prepacked(). `pack` converts one operand to the form that the loops
/// read; `run` does the work with that form. Both refer to the runner, which must outlive them.
struct Prepacked {
  std::size_t bytes;             ///< size of the packed form
  std::unique_ptr<Runner> pack;  ///< operands: the operand to pack, the packed form
  std::unique_ptr<Runner> run;   ///< operands: those of the runner, then the packed form
  bool readsBoth = false;        ///< whether `run` reads the operand as it was, too
  /// Whether `pack` only moves elements, bit by bit, each to one place or more, and writes zeros to
  /// all others.
  bool moves = false;
};

/// An operand of a vertex, before it has a layout.
struct OperandInfo {
  poplar::Type type;
  std::vector<std::int64_t> shape;
  Access access;
};

/// What Kernel::prepare() needs besides layouts.
struct Setting {
  /// The number of threads for run(), at least 1.
  unsigned threads = 1;
  Rounding rounding = {};
  Policy policy = {};
  /// Where the kernel computes part of a step: the bytes of all operands of the step, by which
  /// isStreamed() decides (kernels/streaming.hpp). Else 0.
  std::size_t wholeBytes = 0;

  /// The number of threads for choices that change bits: always the same in a deterministic engine.
  unsigned threadsOfChoices() const { return policy.deterministic ? kThreadsOfChoices : threads; }
  static constexpr unsigned kThreadsOfChoices = 4;
};

/// Which rounding modes a kernel supports for the 16-bit floats that it computes.
enum class Rounds : std::uint8_t {
  Nothing,    ///< it rounds none: it copies bits, or computes no 16-bit floats
  ToNearest,  ///< only to nearest, whatever Setting::rounding is
  AsAsked,    ///< both: it follows Setting::rounding
};

/// The rows that a kernel computes apart; see Kernel::rows().
struct Rows {
  /// The number of leading dimensions. An operand has one row for each index of them.
  std::size_t dimensions = 0;
  /// By operand: how many of these dimensions it has. What it holds at an index of them is used by
  /// all rows there: B of C[g, m, n] = A[g, m, k] B[g, k, n] has one of the two dimensions g and m.
  /// Empty: all operands have all of them.
  std::vector<std::size_t> had = {};
  /// The fewest rows at a time for which the kernel is not slow.
  std::int64_t least = 1;

  std::size_t hadBy(std::size_t operand) const {
    return operand < had.size() ? had[operand] : dimensions;
  }
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Name of the host kernel, for reports ("map", "conv", ...).
  virtual const char* name() const = 0;
  /// True if the kernel can use operand `i` in place with this layout. Otherwise it gets a dense
  /// copy, which the engine gathers before the run and scatters after it. Default: dense only.
  virtual bool accepts(std::size_t i, const Layout& layout) const;
  /// Called once per engine, with layouts that accepts() allows. It may be slow. Without
  /// hasEffects() the runner is that of all vertices of this kernel with these layouts.
  virtual std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                          const Setting& setting) const = 0;
  /// Checks everything that accepts(), prepare() and work() assume about the operands and about the
  /// kernel's own members. Library functions make valid vertices; the check is for programs that
  /// are read from a file.
  /// \throws std::invalid_argument that says what is wrong. The default, for kernels that are never
  ///         in a file, always throws.
  virtual void check(const std::vector<OperandInfo>& operands) const;
  /// `writesHalf`: whether the kernel writes an operand of 16-bit floats. While stochastic rounding
  /// is on, the engine refuses vertices that answer ToNearest. So a kernel that does not implement
  /// stochastic rounding is never used silently.
  virtual Rounds rounds(bool writesHalf) const {
    return writesHalf ? Rounds::ToNearest : Rounds::Nothing;
  }
  /// The work of the vertex, for the machine reading. Layouts are plain, since the machine reading
  /// sees the program as grown, before any pass.
  virtual Work work(const std::vector<Layout>& operands) const = 0;
  /// About how many operations a run takes on the host: the elements of the largest operand, unless it
  /// multiplies matrices.
  virtual std::uint64_t operations(const std::vector<Layout>& operands) const;

  /// Whether the kernel may prefer channel blocks, as convolutions do.
  virtual bool mayPreferBlocks() const { return false; }
  /// The channel blocks that a kernel which mayPreferBlocks() prefers for these operands, one per
  /// operand, kPlain for no preference; empty if it prefers none at all. accepts() must be true for
  /// each of them.
  virtual std::vector<int> preferredBlocks(const std::vector<Layout>& /*operands*/,
                                           const Setting& /*setting*/) const {
    return {};
  }
  /// The operands that must all have the same channel block, of whatever size. For an element-wise
  /// kernel: the operands that are not broadcast.
  virtual std::vector<std::size_t> tied(const std::vector<Layout>& /*operands*/) const {
    return {};
  }

  // Questions of the engine's passes, which run steps at other places, in other forms, or fused.
  // The default answers allow no change.

  /// True if the kernel has effects beyond its operands, or keeps state from run to run. Such a
  /// step runs exactly where and as often as the program says.
  virtual bool hasEffects() const { return false; }
  /// The kernel as an element-wise program; null if it is not element-wise.
  virtual std::shared_ptr<const ElementWiseForm> elementWise() const { return nullptr; }
  /// The kernel as an element-wise program with sums for each channel; null if it is none, or has no
  /// sums.
  virtual std::shared_ptr<const SummingForm> summing() const { return nullptr; }
  /// True if a vertex that works in place may be replaced by one that runs the elementWise()
  /// program and writes to another tensor.
  virtual bool mayWorkOutOfPlace() const { return false; }
  /// The rows that the kernel computes apart: what it writes to a row of its operands depends on the
  /// same row of each operand alone. The kernel can also be prepared for some neighbouring rows, and
  /// gives the same bits then. A runner for one thread may run on several threads at the same time,
  /// with scratch memory for each. Default: none.
  virtual Rows rows(const std::vector<OperandInfo>& /*operands*/) const { return {}; }
  /// The kernel that computes the same with a larger operand `i`, of the given shape. The larger
  /// operand has more elements at the ends of dimensions. The kernel reads none of them, and writes
  /// zeros to those of an operand that it writes. Null if it would use one of them otherwise, or if
  /// the kernel cannot be widened.
  virtual std::shared_ptr<const Kernel> widened(std::size_t /*i*/,
                                                const std::vector<std::int64_t>& /*shape*/) const {
    return nullptr;
  }
  /// Where this kernel computes out = result, the kernel that computes out += factor * result. It
  /// adds at the precision of its sums, before any rounding. Its operand `out` is read and written.
  /// Null if there is none.
  virtual std::shared_ptr<const Kernel> accumulating(float /*factor*/) const { return nullptr; }
  /// Whether a matrix product may read what the kernel reads, in place of what it writes.
  virtual bool mayBeMultiplied() const { return false; }
  /// Of a kernel that mayBeMultiplied(), and writes operand 1: the kernel of this one and of
  /// `product`, which multiplies its first operand with what this one writes, transposed. Its
  /// operands: the first one of `product`, the first one of this kernel, the result of `product`, and
  /// this kernel's operands from 2 on, joined into one [operands, ...]. Null if there is none.
  virtual std::shared_ptr<const Kernel> multiplied(const Kernel& /*product*/) const {
    return nullptr;
  }
  /// The element-wise program that the kernel applies to its result before storing it. A kernel
  /// that could apply one but does not returns the identity (output = input 0). Null if it cannot.
  virtual std::shared_ptr<const Tail> tail() const { return nullptr; }
  /// The same kernel with `tail` in place of its own. Null if it cannot apply this one.
  virtual std::shared_ptr<const Kernel> withTail(const Tail& /*tail*/) const { return nullptr; }
};

}  // namespace popir

#endif
