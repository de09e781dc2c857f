// Compiles C++ codelets into a .gp file with the host's compiler and readelf.
//
// 1. The source is preprocessed.
// 2. The preprocessed text is compiled with debug information, which lists the vertex classes
//    and their fields.
// 3. A table of these classes is appended to the text. The result is compiled into a shared
//    library.
#ifndef popir_codelets_compile_hpp
#define popir_codelets_compile_hpp

#include <string>
#include <vector>

#include "codelets/library.hpp"

namespace popir {

/// Returns the bytes of one .gp file (codelets/library.hpp). A result is cached by compiler,
/// preprocessed text and options (codelets/cache.hpp).
/// \param sources paths of C++ files
/// \param options for the compiler, such as -O2, -I, -D
/// \throws poplar::graph_program_compilation_error with the compiler's messages, or if a source
/// cannot be read or contains no vertex
__attribute__((visibility("default"))) std::string compileCodelets(
    const std::vector<std::string>& sources, const std::vector<std::string>& options);

/// The path of a source that popir brings: codelets of a library, which programs add by name.
__attribute__((visibility("default"))) std::string broughtSource(const std::string& name);

/// The same for C++ text.
std::string compileCodeletText(const std::string& source, const std::vector<std::string>& options);

/// Compiles preprocessed sources as a variant (bounds checks or counting). Cached as above.
/// \throws poplar::graph_program_compilation_error also where there is no clang to count with
std::string compileVariant(CodeletText text, CodeletVariant variant);

}  // namespace popir

#endif
