// Vertex classes, found in what `readelf --debug-dump=info` prints of an object file. Debug
// information has every class that the compiler saw complete: those made by macros, templates
// instantiated explicitly, and those of which no code was emitted.
#ifndef popir_poplar_debug_info_hpp
#define popir_poplar_debug_info_hpp

#include <istream>
#include <string>
#include <vector>

namespace popir {

struct VertexType {
  std::string spelling;             // in C++, without leading ::
  std::string name;                 // as canonicalVertexType() spells it
  std::vector<std::string> fields;  // those of bases first
};

/// Classes derived from poplar::Vertex at any distance, outside functions and std.
std::vector<VertexType> vertexTypesIn(std::istream& debugInfo);

}  // namespace popir

#endif
