// The intermediate representation (IR): all graphs of a model. After popart/ir.hpp of PopART 3.
#ifndef popart_ir_hpp
#define popart_ir_hpp

#include <popart/dataflow.hpp>
#include <popart/inputshapeinfo.hpp>
#include <popart/names.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/scheduler_requireoptimal.hpp>
#include <popart/sessionoptions.hpp>
#include <popart/tensors.hpp>

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class DeviceInfo;
class Optimizer;

#ifdef ONNX_NAMESPACE
/// Arguments of Ir::prepare().
class IrBundle {
 public:
  IrBundle(const ONNX_NAMESPACE::ModelProto&, const InputShapeInfo&, const DataFlow&,
           const TensorId& /*loss*/, const Optimizer*, DeviceInfo&, const SessionOptions&,
           const Patterns&, const std::string& /*sessionName*/ = "") {}
};
#else
class IrBundle;
#endif

/// The main graph and properties of the model.
class Ir {
 public:
  Ir() = default;
  Ir(const Ir&) = delete;
  Ir& operator=(const Ir&) = delete;

  Graph& getMainGraph() { return *main_; }
  const Graph& getMainGraph() const { return *main_; }
  /// A tensor of the main graph.
  Tensor* getTensor(const TensorId& id) const;
  bool containsTensor(const TensorId& id) const;
  std::vector<TensorId> getTensorIds(TensorType type) const;
  Tensors& getMainGraphTensors();
  std::map<OpId, std::unique_ptr<Op>>& getMainGraphOps();
  std::vector<Op*> getAllOps() const;
  /// The operators of the main graph in the order in which they run.
  /// \throws error for constraints, which are not there
  std::vector<Op*> getOpSchedule(const OpsBeforeKey& constraints, RequireOptimalSchedule) const;
  enum class ExecutionMode { Inference, Training };
  ExecutionMode getExecutionMode() const {
    return isTraining() ? ExecutionMode::Training : ExecutionMode::Inference;
  }
  /// The options of the session that compiles the model; PopART's defaults outside of one.
  const SessionOptions& getSessionOptions() const;
  /// True if the model is compiled for training.
  bool canTrain() const { return isTraining(); }
  bool canInfer() const { return true; }
  bool isTraining() const;
  /// Patterns run twice: before the gradients are added (false) and after (true).
  bool hasConstructedBackwards() const;
  /// Always false while patterns run: optimizers are decomposed later.
  bool hasDecomposedOptimizers() const { return false; }
  /// A new tensor id for the main graph, derived from `base`. Each call returns another one.
  TensorId createIntermediateTensorId(const TensorId& base);
  /// Adds a variable of the main graph, which the model did not contain, to the initializers of
  /// models that the session saves.
  /// \throws error if there is none of that id
  void addAdditionalModelProtoTensor(const TensorId& id);
  /// The operators of the main graph with this identifier.
  std::vector<Op*> opsOfType(const OperatorIdentifier& opid) const;
  /// \throws error always: sessions compile models
  void prepare(const IrBundle& bundle);
  enum class SerialiseFormat { JSON };
  /// Writes the operators of the main graph: type, domain, version, name, attributes, inputs and
  /// outputs with their types and shapes. The order is always that of their making.
  void serialise(SerialiseFormat format, std::stringstream& ss, bool useScheduler = true) const;
  /// The opset version that the model imports for a domain; 0 if none.
  int getOpSetVersionFromModel(const std::string& domain) const;

 private:
  friend class Graph;
  Graph* main_ = nullptr;
  unsigned made_ = 0;
  mutable SessionOptions options_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
