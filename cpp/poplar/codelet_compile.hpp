// From C++ sources to a .gp file, by the host's compiler and readelf.
//
// A source is preprocessed once. Its text is compiled with debug information, which names the
// vertex classes and their fields; then, with a table of them behind it, into a shared library.
#ifndef popir_poplar_codelet_compile_hpp
#define popir_poplar_codelet_compile_hpp

#include <string>
#include <vector>

#include "poplar/codelet_library.hpp"

namespace popir {

/// The bytes of one .gp file (codelet_library.hpp). What was compiled before by the same compiler,
/// from the same preprocessed text with the same options, is not compiled again
/// (codelet_cache.hpp).
/// \param sources paths of C++ files
/// \param options of the compiler, such as -O2, -I, -D
/// \throws poplar::graph_program_compilation_error with what the compiler said, or if a source
///         cannot be read or has no vertex
__attribute__((visibility("default"))) std::string compileCodelets(
    const std::vector<std::string>& sources, const std::vector<std::string>& options);

/// The same of C++ text.
std::string compileCodeletText(const std::string& source, const std::vector<std::string>& options);

/// A .gp file of preprocessed sources, compiled in another way; remembered as well.
std::string compileVariant(CodeletText text, CodeletVariant variant);

}  // namespace popir

#endif
