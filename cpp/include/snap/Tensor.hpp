// A wrapper of poplar::Tensor that knows its graph. PopART used snap, a thin layer over Poplar,
// from SDK 2.3 to 3.1. After snap/Tensor.hpp of PopART 2.3 to 3.1.
#ifndef snap_Tensor_hpp
#define snap_Tensor_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <ostream>
#include <vector>

namespace snap {

class Graph;

/// Wraps a poplar::Tensor. Each function does what poplar::Tensor's function of the same name does.
/// Views belong to the same graph.
class Tensor {
 public:
  Tensor() = default;
  /// Belongs to no graph.
  Tensor(const poplar::Tensor& tensor) : tensor_(tensor) {}
  Tensor(const poplar::Tensor& tensor, Graph& graph) : tensor_(tensor), graph_(&graph) {}

  poplar::Tensor& getPoplarTensor() { return tensor_; }
  const poplar::Tensor& getPoplarTensor() const { return tensor_; }
  /// The graph that the tensor was created with, or null.
  Graph* graph() const { return graph_; }

  bool valid() const { return tensor_.valid(); }
  poplar::Type elementType() const { return tensor_.elementType(); }
  std::vector<std::size_t> shape() const { return tensor_.shape(); }
  unsigned rank() const { return tensor_.rank(); }
  std::size_t dim(unsigned d) const { return tensor_.dim(d); }
  std::size_t numElements() const { return tensor_.numElements(); }
  bool isContiguous() const { return tensor_.isContiguous(); }
  bool containsAliases() const { return tensor_.containsAliases(); }
  bool containsConstant() const { return tensor_.containsConstant(); }
  bool isParallelWriteable() const { return tensor_.isParallelWriteable(); }
  bool intersectsWith(const Tensor& other) const { return tensor_.intersectsWith(other.tensor_); }

  Tensor operator[](std::size_t i) const { return with(tensor_[i]); }
  Tensor slice(std::size_t begin, std::size_t end, unsigned dimension = 0) const {
    return with(tensor_.slice(begin, end, dimension));
  }
  Tensor slice(const poplar::Interval& region, unsigned dimension = 0) const {
    return with(tensor_.slice(region, dimension));
  }
  Tensor slice(poplar::ArrayRef<std::size_t> begin, poplar::ArrayRef<std::size_t> end) const {
    return with(tensor_.slice(begin, end));
  }
  Tensor subSample(unsigned stride, unsigned dimension) const {
    return with(tensor_.subSample(stride, dimension));
  }
  Tensor reverse(unsigned dimension) const { return with(tensor_.reverse(dimension)); }
  Tensor flatten() const { return with(tensor_.flatten()); }
  Tensor flatten(unsigned dimBegin, unsigned dimEnd) const {
    return with(tensor_.flatten(dimBegin, dimEnd));
  }
  Tensor reshape(poplar::ArrayRef<std::size_t> shape) const { return with(tensor_.reshape(shape)); }
  Tensor reshapePartial(unsigned beginIndex, unsigned endIndex,
                        poplar::ArrayRef<std::size_t> newDims) const {
    return with(tensor_.reshapePartial(beginIndex, endIndex, newDims));
  }
  Tensor dimShuffle(poplar::ArrayRef<unsigned> permutation) const {
    return with(tensor_.dimShuffle(permutation));
  }
  Tensor dimShufflePartial(poplar::ArrayRef<unsigned> source,
                           poplar::ArrayRef<unsigned> destination) const {
    return with(tensor_.dimShufflePartial(source, destination));
  }
  Tensor dimRoll(unsigned dimIdx, unsigned newIdx = 0) const {
    return with(tensor_.dimRoll(dimIdx, newIdx));
  }
  Tensor transpose() const { return with(tensor_.transpose()); }
  Tensor broadcast(unsigned N, unsigned dimension) const {
    return with(tensor_.broadcast(N, dimension));
  }
  Tensor upsample(unsigned scale, unsigned dimension,
                  poplar::UpsampleMethod method = poplar::UpsampleMethod::REPEAT) const {
    return with(tensor_.upsample(scale, dimension, method));
  }
  Tensor expand(poplar::ArrayRef<std::size_t> indices) const {
    return with(tensor_.expand(indices));
  }
  Tensor squeeze() const { return with(tensor_.squeeze()); }
  Tensor squeeze(poplar::ArrayRef<std::size_t> dims) const { return with(tensor_.squeeze(dims)); }
  Tensor reinterpret(const poplar::Type& type) const { return with(tensor_.reinterpret(type)); }

  bool operator==(const Tensor& other) const { return tensor_ == other.tensor_; }
  bool operator!=(const Tensor& other) const { return !(*this == other); }

 private:
  Tensor with(const poplar::Tensor& tensor) const {
    Tensor view(*this);
    view.tensor_ = tensor;
    return view;
  }

  poplar::Tensor tensor_;
  Graph* graph_ = nullptr;
};

/// The wrapped tensors.
inline std::vector<poplar::Tensor> getPoplarTensors(const std::vector<Tensor>& tensors) {
  std::vector<poplar::Tensor> made;
  made.reserve(tensors.size());
  for (const Tensor& tensor : tensors) made.push_back(tensor.getPoplarTensor());
  return made;
}

/// Concatenates at least one tensor. The result belongs to the graph of the first that has one.
inline Tensor concat(const std::vector<Tensor>& tensors, unsigned dimension = 0) {
  const poplar::Tensor joined = poplar::concat(getPoplarTensors(tensors), dimension);
  for (const Tensor& tensor : tensors)
    if (tensor.graph() != nullptr) return {joined, *tensor.graph()};
  return joined;
}
inline Tensor concat(const Tensor& first, const Tensor& second, unsigned dimension = 0) {
  return concat(std::vector<Tensor>{first, second}, dimension);
}

inline std::ostream& operator<<(std::ostream& os, const Tensor& tensor) {
  return os << tensor.getPoplarTensor();
}

}  // namespace snap

#endif
