// Counts the instructions that codelets execute.
//
// A codelet is compiled a second time, to assembler text. At the start of each basic block an
// instruction sequence is inserted that adds the number of instructions of this block to a counter.
// The sequence changes no flag and no register, so the counted code is exactly what the compiler
// generated.
#ifndef popir_codelets_counting_hpp
#define popir_codelets_counting_hpp

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace popir {

/// Symbol of the counter in a library of counting codelets, in assembler and in C++.
constexpr const char* kCodeletCounter = "popir_counted";

/// Inserts the counting sequences into x86-64 assembler text (AT&T syntax).
std::string countingAssembly(const std::string& text);

/// Instruction counts of one engine.
struct CodeletCounts {
  /// By vertex: the count of its first execution. For a MultiVertex: the largest count of its
  /// workers.
  std::map<unsigned, std::uint64_t> instructions;
  /// By vertex type: why its codelet could not be compiled for counting.
  std::map<std::string, std::string> failures;
};

}  // namespace popir

#endif
