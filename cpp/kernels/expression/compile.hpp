// Expressions made into programs: types inferred, constants placed.
#ifndef popir_kernels_expression_compile_hpp
#define popir_kernels_expression_compile_hpp

#include <poplar/Type.hpp>
#include <popops/Expr.hpp>

#include <string>
#include <vector>

#include "kernels/expression/program.hpp"

namespace popir {

/// The type in which values of `type` are stored. \throws poputil::poplibs_error if there is none.
Lane storageLane(const poplar::Type& type);
/// The type in which they are computed: float for the 16-bit floats.
Lane computeLane(Lane storage);

struct CompiledExpressions {
  MapProgram program;
  /// Of each output.
  std::vector<poplar::Type> types;
};

/// A program with one output for each expression, input k being placeholder k + 1, of type
/// `inputTypes[k]`.
/// \throws poputil::poplibs_error, beginning with `who`: a placeholder without a tensor, operands
/// of
///         different types, an operator that its operands' type does not have, a constant that does
///         not fit its type.
CompiledExpressions compileExpressions(const std::vector<const popops::expr::Expr*>& expressions,
                                       const std::vector<poplar::Type>& inputTypes,
                                       const std::string& who);

}  // namespace popir

#endif
