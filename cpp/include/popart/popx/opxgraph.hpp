// The graph and the tensors of an Opx that speaks of Poplar's and of snap's. popir's own.
#ifndef popart_popx_opxgraph_hpp
#define popart_popx_opxgraph_hpp

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <snap/Graph.hpp>
#include <snap/Tensor.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// A Poplar graph that is snap's too: in SDK 2.2 an Opx had a graph of snap's and tensors of
/// Poplar's, from SDK 2.3 to 3.1 both of snap's, before and after that both of Poplar's.
class OpxGraph : public poplar::Graph {
 public:
  /// The same graph as `graph`.
  explicit OpxGraph(poplar::Graph& graph);

  poplar::Graph& getPoplarGraph() { return *this; }
  const poplar::Graph& getPoplarGraph() const { return *this; }
  operator snap::Graph&() { return snap_; }

  using poplar::Graph::clone;
  snap::Tensor clone(
      const snap::Tensor& tensor, const poplar::DebugContext& context = {},
      poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES) {
    return snap_.clone(tensor, context, method);
  }

 private:
  snap::Graph snap_;
};

/// A Poplar tensor that is snap's too.
class OpxTensor : public poplar::Tensor {
 public:
  OpxTensor(const poplar::Tensor& tensor, OpxGraph& graph)
      : poplar::Tensor(tensor), graph_(&graph) {}

  poplar::Tensor& getPoplarTensor() { return *this; }
  const poplar::Tensor& getPoplarTensor() const { return *this; }
  operator snap::Tensor() const { return {*this, *graph_}; }
  // Another tensor of the same graph.
  OpxTensor& operator=(const poplar::Tensor& tensor) {
    poplar::Tensor::operator=(tensor);
    return *this;
  }
  OpxTensor& operator=(const snap::Tensor& tensor) { return *this = tensor.getPoplarTensor(); }

  // Views, which are of both too.
  OpxTensor flatten() const { return {poplar::Tensor::flatten(), *graph_}; }
  OpxTensor flatten(unsigned dimBegin, unsigned dimEnd) const {
    return {poplar::Tensor::flatten(dimBegin, dimEnd), *graph_};
  }
  OpxTensor reshape(poplar::ArrayRef<std::size_t> shape) const {
    return {poplar::Tensor::reshape(shape), *graph_};
  }

 private:
  OpxGraph* graph_;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
