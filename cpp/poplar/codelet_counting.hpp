// Instructions that codelets execute: of what, by whom, and how they are counted.
//
// A codelet is compiled a second time, by way of the compiler's assembler text. At the start of
// each basic block a few instructions are put in that add the number of the block's own to a
// counter; they change no flag and no register, so that what is counted is the compiler's code as
// it was.
#ifndef popir_poplar_codelet_counting_hpp
#define popir_poplar_codelet_counting_hpp

#include <poplar/OptionFlags.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace popir {

/// The counter in a library of counting codelets, as assembler text and the compiler know it.
constexpr const char* kCodeletCounter = "popir_counted";

/// The assembler text of x86-64 (AT&T) that counts what it executes.
std::string countingAssembly(const std::string& text);

/// What an engine counted.
struct CodeletCounts {
  /// By vertex, of its first execution; of a MultiVertex the worker's that executed most.
  std::map<unsigned, std::uint64_t> instructions;
  /// Why codelets could not be compiled for it: by vertex type.
  std::map<std::string, std::string> failures;
};

/// Whether an engine is to count: if it is to write a profile of executions, or by the options
/// "debug.instrument" and "debug.instrumentCompute".
bool countsFrom(const poplar::OptionFlags& options);

}  // namespace popir

#endif
