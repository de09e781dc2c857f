// What reports say of plans.
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poputil/exceptions.hpp>

#include <ostream>

#include "poplar/library_options.hpp"

namespace poplin {
namespace {

void writeShape(std::ostream& out, const std::vector<std::size_t>& shape) {
  out << '[';
  for (std::size_t i = 0; i < shape.size(); ++i) out << (i == 0 ? "" : ", ") << shape[i];
  out << ']';
}

void writeProduct(std::ostream& out, const char* who, const poplar::Type& inputType,
                  const poplar::Type& outputType, const std::vector<std::size_t>& a,
                  const std::vector<std::size_t>& b, const poplar::OptionFlags& options,
                  std::size_t rank) {
  popir::checkLibraryOptions(who, popir::Library::MatMul, options);
  if (a.size() != rank || b.size() != rank || a[rank - 1] != b[rank - 2] ||
      (rank == 3 && a[0] != b[0]))
    throw poputil::poplibs_error(std::string(who) + ": the shapes make no product");
  const std::size_t groups = rank == 3 ? a[0] : 1;
  out << "Matrix product of " << inputType << ' ';
  writeShape(out, a);
  out << " x ";
  writeShape(out, b);
  out << " as " << outputType << '\n'
      << "  multiplications: " << groups * a[rank - 2] * a[rank - 1] * b[rank - 1] << '\n'
      << "  partition: none, the product is one operation\n";
}

void writeConvolution(std::ostream& out, const char* pass, const ConvParams& params) {
  std::size_t products = params.getBatchSize() * params.getNumConvGroups() *
                         params.getNumOutputChansPerConvGroup() *
                         params.getNumInputChansPerConvGroup();
  for (const std::size_t size : params.getOutputFieldShape()) products *= size;
  for (const std::size_t size : params.kernelShape) products *= size;
  out << pass << " of " << params << '\n'
      << "  multiplications: " << products << '\n'
      << "  partition: none, the convolution is one operation\n";
}

}  // namespace

void matMulReportPlan(std::ostream& out, const poplar::Graph&, const poplar::Type& inputType,
                      const poplar::Type& outputType, const std::vector<std::size_t>& aShape,
                      const std::vector<std::size_t>& bShape, const poplar::OptionFlags& options,
                      PlanningCache*) {
  writeProduct(out, "poplin::matMulReportPlan", inputType, outputType, aShape, bShape, options, 2);
}

void matMulGroupedReportPlan(std::ostream& out, const poplar::Graph&, const poplar::Type& inputType,
                             const poplar::Type& outputType, const std::vector<std::size_t>& aShape,
                             const std::vector<std::size_t>& bShape,
                             const poplar::OptionFlags& options, PlanningCache*) {
  writeProduct(out, "poplin::matMulGroupedReportPlan", inputType, outputType, aShape, bShape,
               options, 3);
}

void reportPlanInfo(std::ostream& out, const poplar::Graph&, const ConvParams& params,
                    const poplar::OptionFlags& options, PlanningCache*) {
  popir::checkLibraryOptions("poplin::reportPlanInfo", popir::Library::Convolution, options);
  params.validate();
  writeConvolution(out, "Convolution", params);
}

void reportWeightUpdatePlanInfo(std::ostream& out, const poplar::Graph&,
                                const ConvParams& fwdParams, const poplar::OptionFlags& fwdOptions,
                                PlanningCache*) {
  popir::checkLibraryOptions("poplin::reportWeightUpdatePlanInfo", popir::Library::Convolution,
                             fwdOptions);
  fwdParams.validate();
  writeConvolution(out, "Weight update", fwdParams);
}

}  // namespace poplin
