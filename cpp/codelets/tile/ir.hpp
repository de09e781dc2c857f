// The text form of LLVM's intermediate representation, as far as costs of a tile need it.
#ifndef popir_codelets_tile_ir_hpp
#define popir_codelets_tile_ir_hpp

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace popir::tile {

/// One instruction. `%4 = load float, ptr %3, align 4` has the result "%4", the operation "load",
/// the type "float" and the arguments {"%3"}.
struct Instruction {
  std::string result;                  ///< with its %; empty if there is none
  std::string operation;               ///< "fadd", "load", "br"
  std::string type;                    ///< that it works on; of a call, what it returns
  std::string to;                      ///< of a conversion: the type of the result
  std::string predicate;               ///< of a comparison: "ult"
  std::string callee;                  ///< of a call, without its @
  std::vector<std::string> arguments;  ///< values: %names, constants
  std::vector<std::string> labels;     ///< of a branch and of a phi, without their %
  std::string text;                    ///< of assembly in a call
  unsigned align = 0;                  ///< of a load or store, in bytes
  std::size_t line = 0;
};

/// A basic block: it is entered at the top and left at the bottom.
struct Block {
  std::string name;
  std::vector<Instruction> instructions;
  std::size_t firstLine = 0;          ///< of the text: where counting code can stand
  std::vector<std::size_t> to, from;  ///< other blocks
};

struct Function {
  std::string name;
  std::vector<Block> blocks;
};

bool startsWith(const std::string& text, const std::string& with);
/// Bits of a scalar, or of all lanes of a vector together. A pointer has 32, as on a tile.
unsigned bitsOf(const std::string& type);
/// Lanes of a vector, 1 of a scalar.
unsigned lanesOf(const std::string& type);
/// The type of a lane: "float" of "<2 x float>".
std::string laneOf(const std::string& type);
/// Floating point values and vectors of them lie in the registers of the auxiliary pipeline.
bool isFloating(const std::string& type);
bool isConstant(const std::string& argument);

/// The functions that a module defines. `lines` is its text.
std::vector<Function> functionsOf(const std::vector<std::string>& lines);

}  // namespace popir::tile

#endif
