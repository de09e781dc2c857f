// Options of graph functions and library functions.
#ifndef popir_poplar_library_options_hpp
#define popir_poplar_library_options_hpp

#include "support/option_table.hpp"

namespace popir {

/// Groups of functions that take the same options.
enum class Library {
  MatMul,
  Convolution,
  Map,
  Reduce,
  ScaledAdd,
  Slice,
  Pooling,
  Recurrent,
  Collective,
  Stream,
  HostFunction
};

/// The choices of popops.map's option costedAs: names of the enumerators of Activation, in order.
inline constexpr char kActivationNames[] =
    "expression swish gelu reluGrad sigmoidGrad tanhGrad geluGrad geluErfGrad swishGrad";

struct LibraryOptions {
  Library library;
  const char* functions;  // prefix of the option names: "popops.reduce"
  std::vector<OptionRow> rows;
};

__attribute__((visibility("default"))) const std::vector<LibraryOptions>& libraryOptionTables();

/// Notes options that have no effect (noteOption()). `who` is the called function.
/// \throws poplar::invalid_option for an option that is unknown, has an invalid value, or is
/// refused
void checkLibraryOptions(const char* who, Library library, const poplar::OptionFlags& options);

}  // namespace popir

#endif
