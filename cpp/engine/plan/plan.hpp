// The plan: the engine's intermediate form between programs and instructions. It has the steps of
// each program, and a buffer for each variable. The passes in engine/passes and engine/placement
// change it one after another; compile.cpp has their table.
#ifndef popir_engine_plan_plan_hpp
#define popir_engine_plan_plan_hpp

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/policy.hpp"
#include "poplar/collective.hpp"
#include "program/flat_program.hpp"

namespace popir {

/// Alignment of buffers in the arena, in bytes: the length of the longest host vector.
constexpr std::size_t kAlign = 64;
constexpr std::size_t aligned(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

/// Where a variable lives.
struct Buffer {
  enum class Kind { Unused, Constant, Arena, StreamIn, StreamOut };
  Kind kind = Kind::Unused;
  std::size_t offset = 0;  // Arena: bytes
  int stream = -1;         // StreamIn, StreamOut: bound to the host's buffer of this stream
  bool alwaysLive = false;
  /// If always live, no other variable ever uses its bytes. Else its lifetime: step `first` to step
  /// `last` of `program`, both included. Other variables may use the bytes before and after.
  /// StreamOut: step `first` writes the variable; the host's buffer is bound just before it.
  std::size_t program = 0, first = 0, last = 0;
  int channelBlock = Layout::kPlain;

  /// Whether other variables may use the same bytes outside this lifetime.
  bool shared() const { return kind == Kind::Arena && !alwaysLive; }
};

/// Variables in the order of their concatenation. Their buffers are adjacent, so the concatenation
/// needs no copy: a at [0, 64) and b at [64, 96) make concat(a, b) at [0, 96).
using Concat = std::vector<unsigned>;

struct BufferAssignment {
  std::vector<Buffer> buffers;  // by variable; empty before buffer assignment
  std::vector<Concat> concats;  // each variable is in at most one
  std::size_t alwaysLiveBytes = 0;
  std::optional<std::size_t> arenaBytes;  // set once every buffer has its offset
};

/// Collectives that replicas meet in together, while their programs go on: a call of a host function
/// gives the data of each, and another one gets its result.
struct Bucket {
  struct Part {
    std::size_t first;        // of its results
    std::size_t given, made;  // the elements that each replica gives and gets
    std::shared_ptr<HostFunctionEnd> begin, end;
  };
  /// Of the elements of all, one after the other; of sums that are scattered, first what the first
  /// replica gets of all, then what the second one gets, filled up with zeros to equal lengths.
  Collective whole;
  std::vector<Part> parts;
  /// Data and result stay where they are from the begin to the end; else they are copied.
  bool inPlace = false;
};

struct Plan {
  std::shared_ptr<GraphImpl> graph;  // has the variables; passes may add some
  /// The engine's programs, then the prologue. The prologue runs before the first run of any
  /// program, and again before the next run after the host has written a variable.
  std::vector<FlatProgram> programs;
  /// By variable that a pass added: the variable that held its value before.
  std::map<unsigned, unsigned> renamedFrom;
  unsigned threads = 1;
  Policy policy = {};
  /// By variable: whether its value stays the same until the host writes a variable. Empty if the
  /// hoisting pass did not run.
  std::vector<bool> invariant;
  BufferAssignment assignment;
  std::vector<Bucket> buckets;     // in the order in which all of their data are there
  std::vector<std::string> notes;  // one for each pass that changed something

  FlatProgram& prologue() { return programs.back(); }
};

}  // namespace popir

#endif
