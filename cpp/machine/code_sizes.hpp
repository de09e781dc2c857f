// How long the code of a vertex class is on a tile.
#ifndef popir_machine_code_sizes_hpp
#define popir_machine_code_sizes_hpp

#include <optional>
#include <string>

namespace popir {

/// Bytes of a class of PopLibs that is written in assembly, with the functions that it calls: of
/// its versions for floats and halves the longer one. Empty for all other classes.
///
/// Source: PopLibs' assembly (graphcore/poplibs, lib/*/codelets/asm), whose directives and macros an
/// assembler followed; an instruction has 4 bytes.
std::optional<unsigned> assembledBytes(const std::string& vertexClass);

}  // namespace popir

#endif
