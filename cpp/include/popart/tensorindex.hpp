// The inputs or outputs of an operator, by index. After popart/tensorindex.hpp of PopART 3.
#ifndef popart_tensorindex_hpp
#define popart_tensorindex_hpp

#include <popart/names.hpp>

#include <map>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Tensors by id.
struct PTensorCmp {
  bool operator()(const Tensor* a, const Tensor* b) const;
};

/// A read-only map from index to tensor. To change connections, call the operator's
/// connectInTensor(), disconnectInTensor() etc., which also update producers and consumers.
class TensorIndexMap {
 public:
  TensorIndexMap() = default;
  /// `what` ("input" or "output") and the operator appear in error messages.
  TensorIndexMap(const char* what, const Op* op) : what_(what), op_(op) {}

  bool hasIndex(int index) const { return tensors_.count(index) != 0; }
  bool contains(Tensor* tensor) const { return !indices(tensor).empty(); }
  /// \throws error if nothing is connected at the index
  Tensor* tensor(int index);
  const Tensor* tensor(int index) const;
  TensorId id(int index) const;
  /// All indices of a tensor.
  std::vector<int> indices(Tensor* tensor) const;
  /// The indices of all tensors, by their ids.
  std::map<Tensor*, std::vector<int>, PTensorCmp> indicesMap() const;
  const std::map<int, Tensor*>& tensorMap() const { return tensors_; }
  std::map<int, TensorId> tensorIdMap() const;
  std::vector<Tensor*> tensors() const;
  int n() const { return static_cast<int>(tensors_.size()); }
  /// The least and the greatest index, -1 if there is none.
  int minIndex() const { return tensors_.empty() ? -1 : tensors_.begin()->first; }
  int maxIndex() const { return tensors_.empty() ? -1 : tensors_.rbegin()->first; }

  // For the compiler, and for operators beside a graph: these update the map after a connection has
  // changed.
  void insert(int index, Tensor* tensor) { tensors_[index] = tensor; }
  void reset(int index, Tensor* tensor) { insert(index, tensor); }
  void erase(int index) { tensors_.erase(index); }
  void clear() { tensors_.clear(); }

 private:
  Tensor* at(int index) const;

  std::map<int, Tensor*> tensors_;
  const char* what_ = "tensor";
  const Op* op_ = nullptr;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
