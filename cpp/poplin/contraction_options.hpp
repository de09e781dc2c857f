// What matrix products and convolutions have in common: options, kernels by their parameters, and
// operands of 8-bit floats.
#ifndef popir_poplin_contraction_options_hpp
#define popir_poplin_contraction_options_hpp

#include <map>
#include <memory>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>

#include "kernels/contraction/conv_kernel.hpp"
#include "kernels/contraction/matmul_kernel.hpp"
#include "poplar/bulk_vertex.hpp"

namespace poplin {

/// Kernels by their parameters, shared between equal contractions.
class PlanningCacheImpl {
 public:
  std::map<popir::MatMulKernel::Problem, std::shared_ptr<const popir::MatMulKernel>> products;
  std::map<popir::ConvKernel::Problem, std::shared_ptr<const popir::ConvKernel>> convolutions;
};

}  // namespace poplin

namespace popir {

/// Reads the options of function `who`.
/// \throws poplar::invalid_option
MachineOptions matMulOptions(const char* who, const poplar::OptionFlags& flags);
MachineOptions convOptions(const char* who, const poplar::OptionFlags& flags);

std::shared_ptr<const MatMulKernel> plan(const MatMulKernel::Problem& problem,
                                         poplin::PlanningCache* cache);
std::shared_ptr<const ConvKernel> plan(const ConvKernel::Problem& problem,
                                       poplin::PlanningCache* cache);

/// The type whose kernel contracts elements of `type`: FLOAT, which holds all its values, for QUARTER.
inline poplar::Type contracted(const poplar::Type& type) {
  return type == poplar::QUARTER ? poplar::FLOAT : type;
}
/// The work of a kernel for the machine's layouts, if what it reads is of type `read`.
Work layoutWork(const poplar::Graph& graph, const Kernel& kernel, const poplar::Type& read);
/// Adds a contraction. It reads operands of QUARTER themselves if the machine has units for them, and
/// else what casts to FLOAT make of them.
void addContraction(poplar::Graph& graph, poplar::program::Sequence& prog,
                    std::shared_ptr<const Kernel> kernel, std::vector<BulkOperand> operands,
                    const poplar::DebugContext& debugContext);

/// Plans the product or the forward pass of the convolution, as the function that adds it would.
void planAhead(const poplin::MatMulParams& params, const poplar::OptionFlags& options,
               poplin::PlanningCache& cache);
void planAhead(const poplin::ConvParams& params, const poplar::OptionFlags& options,
               poplin::PlanningCache& cache);

/// "[2, 3]"
std::string shapeText(const std::vector<std::size_t>& shape);

}  // namespace popir

#endif
