// Matrix products. After poplin/MatMul.hpp of PopLibs 3.
//
// A grouped product multiplies the matrices of each group; the group is the first dimension of all
// operands.
//
// `popir options` lists the supported `options` under poplin.matMul. They affect the machine model
// only, not results. `cache` may be null; it changes no result. Operands of QUARTER with metadata
// are multiplied as FLOAT on the host, and by the machine's units for them where it has any.
// \throws poputil::poplibs_error if ranks, groups, inner dimensions, types or the output shape do
// not match; the message contains the shapes
// \throws poplar::invalid_option for any other option or value
#ifndef poplin_MatMul_hpp
#define poplin_MatMul_hpp

#include <cstddef>
#include <iosfwd>
#include <map>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Type.hpp>
#include <poplin/Convolution.hpp>
#include <set>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)
namespace poplin {
namespace matmul {

/// poplin::PlanningCache under its older name.
class PlanningCache : public poplin::PlanningCache {
 public:
  poplin::PlanningCache& getImpl() { return *this; }
};

}  // namespace matmul

/// The types and shapes of a product.
struct MatMulParams {
  poplar::Type inputType;
  poplar::Type outputType;
  std::vector<std::size_t> aShape;
  std::vector<std::size_t> bShape;
};
bool operator<(const MatMulParams& a, const MatMulParams& b);

using MatMulPlanParams =
    std::tuple<const poplar::Target*, const MatMulParams, const poplar::OptionFlags*>;

/// Returns A [M, K] times B [K, N]. The result has type `outputType`, or the type of A.
/// matMulWithOutput() writes it to `out`.
poplar::Tensor matMul(poplar::Graph& graph, const poplar::Tensor& A, const poplar::Tensor& B,
                      poplar::program::Sequence& prog, const poplar::Type& outputType,
                      const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
poplar::Tensor matMul(poplar::Graph& graph, const poplar::Tensor& A, const poplar::Tensor& B,
                      poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
void matMulWithOutput(poplar::Graph& graph, const poplar::Tensor& A, const poplar::Tensor& B,
                      poplar::Tensor& out, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);

/// Returns A [G, M, K] times B [G, K, N].
poplar::Tensor matMulGrouped(poplar::Graph& graph, const poplar::Tensor& A, const poplar::Tensor& B,
                             poplar::program::Sequence& prog, const poplar::Type& outputType,
                             const poplar::DebugContext& debugContext = {},
                             const poplar::OptionFlags& options = {},
                             PlanningCache* cache = nullptr);
void matMulGroupedWithOutput(poplar::Graph& graph, const poplar::Tensor& A, const poplar::Tensor& B,
                             poplar::Tensor& out, poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext = {},
                             const poplar::OptionFlags& options = {},
                             PlanningCache* cache = nullptr);

/// C += k * A * B. A tensor `k` has one element.
void matMulAcc(poplar::Graph& graph, const poplar::Tensor& C, float k, const poplar::Tensor& A,
               const poplar::Tensor& B, poplar::program::Sequence& prog,
               const poplar::DebugContext& debugContext = {},
               const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
void matMulAcc(poplar::Graph& graph, const poplar::Tensor& C, const poplar::Tensor& k,
               const poplar::Tensor& A, const poplar::Tensor& B, poplar::program::Sequence& prog,
               const poplar::DebugContext& debugContext = {},
               const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
void matMulGroupedAcc(poplar::Graph& graph, const poplar::Tensor& C, float k,
                      const poplar::Tensor& A, const poplar::Tensor& B,
                      poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
void matMulGroupedAcc(poplar::Graph& graph, const poplar::Tensor& C, const poplar::Tensor& k,
                      const poplar::Tensor& A, const poplar::Tensor& B,
                      poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);

/// Create variables for a product of matrices of `aShape` and `bShape`, with a suitable tile
/// mapping: the left operand, the right operand, the result.
poplar::Tensor createMatMulInputLHS(poplar::Graph& graph, const poplar::Type& inputType,
                                    const poplar::Type& outputType,
                                    const std::vector<std::size_t>& aShape,
                                    const std::vector<std::size_t>& bShape,
                                    const poplar::DebugContext& debugContext,
                                    const poplar::OptionFlags& options = {},
                                    PlanningCache* cache = nullptr);
poplar::Tensor createMatMulInputLHS(poplar::Graph& graph, const poplar::Type& dataType,
                                    const std::vector<std::size_t>& aShape,
                                    const std::vector<std::size_t>& bShape,
                                    const poplar::DebugContext& debugContext,
                                    const poplar::OptionFlags& options = {},
                                    PlanningCache* cache = nullptr);
poplar::Tensor createMatMulInputRHS(poplar::Graph& graph, const poplar::Type& inputType,
                                    const poplar::Type& outputType,
                                    const std::vector<std::size_t>& aShape,
                                    const std::vector<std::size_t>& bShape,
                                    const poplar::DebugContext& debugContext,
                                    const poplar::OptionFlags& options = {},
                                    PlanningCache* cache = nullptr);
poplar::Tensor createMatMulInputRHS(poplar::Graph& graph, const poplar::Type& dataType,
                                    const std::vector<std::size_t>& aShape,
                                    const std::vector<std::size_t>& bShape,
                                    const poplar::DebugContext& debugContext,
                                    const poplar::OptionFlags& options = {},
                                    PlanningCache* cache = nullptr);
poplar::Tensor createMatMulOutput(poplar::Graph& graph, const poplar::Type& inputType,
                                  const poplar::Type& outputType,
                                  const std::vector<std::size_t>& aShape,
                                  const std::vector<std::size_t>& bShape,
                                  const poplar::DebugContext& debugContext,
                                  const poplar::OptionFlags& options = {},
                                  PlanningCache* cache = nullptr);
poplar::Tensor createMatMulGroupedInputLHS(poplar::Graph& graph, const poplar::Type& inputType,
                                           const poplar::Type& outputType,
                                           const std::vector<std::size_t>& aShape,
                                           const std::vector<std::size_t>& bShape,
                                           const poplar::DebugContext& debugContext,
                                           const poplar::OptionFlags& options = {},
                                           PlanningCache* cache = nullptr);
poplar::Tensor createMatMulGroupedInputRHS(poplar::Graph& graph, const poplar::Type& inputType,
                                           const poplar::Type& outputType,
                                           const std::vector<std::size_t>& aShape,
                                           const std::vector<std::size_t>& bShape,
                                           const poplar::DebugContext& debugContext,
                                           const poplar::OptionFlags& options = {},
                                           PlanningCache* cache = nullptr);
poplar::Tensor createMatMulGroupedOutput(poplar::Graph& graph, const poplar::Type& inputType,
                                         const poplar::Type& outputType,
                                         const std::vector<std::size_t>& aShape,
                                         const std::vector<std::size_t>& bShape,
                                         const poplar::DebugContext& debugContext,
                                         const poplar::OptionFlags& options = {},
                                         PlanningCache* cache = nullptr);

/// Returns B, or for a TRAINING_BWD with inputRHSIsPreArranged a copy of it, which is transposed.
poplar::Tensor preArrangeMatMulInputRHS(poplar::Graph& graph,
                                        const std::vector<std::size_t>& aShape,
                                        const poplar::Tensor& B, poplar::program::Sequence& prog,
                                        const poplar::DebugContext& debugContext = {},
                                        const poplar::OptionFlags& options = {},
                                        PlanningCache* cache = nullptr);

/// preplan() of matrix products alone, by its older name.
void preplanMatMuls(const std::set<MatMulPlanParams>& matmuls, matmul::PlanningCache& cache);

/// Returns a view of [G, rows, columns] with the last two dimensions exchanged.
poplar::Tensor transposeGroupedMatrix(const poplar::Tensor& A);

// What is planned for a product, in words: there is one plan, so sizes and multiplications.

void matMulReportPlan(std::ostream& out, const poplar::Graph& graph, const poplar::Type& inputType,
                      const poplar::Type& outputType, const std::vector<std::size_t>& aShape,
                      const std::vector<std::size_t>& bShape,
                      const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
void matMulGroupedReportPlan(std::ostream& out, const poplar::Graph& graph,
                             const poplar::Type& inputType, const poplar::Type& outputType,
                             const std::vector<std::size_t>& aShape,
                             const std::vector<std::size_t>& bShape,
                             const poplar::OptionFlags& options = {},
                             PlanningCache* cache = nullptr);

/// \throws poplar::invalid_option for an option or a value that matrix products do not take
void matmulValidateOptions(const poplar::OptionFlags& options);

}  // namespace poplin
#pragma GCC visibility pop

#endif
