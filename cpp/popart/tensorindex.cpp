#include <popart/tensorindex.hpp>

#include <popart/op.hpp>
#include <popart/tensor.hpp>

#include "popart/link.hpp"

namespace popart {

Tensor* TensorIndexMap::at(int index) const {
  const auto found = tensors_.find(index);
  if (found != tensors_.end()) return found->second;
  throw error("{} has no {} {}", op_ == nullptr ? "The operator" : op_->debugName(), what_, index);
}

Tensor* TensorIndexMap::tensor(int index) {
  Tensor* tensor = at(index);
  popir::touch(*tensor);
  return tensor;
}

const Tensor* TensorIndexMap::tensor(int index) const { return at(index); }

TensorId TensorIndexMap::id(int index) const { return at(index)->id; }

std::vector<int> TensorIndexMap::indices(Tensor* tensor) const {
  std::vector<int> found;
  for (const auto& t : tensors_)
    if (t.second == tensor) found.push_back(t.first);
  return found;
}

bool PTensorCmp::operator()(const Tensor* a, const Tensor* b) const { return a->id < b->id; }

std::map<Tensor*, std::vector<int>, PTensorCmp> TensorIndexMap::indicesMap() const {
  std::map<Tensor*, std::vector<int>, PTensorCmp> found;
  for (const auto& t : tensors_) found[t.second].push_back(t.first);
  return found;
}

std::map<int, TensorId> TensorIndexMap::tensorIdMap() const {
  std::map<int, TensorId> ids;
  for (const auto& t : tensors_) ids[t.first] = t.second->id;
  return ids;
}

std::vector<Tensor*> TensorIndexMap::tensors() const {
  std::vector<Tensor*> all;
  for (const auto& t : tensors_) {
    popir::touch(*t.second);
    all.push_back(t.second);
  }
  return all;
}

}  // namespace popart
