// Lifetimes of variables over the steps of flattened programs. Both the host's arena and the
// machine's memory per tile are computed from them.
#ifndef popir_program_lifetimes_hpp
#define popir_program_lifetimes_hpp

#include <utility>
#include <vector>

#include "program/flat_program.hpp"

namespace popir {

/// One use of a variable by a step. Lists of uses are in program order; the reads of a step come
/// before its writes.
struct Use {
  std::size_t program, step;
  bool write;
  bool whole;  // the tensor is the whole variable, in its own element order
  const poplar::Tensor* tensor;
};

/// All uses, by variable.
std::vector<std::vector<Use>> usesOf(const GraphImpl& graph,
                                     const std::vector<FlatProgram>& programs);

/// Splits the uses of a variable into values. A value begins where all elements are overwritten, so
/// it does not depend on the value before. \returns the index of the first use of each value. For
///   t = f(a); u = g(t); t = f(b); v = g(t)
/// the uses of t are write, read, write, read, and the result is {0, 2}. Empty if the first use
/// does not begin a value, or if uses are in different programs, loops or conditionals.
/// `separates` says whether a step that both reads and writes the variable may begin a value with
/// its write; null: no such step may.
std::vector<std::size_t> valuesOf(std::size_t elements, const std::vector<Use>& uses,
                                  const std::vector<FlatProgram>& programs,
                                  bool (*separates)(const Step&) = nullptr);

/// Whether the elements of one variable are written before they are read, in one program.
struct Definedness {
  const Use* undefined = nullptr;  ///< the first read when some element may not be written; or null
  bool afterwards = false;         ///< whether all elements are written at the program's end
};

/// [begin, end) are the uses of a variable in `program`. `before` says whether all its elements are
/// written when the program begins.
Definedness definedness(std::size_t elements, const Use* begin, const Use* end,
                        const FlatProgram& program, bool before);

struct Lifetime {
  enum class Kind {
    Unused,  // no step uses it, and the host cannot access it
    Always,  // a constant in use, or a value that must last after a run
    Steps,   // live from step `first` to step `last` of `program`, both included
  };
  Kind kind = Kind::Unused;
  std::size_t program = 0, first = 0, last = 0;
  /// Steps: the ranges inside the lifetime in which the variable holds a value, as first and last
  /// step. A variable of a function has one range for each call.
  std::vector<std::pair<std::size_t, std::size_t>> spans;
};

/// The lifetime of each variable.
std::vector<Lifetime> lifetimesOf(const GraphImpl& graph, const std::vector<FlatProgram>& programs,
                                  const std::vector<std::vector<Use>>& uses);

}  // namespace popir

#endif
