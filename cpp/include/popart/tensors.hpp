// The tensors of a graph, by id. After popart/tensors.hpp of PopART 3.
#ifndef popart_tensors_hpp
#define popart_tensors_hpp

#include <popart/debugcontext.hpp>
#include <popart/names.hpp>
#include <popart/tensor.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The tensors of a graph.
class Tensors {
 public:
  explicit Tensors(Graph& graph) : graph_(graph) {}

  /// \throws error for an unknown id
  Tensor* get(const TensorId& id) const;
  bool contains(const TensorId& id) const;
  /// Removes a tensor without producer and consumers.
  void remove(const TensorId& id);
  /// Adds a tensor that an operator computes.
  void addActGrad(const TensorId& id);
  /// Adds a weight or a state. Copies its initial value, given in row-major order.
  void addVarInit(const TensorId& id, const TensorInfo& info, const void* data,
                  const DebugContext& = {});
  /// Adds a tensor that the host sends for each batch, as the last input of the graph.
  void addStream(const TensorId& id, const TensorInfo& info, const DebugContext& = {});
  void addStream(const TensorId& id, const TensorInfo& info, const InputSettings& settings,
                 const DebugContext& = {}) {
    addStream(id, info);
    get(id)->setInputSettings(settings);
  }
  /// Adds a constant. Copies its value, given in row-major order.
  void addConstInit(const TensorId& id, const TensorInfo& info, const void* data,
                    const DebugContext& = {});
  std::vector<TensorId> getIds(TensorType type) const;
  std::vector<Tensor*> getOfType(TensorType type) const;
  std::vector<Tensor*> getOfType(const std::vector<TensorType>& types) const;
  std::vector<TensorId> getAllTensorIds() const;
  std::vector<Tensor*> getAll() const;
  /// As in SDK 1, where aliases were kept: the compiler asks an operator's aliases() when it needs to
  /// know.
  void updateAliases(Op*) {}
  std::size_t n() const { return getAllTensorIds().size(); }

 private:
  Graph& graph_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
