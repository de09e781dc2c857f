// snap/Tensor.hpp: a tensor of SDK 2.x's thin layer over Poplar.
#ifndef snap_Tensor_hpp
#define snap_Tensor_hpp

#include <cstddef>
#include <poplar/Tensor.hpp>
#include <snap/Graph.hpp>
#include <vector>

namespace snap {

/// The tensor that it was made from; the graph is the one that it belongs to.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const poplar::Tensor& tensor, Graph& graph) : tensor_(tensor), graph_(&graph) {}

  poplar::Tensor& getPoplarTensor() { return tensor_; }
  const poplar::Tensor& getPoplarTensor() const { return tensor_; }
  poplar::Type elementType() const { return tensor_.elementType(); }
  std::vector<std::size_t> shape() const { return tensor_.shape(); }
  unsigned rank() const { return tensor_.rank(); }
  std::size_t numElements() const { return tensor_.numElements(); }
  Tensor flatten() const { return with(tensor_.flatten()); }
  Tensor reshape(const std::vector<std::size_t>& shape) const {
    return with(tensor_.reshape(shape));
  }
  Tensor slice(std::size_t begin, std::size_t end, unsigned dimension = 0) const {
    return with(tensor_.slice(begin, end, dimension));
  }

 private:
  Tensor with(const poplar::Tensor& tensor) const { return Tensor(tensor, *graph_); }

  poplar::Tensor tensor_;
  Graph* graph_ = nullptr;
};

}  // namespace snap

#endif
