// popart/tensor.hpp: a value that flows through a graph.
#ifndef popart_tensor_hpp
#define popart_tensor_hpp

#include <popart/error.hpp>
#include <popart/names.hpp>
#include <popart/tensordata.hpp>
#include <popart/tensorinfo.hpp>

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popir {
class TensorLink;  // cpp/popart/link.hpp
}

namespace popart {

enum class TensorType {
  ActGrad = 0,  ///< an operator computes it
  Const,        ///< known when the model is compiled
  Stream,       ///< the host sends it
  Unknown,
  Variable,  ///< stays on the device between steps
  N
};

std::ostream& operator<<(std::ostream& os, const TensorType& type);

/// The operators that read a tensor.
class Consumers {
 public:
  explicit Consumers(const Tensor* tensor) : tensor_(tensor) {}
  Consumers(const Consumers&) = delete;
  Consumers& operator=(const Consumers&) = delete;

  /// Each operator once, in the order of their first connection.
  std::vector<Op*> getOps() const;
  /// At how many of its inputs an operator reads the tensor.
  int n(Op* op) const;
  /// The number of inputs, of all operators together.
  int getTotal() const;

 private:
  const Tensor* tensor_;
};

/// Belongs to a graph; `info` is the compiler's own.
class Tensor {
 public:
  Tensor(TensorId tensorId, TensorType type, Graph& graph, popir::TensorLink* link);
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor();

  TensorId id;
  TensorInfo info;
  Consumers consumers;

  TensorType tensorType() const { return type_; }
  /// "ActGrad", "Const", ...
  std::string tensor_type() const;
  bool hasProducer() const { return getProducerUnsafe() != nullptr; }
  /// \throws error if no operator computes the tensor.
  Op* getProducer() const;
  /// Null if no operator computes the tensor.
  Op* getProducerUnsafe() const;
  std::string str() const { return id; }

  /// Whether a value is known when the model is compiled: of a Const its value, of a Variable that
  /// which it begins with.
  bool hasTensorData() const;
  /// That value, row by row. \throws error if there is none.
  const TensorData* tensorData() const;

  Graph& getGraph() { return *graph_; }
  const Graph& getGraph() const { return *graph_; }
  Ir& getIr();
  const Ir& getIr() const;

  /// What ties the tensor to the compiler's own; for the bindings.
  popir::TensorLink& link() const { return *link_; }

 private:
  TensorType type_;
  Graph* graph_;
  std::unique_ptr<popir::TensorLink> link_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
