// File types for Graph::addCodelets. After poplar/CodeletFileType.hpp of the Poplar SDK 3.
#ifndef poplar_CodeletFileType_hpp
#define poplar_CodeletFileType_hpp

namespace poplar {

/// Auto decides by the file name: .gp files are compiled codelets, all others are C++.
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
