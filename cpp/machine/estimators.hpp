// The registry of estimators: for each class of vertices, how tiles share its work and what a
// tile's part costs. Planner, report and tests ask the same functions. All cycles are tile cycles.
//
// Kernel::work() names a class and the sizes of the whole vertex. The formulas are those of
// PopLibs' own estimators as far as these are published; where a row of estimators_*.cpp stands for
// something else, it says so. The type is that of the first operand read.
//
// Class                               sizes
//   popops::UnaryOp1D                 {elements, op}   op: row of popops/ExprOp.hpp, counted over
//   the popops::BinaryOp1D                {elements, op}   unary, binary and ternary rows; a number
//   popops::BroadcastScalar1D         {elements, op}   beyond them is a cast
//   popops::BroadcastVectorInner      {elements, op, columns}   an operand is one row of that
//   length popops::BroadcastVectorOuter      {elements, op, columns}   ... one column, repeated
//   that often popops::Select, popops::Clamp     {elements} popops::Cast1D {elements, kind of the
//   source's Type, kind of the result's}
//       each of these also with "InPlace" after it
//   popops::MapExpr                   {elements, tensors read, tensors written, other inputs, and
//   for
//                                     each operator: op, how often}: a generated codelet
//   popops::ScaledAdd, aXPlusbY       {elements}
//   popops::Fill                      {elements}
//   popops::MultiSlice, MultiUpdate, MultiUpdateAdd   {slices, elements of each}
//   popops::Transpose                 {matrices, rows, columns of each}
//   popops::Reduce                    {elements read, elements written, run}
//       run: neighbouring elements read that go into one element, so the product of the reduced
//       dimensions after the last kept one, else 1
//   popnn::Softmax, LogSoftmax, SoftmaxGrad, LogSoftmaxGrad   {rows, columns}
//   popnn::MaxPooling, SumPooling, MaxPoolingGradient
//                                     {elements of the pooling's output, elements of a window}
//   popnn::Nll, NllGrad, NllSoftmaxGrad   {samples, classes}
//   popnn::LossSumSquaredTransform, LossCrossEntropyTransform   {samples, classes}
//   popnn::ReduceMaxClassGather, ReduceMinClassGather   {rows, columns}
//   poprand::Uniform, LogUniform, Bernoulli, Normal, TruncatedNormal, Dropout   {elements}
//   poplin::ConvPartial1x1Out, ConvPartialnx1, ConvPartialVerticalMac
//                                     {groups, rows, inner, columns, kernel elements,
//                                      bits of a partial sum (32), available memory in permille,
//                                      1 for weights loaded 128 bits at a time
//                                      (0)}
//       a contraction [groups, rows, inner] x [groups, inner, columns] for each kernel element. Of
//       a convolution: rows = batch * output points, inner = input channels of a group, columns =
//       output channels of a group; a gradient is a convolution of its own. After these, where it
//       is no product of matrices: {1 forward, 2 gradient of the data, 3 of the weights; batch;
//       and for each field dimension: input, output, kernel, stride, dilation, input dilation,
//       padding below}
//   poplar::Copy                      {bytes}          from a tile's memory to the same tile's
#ifndef popir_machine_estimators_hpp
#define popir_machine_estimators_hpp

#include <cstdint>
#include <poplar/Type.hpp>
#include <string>
#include <vector>

#include "machine/target_spec.hpp"

namespace popir {

/// A vertex, or a tile's part of one.
struct VertexWork {
  poplar::Type type;
  std::vector<std::uint64_t> sizes;

  std::uint64_t size(std::size_t i, std::uint64_t otherwise = 1) const {
    return i < sizes.size() ? sizes[i] : otherwise;
  }
};

/// How the tiles that hold what a vertex writes first share its work.
enum class Sharing {
  /// The first size in proportion to the elements held; the other sizes describe each unit.
  Proportional,
  /// Two stages: every tile reduces what it holds of the input, and sends partial results to the
  /// tiles of the output, which reduce them.
  Reduction,
  /// As planned: machine/planner.hpp.
  Planned,
};

struct VertexClass {
  const char* name;
  Sharing sharing;
  std::uint64_t (*cycles)(const TargetSpec&, const VertexWork&);
  /// Bulk-synchronous phases that the library takes for it, a second stage of a reduction apart.
  unsigned phases = 1;
};

/// The class of that name, or null.
__attribute__((visibility("default"))) const VertexClass* findVertexClass(const std::string& name);
/// In alphabetical order.
__attribute__((visibility("default"))) std::vector<std::string> vertexClassNames();

/// Cycles of one tile. \throws poplar::poplar_error for a class that has no estimator.
__attribute__((visibility("default"))) std::uint64_t estimateCycles(const TargetSpec& spec,
                                                                    const std::string& vertexClass,
                                                                    const VertexWork& work);

/// Whether PopLibs' fast vertices transpose so many matrices of the type, by sizes, strides and
/// repeats that the target has instructions for.
bool transposesFast(const TargetSpec& spec, poplar::Type type, std::uint64_t rows,
                    std::uint64_t columns, std::uint64_t matrices);

/// What a vertex without an estimator is taken for: one pass of six workers over all bytes that its
/// operands have on the tile, a data path's width at a time.
std::uint64_t cyclesByBytes(const TargetSpec& spec, std::uint64_t bytes);

}  // namespace popir

#endif
