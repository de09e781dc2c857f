// Compiled codelets by what they were made of: in this process, and in a folder.
//
// The folder is $POPIR_CACHE/codelets, else that of the user's cache ($XDG_CACHE_HOME/popir or
// ~/.cache/popir). A file appears there complete, by renaming, so processes need no locks; one
// that is damaged, or that was made of something else, is made again; where nothing can be
// written, nothing is kept.
#ifndef popir_poplar_codelet_cache_hpp
#define popir_poplar_codelet_cache_hpp

#include <functional>
#include <string>
#include <vector>

#include "poplar/codelet_library.hpp"

namespace popir {

/// The .gp file of `text`, as it was made before or by `make`. `how`: what else the bytes depend
/// on.
std::string cachedCodelets(const CodeletText& text, const std::string& how,
                           const std::function<std::string()>& make);

/// What a compiler says of itself; asked once.
std::string versionOf(const std::vector<std::string>& compiler);

}  // namespace popir

#endif
