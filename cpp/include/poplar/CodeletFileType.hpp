// poplar/CodeletFileType.hpp: what Graph::addCodelets is given.
#ifndef poplar_CodeletFileType_hpp
#define poplar_CodeletFileType_hpp

namespace poplar {

/// Auto goes by the name's ending: .gp is compiled already, everything else is C++.
enum class CodeletFileType {
  PreprocessedAsmSource,
  AsmSource,
  CSource,
  CppSource,
  IrSource,
  Object,
  Auto
};

}  // namespace poplar

#endif
