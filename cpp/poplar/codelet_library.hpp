// The codelets that a graph knows, and .gp files, which hold compiled ones.
//
// A .gp file is text, then a shared library: the lines "popir codelets", the format's number
// (kCodeletFormat), the library's bytes and their FNV-1a hash in hex, each ended by a newline. The
// library exports popir_codelets(CodeletVisitor, void*), which calls back once a codelet.
#ifndef popir_poplar_codelet_library_hpp
#define popir_poplar_codelet_library_hpp

#include <popir/Codelet.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace popir {

using CodeletVisitor = void (*)(void*, const Codelet*);

class CodeletLibrary {
 public:
  /// Adds what a .gp file's bytes hold; `origin` is what it came from. False if `key` is known.
  bool addCompiled(const std::string& key, const std::string& bytes, const std::string& origin);
  bool has(const std::string& key) const { return keys_.count(key) > 0; }
  /// \throws poplar::graph_connection_error if there is none of this name.
  std::shared_ptr<const Codelet> find(const std::string& name) const;

 private:
  std::set<std::string> keys_;
  std::map<std::string, std::shared_ptr<const Codelet>> codelets_;
};

/// A .gp file's bytes around a shared library's.
std::string packCodelets(const std::string& library);

/// A vertex type as popc spells it: "ns::Rotate<half,unsigned int,true>".
std::string canonicalVertexType(const std::string& name);

}  // namespace popir

#endif
