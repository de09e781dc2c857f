// Finds vertex classes in the output of `readelf --debug-dump=info` for an object file. Debug
// information lists every complete class that the compiler saw. This includes classes made by
// macros, explicit template instantiations, and classes for which no code was generated.
#ifndef popir_codelets_debug_info_hpp
#define popir_codelets_debug_info_hpp

#include <istream>
#include <string>
#include <vector>

namespace popir {

struct VertexType {
  std::string spelling;             // C++ spelling, without a leading ::
  std::string name;                 // the spelling of canonicalVertexType()
  std::vector<std::string> fields;  // those of base classes come first
};

/// Classes derived directly or indirectly from poplar::Vertex. Classes in functions and in
/// namespace std are left out.
std::vector<VertexType> vertexTypesIn(std::istream& debugInfo);

}  // namespace popir

#endif
