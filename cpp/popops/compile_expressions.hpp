// Compiles expressions to element-wise programs: infers types and converts constants.
#ifndef popir_popops_compile_expressions_hpp
#define popir_popops_compile_expressions_hpp

#include <poplar/Type.hpp>
#include <popops/Expr.hpp>

#include <string>
#include <vector>

#include "kernels/elementwise/program.hpp"

namespace popir {

struct CompiledExpressions {
  MapProgram program;
  /// By output.
  std::vector<poplar::Type> types;
};

/// A program with one output per expression. Input k is placeholder k + 1 and has type
/// `inputTypes[k]`.
/// \throws poputil::poplibs_error, starting with `who`: a placeholder without a tensor, operands of
/// different types, an operator that does not support its operands' type, a constant that does not
/// fit its type
CompiledExpressions compileExpressions(const std::vector<const popops::expr::Expr*>& expressions,
                                       const std::vector<poplar::Type>& inputTypes,
                                       const std::string& who);

}  // namespace popir

#endif
