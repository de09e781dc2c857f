#include "kernels/elementwise/scaled_add.hpp"

#include <popops/ScaledAdd.hpp>
#include <poputil/exceptions.hpp>

#include "poplar/bulk_vertex.hpp"
#include "poplar/library_options.hpp"

namespace popops {
namespace {

using popir::ScaledAddForm;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;

/// A scale as given to the public functions, and a number that multiplies it.
struct Factor {
  Factor(float number, double sign) : scale{number * sign, false} {}
  Factor(const Tensor& t, double sign) : scale{sign, true}, tensor(t) {}
  popir::Scale scale;
  Tensor tensor;
};

std::string described(const Tensor& t) {
  return t.elementType().toString() + " " + t.shapeToString();
}

void scaledAdd(const char* who, Graph& graph, ScaledAddForm form, const Tensor& A,
               const Factor& scaleA, const Tensor& B, const Factor& scaleB, Sequence& prog,
               const DebugContext& debugContext) {
  const auto refuse = [&](const std::string& why) {
    throw poputil::poplibs_error(std::string("popops::") + who + ": " + why);
  };
  if (A.shape() != B.shape())
    refuse("A is " + described(A) + ", B " + described(B) + "; give tensors of one shape");
  if (!popir::ScaledAddKernel::supports(A.elementType(), B.elementType()))
    refuse("A is " + described(A) + ", B " + described(B) +
           "; give one type of FLOAT, HALF, DOUBLE, 32- and 64-bit integers, or FLOAT and HALF");
  std::vector<popir::BulkOperand> operands = {{A, popir::Access::ReadWrite},
                                              {B, popir::Access::Read}};
  for (const Factor* f : {&scaleA, &scaleB}) {
    if (!f->scale.operand) continue;
    if (f->tensor.numElements() != 1 ||
        !popir::ScaledAddKernel::supportsScale(f->tensor.elementType()))
      refuse("a scale is " + described(f->tensor) +
             "; give one element of FLOAT, HALF, DOUBLE or a 32- or 64-bit integer type");
    operands.push_back({f->tensor.flatten(), popir::Access::Read});
  }
  popir::addBulkVertex(graph, prog,
                       std::make_shared<popir::ScaledAddKernel>(form, scaleA.scale, scaleB.scale),
                       std::move(operands), {debugContext, who});
}

ScaledAddForm formOf(ScaledAddSpecialisation speciality) {
  return speciality == ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY ? ScaledAddForm::MinusAx
                                                                   : ScaledAddForm::Both;
}

Factor none() { return {1.0f, 1}; }

}  // namespace

void scaledAddTo(Graph& graph, Tensor A, Tensor B, float scaleB, Sequence& prog,
                 const DebugContext& debugContext, const OptionFlags& options) {
  popir::checkLibraryOptions("popops::scaledAddTo", popir::Library::ScaledAdd, options);
  scaledAdd("scaledAddTo", graph, ScaledAddForm::Add, A, none(), B, {scaleB, 1}, prog,
            debugContext);
}

void scaledAddTo(Graph& graph, Tensor A, Tensor B, Tensor scaleB, Sequence& prog,
                 const DebugContext& debugContext, const OptionFlags& options) {
  popir::checkLibraryOptions("popops::scaledAddTo", popir::Library::ScaledAdd, options);
  scaledAdd("scaledAddTo", graph, ScaledAddForm::Add, A, none(), B, {scaleB, 1}, prog,
            debugContext);
}

void scaledSubtractFrom(Graph& graph, Tensor A, Tensor B, float scaleB, Sequence& prog,
                        const DebugContext& debugContext, const OptionFlags& options) {
  popir::checkLibraryOptions("popops::scaledSubtractFrom", popir::Library::ScaledAdd, options);
  scaledAdd("scaledSubtractFrom", graph, ScaledAddForm::Add, A, none(), B, {scaleB, -1}, prog,
            debugContext);
}

void scaledSubtractFrom(Graph& graph, Tensor A, Tensor B, Tensor scaleB, Sequence& prog,
                        const DebugContext& debugContext, const OptionFlags& options) {
  popir::checkLibraryOptions("popops::scaledSubtractFrom", popir::Library::ScaledAdd, options);
  scaledAdd("scaledSubtractFrom", graph, ScaledAddForm::Add, A, none(), B, {scaleB, -1}, prog,
            debugContext);
}

void scaledAddTo(Graph& graph, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB, Sequence& prog,
                 const DebugContext& debugContext, const OptionFlags& options) {
  scaledAddTo(graph, A, scaleA, B, scaleB, prog, ScaledAddSpecialisation::DEFAULT, debugContext,
              options);
}

void scaledAddTo(Graph& graph, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB, Sequence& prog,
                 const ScaledAddSpecialisation speciality, const DebugContext& debugContext,
                 const OptionFlags& options) {
  popir::checkLibraryOptions("popops::scaledAddTo", popir::Library::ScaledAdd, options);
  scaledAdd("scaledAddTo", graph, formOf(speciality), A, {scaleA, 1}, B, {scaleB, 1}, prog,
            debugContext);
}

void scaledAddTo(Graph& graph, Tensor A, float scaleA, Tensor B, float scaleB, Sequence& prog,
                 const DebugContext& debugContext, const OptionFlags& options) {
  scaledAddTo(graph, A, scaleA, B, scaleB, prog, ScaledAddSpecialisation::DEFAULT, debugContext,
              options);
}

void scaledAddTo(Graph& graph, Tensor A, float scaleA, Tensor B, float scaleB, Sequence& prog,
                 const ScaledAddSpecialisation speciality, const DebugContext& debugContext,
                 const OptionFlags& options) {
  popir::checkLibraryOptions("popops::scaledAddTo", popir::Library::ScaledAdd, options);
  scaledAdd("scaledAddTo", graph, formOf(speciality), A, {scaleA, 1}, B, {scaleB, 1}, prog,
            debugContext);
}

void scaledSubtractFrom(Graph& graph, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB,
                        Sequence& prog, const DebugContext& debugContext,
                        const OptionFlags& options) {
  popir::checkLibraryOptions("popops::scaledSubtractFrom", popir::Library::ScaledAdd, options);
  scaledAdd("scaledSubtractFrom", graph, ScaledAddForm::Both, A, {scaleA, 1}, B, {scaleB, -1}, prog,
            debugContext);
}

void scaledSubtractFrom(Graph& graph, Tensor A, float scaleA, Tensor B, float scaleB,
                        Sequence& prog, const DebugContext& debugContext,
                        const OptionFlags& options) {
  popir::checkLibraryOptions("popops::scaledSubtractFrom", popir::Library::ScaledAdd, options);
  scaledAdd("scaledSubtractFrom", graph, ScaledAddForm::Both, A, {scaleA, 1}, B, {scaleB, -1}, prog,
            debugContext);
}

}  // namespace popops
