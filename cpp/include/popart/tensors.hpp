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
  std::vector<TensorId> getAllTensorIds() const;
  std::vector<Tensor*> getAll() const;
  std::size_t n() const { return getAllTensorIds().size(); }

 private:
  Graph& graph_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
