// File types for Graph::addCodelets. After poplar/CodeletFileType.hpp of the Poplar SDK 3.
#ifndef poplar_CodeletFileType_hpp
#define poplar_CodeletFileType_hpp

#include <string>

#pragma GCC visibility push(default)

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

/// The type of a file by its name; Auto for another name than those of getExtensionFromFileType().
CodeletFileType getCodeletFileType(const char* path);
/// ".gp" for Object, ".cpp", ".c", ".S", ".s" and ".ll" for sources, "" for Auto.
std::string getExtensionFromFileType(CodeletFileType type);
/// What a compiler's option -x calls the language: "c++", "c", "assembler-with-cpp", "assembler",
/// "ir"; "" for the other two.
std::string getLanguageOption(CodeletFileType type);

}  // namespace poplar

#pragma GCC visibility pop

#endif
