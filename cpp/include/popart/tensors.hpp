// popart/tensors.hpp: the tensors of a graph, by id.
#ifndef popart_tensors_hpp
#define popart_tensors_hpp

#include <popart/names.hpp>
#include <popart/tensor.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Tensors {
 public:
  explicit Tensors(Graph& graph) : graph_(graph) {}

  /// \throws error if there is none of that name.
  Tensor* get(const TensorId& id) const;
  bool contains(const TensorId& id) const;
  /// The tensor must have neither producer nor consumers.
  void remove(const TensorId& id);
  void addActGrad(const TensorId& id);
  /// A weight or a state, with a copy of its initial value, row by row.
  void addVarInit(const TensorId& id, const TensorInfo& info, const void* data);
  /// A constant, with a copy of its value, row by row.
  void addConstInit(const TensorId& id, const TensorInfo& info, const void* data);
  std::vector<TensorId> getIds(TensorType type) const;
  std::vector<Tensor*> getOfType(TensorType type) const;
  std::vector<Tensor*> getOfType(const std::vector<TensorType>& types) const;
  std::vector<TensorId> getAllTensorIds() const;
  std::vector<Tensor*> getAll() const;
  std::size_t n() const { return getAllTensorIds().size(); }

 private:
  Graph& graph_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
