// popart/ir.hpp: the whole program that a graph belongs to.
#ifndef popart_ir_hpp
#define popart_ir_hpp

#include <popart/dataflow.hpp>
#include <popart/inputshapeinfo.hpp>
#include <popart/names.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/sessionoptions.hpp>
#include <popart/tensors.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class DeviceInfo;
class Optimizer;

#ifdef ONNX_NAMESPACE
/// What an Ir would be prepared from.
class IrBundle {
 public:
  IrBundle(const ONNX_NAMESPACE::ModelProto&, const InputShapeInfo&, const DataFlow&,
           const TensorId& /*loss*/, const Optimizer*, DeviceInfo&, const SessionOptions&,
           const Patterns&, const std::string& /*sessionName*/ = "") {}
};
#else
class IrBundle;
#endif

class Ir {
 public:
  Ir() = default;
  Ir(const Ir&) = delete;
  Ir& operator=(const Ir&) = delete;

  Graph& getMainGraph() { return *main_; }
  const Graph& getMainGraph() const { return *main_; }
  /// Of the main graph.
  Tensor* getTensor(const TensorId& id) const;
  bool containsTensor(const TensorId& id) const;
  std::vector<TensorId> getTensorIds(TensorType type) const;
  Tensors& getMainGraphTensors();
  std::map<OpId, std::unique_ptr<Op>>& getMainGraphOps();
  std::vector<Op*> getAllOps() const;
  /// Whether the model is compiled for training.
  bool canTrain() const { return isTraining(); }
  bool canInfer() const { return true; }
  bool isTraining() const;
  /// Patterns run before the gradients are there, and again when they are.
  bool hasConstructedBackwards() const;
  /// Never while patterns run: optimizers are added after them.
  bool hasDecomposedOptimizers() const { return false; }
  /// A name that no tensor of the main graph has, made from `base`; another one each time.
  TensorId createIntermediateTensorId(const TensorId& base);
  /// Makes a variable of the main graph an initializer of the models that a session saves, though
  /// the model that it was made from has none of that name. \throws error if there is none.
  void addAdditionalModelProtoTensor(const TensorId& id);
  /// The operators of the main graph with this identifier.
  std::vector<Op*> opsOfType(const OperatorIdentifier& opid) const;
  /// Models are prepared from Python. \throws error that says so.
  void prepare(const IrBundle& bundle);
  /// The version of a domain's operators that the model asks for; 0 where it asks for none.
  int getOpSetVersionFromModel(const std::string& domain) const;

 private:
  friend class Graph;
  Graph* main_ = nullptr;
  unsigned made_ = 0;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
