// A cache of compiled codelets, in this process and in a folder.
//
// The folder is $POPIR_CACHE/codelets if POPIR_CACHE is set, else $XDG_CACHE_HOME/popir/codelets or
// ~/.cache/popir/codelets. A file is written under a temporary name and renamed when complete, so
// processes need no locks. A file that is damaged or belongs to other input is rebuilt. If the
// folder is not writable, nothing is cached.
#ifndef popir_codelets_cache_hpp
#define popir_codelets_cache_hpp

#include <functional>
#include <string>
#include <vector>

#include "codelets/library.hpp"

namespace popir {

/// Returns the cached .gp file of `text`, or calls `make` and caches its result. `how` is the rest
/// of the cache key: compiler version, options, variant.
std::string cachedCodelets(const CodeletText& text, const std::string& how,
                           const std::function<std::string()>& make);

/// The version text of a compiler. The compiler is asked once per process.
std::string versionOf(const std::vector<std::string>& compiler);

}  // namespace popir

#endif
