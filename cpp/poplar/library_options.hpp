// The options that functions of graphs and of the libraries take.
#ifndef popir_poplar_library_options_hpp
#define popir_poplar_library_options_hpp

#include "poplar/option_table.hpp"

namespace popir {

/// The functions that take the same options.
enum class Library {
  MatMul,
  Convolution,
  Map,
  Reduce,
  ScaledAdd,
  Slice,
  Pooling,
  Collective,
  Stream,
  HostFunction
};

struct LibraryOptions {
  Library library;
  const char* functions;  // what stands before the name of an option: "popops.reduce"
  std::vector<OptionRow> rows;
};

__attribute__((visibility("default"))) const std::vector<LibraryOptions>& libraryOptionTables();

/// Says which of the options have no meaning; `who` is the function that got them.
/// \throws poplar::invalid_option for one that is not in the table, has a wrong value or is
/// refused.
void checkLibraryOptions(const char* who, Library library, const poplar::OptionFlags& options);

}  // namespace popir

#endif
