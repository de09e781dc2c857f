// Counts what codelets execute.
//
// A codelet is compiled a second time, by a clang to the text of LLVM's intermediate
// representation, and at the start of each basic block code is inserted that adds to a counter the
// cycles which a worker of a tile takes for the block (codelets/tile/cost.hpp).
#ifndef popir_codelets_counting_hpp
#define popir_codelets_counting_hpp

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace popir {

/// Symbol of the counter in a library of counting codelets.
constexpr const char* kCodeletCounter = "popir_counted";
/// A function that gives a number of repetitions back. What `poplar/Loops.hpp` has a type for is not
/// more than a tile's counter holds; the call keeps that in the intermediate representation.
constexpr const char* kCodeletRepeats = "popir_repeats";

/// The module with a mark on each loop that a tile's compiler vectorises (codelets/tile/vector_loops.hpp),
/// for a clang that vectorises what is marked alone; null if there is no such loop.
std::optional<std::string> withVectorLoops(const std::string& text);

/// Inserts code that counts a tile's cycles into the text of a module of LLVM 15 or newer.
std::string countingIr(const std::string& text);

/// What countingIr() adds up for each block of each function, by the function's name. Left out is what
/// depends on values.
__attribute__((visibility("default"))) std::map<std::string, std::vector<std::uint64_t>> tileCycles(
    const std::string& text);

/// Counts of one engine.
struct CodeletCounts {
  /// By vertex: the count of its first execution. For a MultiVertex: the largest count of its
  /// workers.
  std::map<unsigned, std::uint64_t> instructions;
  /// By vertex type: why its codelet could not be compiled for counting.
  std::map<std::string, std::string> failures;
};

}  // namespace popir

#endif
