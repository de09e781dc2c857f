// Element-wise vertices as expression programs over tensors, and the fusion of two of them.
#ifndef popir_engine_passes_element_wise_hpp
#define popir_engine_passes_element_wise_hpp

#include <optional>
#include <vector>

#include "kernels/elementwise/program.hpp"
#include "poplar/bulk_vertex.hpp"

namespace popir {

/// An element-wise computation, and sums of what it computes for each channel. All tensors but the
/// sums have one shape; a broadcast input is a view with strides of 0.
struct ElementWise {
  MapProgram program;
  std::vector<poplar::Tensor> inputs, outputs;  // by number of the program's inputs and outputs
  /// For the outputs of the program that follow those: what gets their sums, [channels].
  std::vector<poplar::Tensor> sums;

  std::vector<std::size_t> shape() const {
    return outputs.empty() ? inputs.front().shape() : outputs.front().shape();
  }

  /// The output that is the same view as `t`; null if there is none.
  const poplar::Tensor* writes(const poplar::Tensor& t) const;
};

/// Nothing if the vertex is not element-wise, with sums or without.
std::optional<ElementWise> elementWiseOf(const BulkVertex& vertex);

/// Whether there is a kernel for `work`: there is for all without sums.
bool hasKernel(const ElementWise& work);

/// The vertex that computes `work`. \pre separate(work) and hasKernel(work).
BulkVertex vertexOf(ElementWise work, std::string name);

/// The fusion of `first` and `second`, where `second` reads outputs of `first`. It does not write
/// the outputs of `first` that `second` overwrites, or whose entry in `dropped` is true.
ElementWise joined(const ElementWise& first, const ElementWise& second,
                   const std::vector<bool>& dropped);

/// Appends the values of `from` to `to`. Value `inputs[k]` of `to` takes the place of input k of
/// `from`. \returns the numbers in `to` of the outputs of `from`.
std::vector<int> append(MapProgram& to, const MapProgram& from, const std::vector<int>& inputs);

/// True if both show the same elements in the same order. May be false for views that are not
/// affine.
bool sameView(const poplar::Tensor& a, const poplar::Tensor& b);

/// True if no output overlaps another output, each input is either the same view as an output or does
/// not overlap it, and no sum overlaps anything.
bool separate(const ElementWise& work);

/// The only operand that a vertex writes. Nothing if the vertex writes none or several, or also
/// reads it.
std::optional<std::size_t> writtenOperand(const BulkVertex& vertex);

}  // namespace popir

#endif
