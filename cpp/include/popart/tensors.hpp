// The tensors of a graph, by id. After popart/tensors.hpp of PopART 3.
#ifndef popart_tensors_hpp
#define popart_tensors_hpp

#include <popart/debugcontext.hpp>
#include <popart/names.hpp>
#include <popart/scope.hpp>
#include <popart/tensor.hpp>
#include <popart/variablesettings.hpp>

#include <sstream>
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
  bool contains(TensorId id) const;
  /// Whether there is one of this id in the scope or in one around it.
  bool contains(TensorId id, const Scope& scope) const;
  /// Its whole id: that of the innermost scope that has one.
  /// \throws error if none has
  TensorId find(TensorId id, const Scope& scope) const;
  /// Removes a tensor without producer and consumers.
  void remove(const TensorId& id);
  /// Adds a tensor that an operator computes.
  void addActGrad(TensorId id, const DebugContext& = {});
  /// Adds a weight or a state. Copies its initial value, given in row-major order.
  void addVarInit(const TensorId& id, const TensorInfo& info, const void* data,
                  const DebugContext& = {});
  /// The same, of which all replicas have the same value.
  /// \throws error for settings with several groups of replicas
  void addVarInit(const TensorId& id, const TensorInfo& info, const void* data,
                  const VariableSettings& settings, const DebugContext& = {});
  /// \throws error: initial values are copied
  void addVarInitFromViewOf(const TensorId& id, const TensorInfo& info, void* data,
                            const VariableSettings& settings, const DebugContext& = {});
  /// Adds a tensor that the host sends for each batch, as the last input of the graph.
  void addStream(TensorId id, const TensorInfo& info, const DebugContext& = {});
  void addStream(TensorId id, const TensorInfo& info, const InputSettings& settings,
                 const DebugContext& = {}) {
    addStream(id, info);
    get(id)->setInputSettings(settings);
  }
  /// Adds a constant. Copies its value, given in row-major order.
  void addConstInit(const TensorId& id, const TensorInfo& info, const void* data,
                    const DebugContext& = {});
  /// Makes a tensor that no operator computes a constant. Copies its value.
  /// \throws error for one that an operator computes
  void makeConstInit(const TensorId& id, const void* data);
  std::vector<TensorId> getIds(TensorType type) const;
  std::vector<Tensor*> getOfType(TensorType type) const;
  std::vector<Tensor*> getOfType(const std::vector<TensorType>& types) const;
  std::vector<TensorId> getAllTensorIds() const;
  std::vector<Tensor*> getAll() const;
  /// Of what the host sends, constants and variables.
  std::vector<TensorId> getNoProducerIds() const;
  /// Writes the ids.
  void append(std::stringstream& ss) const;
  /// Graph::removeIsolatedTensors().
  void removeIsolated(bool retainUsedIOTensors = false, bool retainAllIOTensors = false,
                      bool retainVarTensors = false, bool retainConstTensors = false);
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
