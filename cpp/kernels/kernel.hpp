// What a host kernel is: the seam between the graph, which describes work, and the engine, which
// runs it. A Kernel is immutable and belongs to the graph; prepare() fixes layouts and threads
// once per engine and gives a Runner, which is all that exists when a program runs.
#ifndef popir_kernels_kernel_hpp
#define popir_kernels_kernel_hpp

#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/rounding.hpp"
#include "workload/work.hpp"

namespace popir {

struct ElementWiseForm;
struct Tail;

enum class Access : std::uint8_t { Read, Write, ReadWrite };
constexpr Access lastOf(Access) { return Access::ReadWrite; }

/// How the elements of one operand lie in memory, fixed when an engine is compiled.
struct Layout {
  /// Channels (dimension 1) in no blocks, or, as kChannelsLast, innermost.
  static constexpr int kPlain = 0;
  static constexpr int kChannelsLast = -1;

  poplar::Type type;
  std::vector<std::int64_t> shape;
  /// Elements between neighbours of each dimension; 0 where broadcast. Says nothing unless
  /// channelBlock is kPlain.
  std::vector<std::int64_t> strides;
  /// n > 0: memory is [N, C/n, spatial..., n], dense, C a multiple of n.
  int channelBlock = kPlain;

  std::size_t elements() const;
  std::size_t bytes() const { return elements() * type.sizeInBytes(); }
  /// Row-major without gaps or broadcasts.
  bool dense() const;
  static Layout rowMajor(poplar::Type type, std::vector<std::int64_t> shape);
};

struct Prepacked;

/// A kernel with everything decided. `operands[i]` points at the first element of operand i.
class Runner {
 public:
  virtual ~Runner() = default;
  /// `scratch` has scratchBytes(), 64-byte aligned, and keeps nothing between runs.
  virtual void run(void* const* operands, void* scratch) const = 0;
  virtual std::size_t scratchBytes() const { return 0; }
  /// What may run in its place where an operand stays the same from run to run; nothing by default.
  /// `operands`: how many it has.
  virtual std::optional<Prepacked> prepacked(std::size_t operands) const;
};

/// A runner in two, which have to live no longer than it: one brings an operand into the form that
/// it wants, the other does the work with that form.
struct Prepacked {
  std::size_t operand;
  std::size_t bytes;             ///< of the form
  std::unique_ptr<Runner> pack;  ///< operands: that one, its form
  std::unique_ptr<Runner> run;   ///< operands: all of the runner's, then the form
};

/// An operand as a vertex gives it, before it has a layout.
struct OperandInfo {
  poplar::Type type;
  std::vector<std::int64_t> shape;
  Access access;
};

/// What a kernel is prepared for, beside layouts.
struct Setting {
  /// At least 1: the OpenMP threads that run() is to use.
  unsigned threads = 1;
  Rounding rounding = {};
};

/// What a kernel makes of a rounding that is asked for.
enum class Rounds : std::uint8_t {
  Nothing,    ///< no number becomes a 16-bit float: bits are moved, or there are none
  ToNearest,  ///< whatever is asked for
  AsAsked,
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Name of the host kernel, for reports ("map", "conv", ...).
  virtual const char* name() const = 0;
  /// True if operand `i` can be used where and as it is. What is refused reaches the kernel as a
  /// dense copy: gathered before, scattered after. Default: dense only.
  virtual bool accepts(std::size_t i, const Layout& layout) const;
  /// Called once per engine, with accepted layouts; may be slow.
  virtual std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                          const Setting& setting) const = 0;
  /// Whatever accepts(), prepare() and work() take for granted of operands and of the kernel's own
  /// members. Library functions give what fits; this is for programs that are read from a file.
  /// \throws std::invalid_argument, with what does not fit. Default: a kernel that is in no file.
  virtual void check(const std::vector<OperandInfo>& operands) const;
  /// `writesHalf`: whether some operand that it writes has 16-bit floats. The engine refuses to
  /// round stochastically what says ToNearest, so that no kernel forgets to.
  virtual Rounds rounds(bool writesHalf) const {
    return writesHalf ? Rounds::ToNearest : Rounds::Nothing;
  }
  /// For the machine reading; the program as grown, so all layouts are plain.
  virtual Work work(const std::vector<Layout>& operands) const = 0;

  /// Channel blocks that this kernel would like, one per operand (a contraction), or empty if it
  /// has no wish. accepts() must be true of what is asked for here.
  virtual std::vector<int> preferredBlocks(const std::vector<Layout>& /*operands*/,
                                           unsigned /*threads*/) const {
    return {};
  }
  /// Operands that lie in one common block, whichever it is: of an element-wise kernel, those that
  /// are not broadcast.
  virtual std::vector<std::size_t> tied(const std::vector<Layout>& /*operands*/) const {
    return {};
  }

  // What the engine's passes ask, to run a step elsewhere, in another form or with others. By
  // default nothing can be done.

  /// Whether it does more than its operands show, or keeps something for its next run: the step
  /// runs where and as often as the program says.
  virtual bool hasEffects() const { return false; }
  /// The program that it is, if it is element-wise; else null.
  virtual std::shared_ptr<const ElementWiseForm> elementWise() const { return nullptr; }
  /// Whether its elementWise() program may be a vertex that writes other tensors than it reads,
  /// where this one works in place.
  virtual bool mayWorkOutOfPlace() const { return false; }
  /// The kernel that gives the same where operand `i` has that shape: further elements at the ends
  /// of dimensions, none of which it reads. Null if it would read them.
  virtual std::shared_ptr<const Kernel> widened(std::size_t /*i*/,
                                                const std::vector<std::int64_t>& /*shape*/) const {
    return nullptr;
  }
  /// The kernel that adds `factor` times what this one writes to what is there, at the precision of
  /// its sums, and reads and writes where this one writes. Null if there is none.
  virtual std::shared_ptr<const Kernel> accumulating(float /*factor*/) const { return nullptr; }
  /// What it does to its result: the program that gives its input 0 if that is nothing yet, null if
  /// it can do nothing.
  virtual std::shared_ptr<const Tail> tail() const { return nullptr; }
  /// The kernel with another tail. Null if it cannot do that one, or has no tail().
  virtual std::shared_ptr<const Kernel> withTail(const Tail& /*tail*/) const { return nullptr; }
};

}  // namespace popir

#endif
