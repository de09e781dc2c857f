// Element-wise vertices as programs over tensors, and two of them joined.
#ifndef popir_poplar_element_wise_hpp
#define popir_poplar_element_wise_hpp

#include <optional>
#include <vector>

#include "kernels/expression/program.hpp"
#include "poplar/bulk_vertex.hpp"

namespace popir {

/// All tensors have one shape, that of what is written; what is broadcast is so in its view.
struct ElementWise {
  MapProgram program;
  std::vector<poplar::Tensor> inputs, outputs;  // by number of the program's inputs and outputs

  const poplar::Tensor* writes(const poplar::Tensor& t) const;
};

/// Nothing if the vertex is not element-wise.
std::optional<ElementWise> elementWiseOf(const BulkVertex& vertex);

/// The vertex that does it. \pre no operand overlaps another that is written, unless both are the
/// same view.
BulkVertex vertexOf(ElementWise work, std::string name);

/// `first`, then `second`, which reads what `first` writes; without the outputs of `first` that
/// `second` overwrites or that `dropped` says.
ElementWise joined(const ElementWise& first, const ElementWise& second,
                   const std::vector<bool>& dropped);

/// Appends the values of `from` to `to`, where `inputs[k]` is the value that its input k is. Gives
/// the values that are its outputs.
std::vector<int> append(MapProgram& to, const MapProgram& from, const std::vector<int>& inputs);

/// True if both are the same elements in the same order.
bool sameView(const poplar::Tensor& a, const poplar::Tensor& b);

/// True if nothing that is written overlaps another operand that is not the same view.
bool separate(const ElementWise& work);

}  // namespace popir

#endif
