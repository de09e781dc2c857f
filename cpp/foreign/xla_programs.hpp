// Programs that users build with xla::XlaBuilder: the text of each comes here when it is built.
#ifndef popir_foreign_xla_programs_hpp
#define popir_foreign_xla_programs_hpp

#include <string>
#include <vector>

namespace popir::foreign::xla {

struct Program {
  std::string name;
  /// The text of its HLO module; "" if there was an error.
  std::string text;
  std::string error;
};

/// Calls a function without arguments, and returns the programs that it built, in order, on this
/// thread. What the function returns is left where it is.
/// \throws std::runtime_error with the text of what it throws
__attribute__((visibility("default"))) std::vector<Program> programsOf(void* function);

}  // namespace popir::foreign::xla

#endif
