// The codelets that a graph knows, and .gp files, which hold compiled ones.
//
// A .gp file is text, then a shared library and what it was made of: the lines "popir codelets",
// the format's number (kCodeletFormat), the bytes of the library, the bytes of the rest, and the
// FNV-1a hash of both in hex, each ended by a newline. The library exports
// popir_codelets(CodeletVisitor, void*), which calls back once a codelet. The rest is a
// CodeletText, so that an engine may compile it in another way.
#ifndef popir_poplar_codelet_library_hpp
#define popir_poplar_codelet_library_hpp

#include <popir/Codelet.hpp>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace popir {

using CodeletVisitor = void (*)(void*, const Codelet*);

/// Preprocessed sources and the compiler's options for them.
struct CodeletText {
  std::vector<std::string> sources, texts, options;
  auto state() const { return std::tie(sources, texts, options); }
};

/// Other ways to compile codelets than for running them.
enum class CodeletVariant {
  CheckBounds,  ///< a field indexed outside of its elements throws OutsideField
  Count,        ///< Codelet::executed counts (codelet_counting.hpp)
};

/// A .gp file in memory.
struct CodeletFile {
  std::string key, stamp, origin, bytes;
};

class __attribute__((visibility("default"))) CodeletLibrary {
 public:
  /// Adds what a .gp file's bytes hold; `origin` is what it came from. A file of a known `key`
  /// takes the place of the one before, for vertices that are added from now on, if `stamp` is
  /// another one. False if both are known.
  bool addCompiled(const std::string& key, const std::string& stamp, const std::string& bytes,
                   const std::string& origin);
  bool has(const std::string& key, const std::string& stamp = "") const;
  /// \throws poplar::graph_connection_error if there is none of this name.
  std::shared_ptr<const Codelet> find(const std::string& name) const;
  /// One of this library's codelets, compiled in another way when first asked for. \throws
  /// poplar::graph_program_compilation_error if it cannot be compiled here.
  std::shared_ptr<const Codelet> variant(const Codelet& codelet, CodeletVariant variant) const;

  /// In the order they were added.
  const std::vector<CodeletFile>& files() const { return files_; }
  /// Which of files() a codelet is from.
  std::size_t fileOf(const Codelet& codelet) const { return fileOf_.at(&codelet); }
  /// The codelet of a name in one of files(). \throws std::out_of_range
  std::shared_ptr<const Codelet> inFile(std::size_t file, const std::string& name) const {
    return tables_.at(file).at(name);
  }

 private:
  using Table = std::map<std::string, std::shared_ptr<const Codelet>>;

  std::vector<CodeletFile> files_;
  std::vector<Table> tables_;                  // by file
  std::map<std::string, std::string> stamps_;  // by key
  Table codelets_;
  std::map<const Codelet*, std::size_t> fileOf_;
  mutable std::map<std::pair<std::size_t, CodeletVariant>, Table> variants_;
};

/// A .gp file's bytes around a shared library's.
std::string packCodelets(const std::string& library, const CodeletText& text);

/// Whether the bytes are a .gp file of this version, not damaged.
bool isIntact(const std::string& bytes);

/// A vertex type as popc spells it: "ns::Rotate<half,unsigned int,true>".
std::string canonicalVertexType(const std::string& name);

}  // namespace popir

#endif
