// Linear equations of triangular matrices. After poplin/TriangularSolve.hpp of PopLibs 3.
//
// Matrices are [n, n], or [batches..., n, n]. Options (blockSize and those of matMul) and caches
// change no result.
// \throws poputil::poplibs_error for other shapes, and for types that are not of floating point
#ifndef poplin_TriangularSolve_hpp
#define poplin_TriangularSolve_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>

#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace poplin {

poplar::Tensor createTriangularSolveInputLHS(poplar::Graph& graph, const poplar::Type& inputType,
                                             const poplar::Type& outputType,
                                             const std::vector<std::size_t>& aShape,
                                             const std::vector<std::size_t>& bShape, bool leftSide,
                                             const poplar::DebugContext& debugContext,
                                             const poplar::OptionFlags& options = {},
                                             PlanningCache* cache = nullptr);
poplar::Tensor createTriangularSolveInputRHS(poplar::Graph& graph, const poplar::Type& inputType,
                                             const poplar::Type& outputType,
                                             const std::vector<std::size_t>& aShape,
                                             const std::vector<std::size_t>& bShape, bool leftSide,
                                             const poplar::DebugContext& debugContext,
                                             const poplar::OptionFlags& options = {},
                                             PlanningCache* cache = nullptr);

/// `a` with zeros above the diagonal (`lower`) or below it, and with ones on it if `unitDiagonal`.
poplar::Tensor triangularMask(poplar::Graph& graph, const poplar::Tensor& a, bool lower,
                              bool unitDiagonal, poplar::program::Sequence& prog,
                              const poplar::DebugContext& debugContext = {});

/// X of A X = B, or of X A = B if not `leftSide`. Only the lower, or upper, triangle of A is read;
/// with `unitDiagonal` its diagonal counts as ones.
poplar::Tensor triangularSolve(poplar::Graph& graph, const poplar::Tensor& a,
                               const poplar::Tensor& b, bool leftSide, bool lower,
                               bool unitDiagonal, poplar::program::Sequence& prog,
                               const poplar::DebugContext& debugContext = {},
                               const poplar::OptionFlags& options = {},
                               PlanningCache* cache = nullptr);

/// The products that triangularSolve() plans: none.
std::vector<std::pair<MatMulParams, poplar::OptionFlags>> getTriangularSolveMatMulPrePlanParameters(
    const poplar::Type& inputType, const poplar::Type& outputType,
    const std::vector<std::size_t>& aShape, const std::vector<std::size_t>& bShape, bool leftSide,
    bool lower, const poplar::OptionFlags& options);

}  // namespace poplin
#pragma GCC visibility pop

#endif
