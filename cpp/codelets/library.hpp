// The codelets known to a graph, and the .gp files that hold compiled codelets.
//
// A .gp file starts with text lines, each ended by a newline: "popir codelets", the format version
// (kCodeletFormat), the size of the shared library in bytes, the size of the source section in
// bytes, and the FNV-1a hash of both sections in hex. The shared library and the source section
// follow. The library exports popir_codelets(CodeletVisitor, void*), which calls the visitor once
// per codelet. The source section is a CodeletText; an engine uses it to compile variants.
#ifndef popir_codelets_library_hpp
#define popir_codelets_library_hpp

#include <popir/Codelet.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace popir {

using CodeletVisitor = void (*)(void*, const Codelet*);

/// Preprocessed sources and the compiler options for them. `tileTexts` are these sources with __IPU__
/// defined, in the same order; none where that makes no difference.
struct CodeletText {
  std::vector<std::string> sources, texts, options, tileTexts = {};
  auto state() const { return std::tie(sources, texts, options, tileTexts); }
};

/// Ways to compile a codelet other than for plain execution.
enum class CodeletVariant {
  CheckBounds,  ///< an index outside of a field throws OutsideField
  Count,        ///< Codelet::executed counts what is executed (codelets/counting.hpp)
  CountTile,    ///< the same of what the sources have for __IPU__
};

/// A .gp file in memory.
struct CodeletFile {
  std::string key, stamp, origin, bytes;
};

class __attribute__((visibility("default"))) CodeletLibrary {
 public:
  /// Adds the codelets of a .gp file. `origin` names the file in messages. `key` identifies the
  /// file and `stamp` its version. If `key` is known with another stamp, the new codelets replace
  /// the old ones for vertices added later. Returns false, and does nothing, if key and stamp are
  /// both known.
  bool addCompiled(const std::string& key, const std::string& stamp, const std::string& bytes,
                   const std::string& origin);
  bool has(const std::string& key, const std::string& stamp = "") const;
  bool knows(const std::string& name) const;
  /// \throws poplar::graph_connection_error if there is none of this name.
  std::shared_ptr<const Codelet> find(const std::string& name) const;
  /// A codelet of this library, compiled as `variant` on first use. For `Count` it is what the source
  /// has for __IPU__, where that compiles here and its vertex has the same fields.
  /// \throws poplar::graph_program_compilation_error if it cannot be compiled on this host.
  std::shared_ptr<const Codelet> variant(const Codelet& codelet, CodeletVariant variant) const;

  /// Files in the order in which they were added.
  const std::vector<CodeletFile>& files() const { return files_; }
  /// Index in files() of the file that contains the codelet.
  std::size_t fileOf(const Codelet& codelet) const { return fileOf_.at(&codelet); }
  /// The codelet called `name` in files()[file].
  /// \throws std::out_of_range
  std::shared_ptr<const Codelet> inFile(std::size_t file, const std::string& name) const {
    return tables_.at(file).at(name);
  }

 private:
  using Table = std::map<std::string, std::shared_ptr<const Codelet>>;

  const Table& variants(std::size_t file, CodeletVariant variant) const;
  std::shared_ptr<const Codelet> ofTile(const Codelet& codelet) const;

  std::vector<CodeletFile> files_;
  std::vector<Table> tables_;                  // by file
  std::map<std::string, std::string> stamps_;  // by key
  Table codelets_;
  std::map<const Codelet*, std::size_t> fileOf_;
  mutable std::map<std::pair<std::size_t, CodeletVariant>, Table> variants_;
  mutable std::set<std::size_t> hostOnly_;  // files of which a tile's branch was not found
};

/// Builds the bytes of a .gp file from a shared library and its source text.
std::string packCodelets(const std::string& library, const CodeletText& text);

/// What a .gp file was made from.
/// \throws poplar::graph_program_compilation_error for a damaged or foreign file
CodeletText codeletText(const std::string& bytes, const std::string& origin);

/// True if the bytes are an undamaged .gp file of this format version.
bool isIntact(const std::string& bytes);

/// The spelling that popc uses for a vertex type: "ns::Rotate<half,unsigned int,true>".
std::string canonicalVertexType(const std::string& name);

}  // namespace popir

#endif
