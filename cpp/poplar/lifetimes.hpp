// How long each variable's value is kept, over the steps of flattened programs. The host's arena
// and the machine's memory per tile both follow from it.
#ifndef popir_poplar_lifetimes_hpp
#define popir_poplar_lifetimes_hpp

#include <utility>
#include <vector>

#include "poplar/plan.hpp"

namespace popir {

/// One use of a variable by a step, in order; reads of a step come before its writes.
struct Use {
  std::size_t program, step;
  bool write;
  bool whole;  // exactly the whole variable in its own order
  const poplar::Tensor* tensor;
};

/// By variable.
std::vector<std::vector<Use>> usesOf(const GraphImpl& graph,
                                     const std::vector<FlatProgram>& programs);

/// The values that a variable holds one after the other, each of which owes nothing to the one
/// before: the index of each one's first use. Nothing unless every use belongs to one, and all uses
/// always run one after the other. `separates` says of a step that reads the variable and writes
/// it whether what it writes may be a value of its own; by default none may.
std::vector<std::size_t> valuesOf(std::size_t elements, const std::vector<Use>& uses,
                                  const std::vector<FlatProgram>& programs,
                                  bool (*separates)(const Step&) = nullptr);

struct Lifetime {
  enum class Kind {
    Unused,  // by no step, and the host cannot reach it
    Always,  // constants in use, and what outlives a run of a program
    Steps,   // from `first` to `last`, both included, of `program`
  };
  Kind kind = Kind::Unused;
  std::size_t program = 0, first = 0, last = 0;
  /// Steps: the parts of it in which there is a value, first and last step of each. Of a variable
  /// of a function, one for each call.
  std::vector<std::pair<std::size_t, std::size_t>> spans;
};

/// By variable.
std::vector<Lifetime> lifetimesOf(const GraphImpl& graph, const std::vector<FlatProgram>& programs,
                                  const std::vector<std::vector<Use>>& uses);

}  // namespace popir

#endif
