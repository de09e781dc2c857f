// A wrapper of poplar::Graph for snap's tensors (see snap/Tensor.hpp).
// After snap/Graph.hpp of PopART 2.3 to 3.1.
#ifndef snap_Graph_hpp
#define snap_Graph_hpp

#include <poplar/Graph.hpp>
#include <snap/Tensor.hpp>

#include <utility>

namespace snap {

/// Wraps a poplar::Graph. Each function does what poplar::Graph's function of the same name does.
class Graph {
 public:
  explicit Graph(poplar::Graph& graph) : graph_(&graph) {}

  poplar::Graph& getPoplarGraph() { return *graph_; }
  const poplar::Graph& getPoplarGraph() const { return *graph_; }
  const poplar::Target& getTarget() const { return graph_->getTarget(); }

  Tensor addVariable(const poplar::Type& type, poplar::ArrayRef<std::size_t> shape,
                     const poplar::DebugContext& debugContext = {}) {
    return {graph_->addVariable(type, shape, debugContext), *this};
  }
  Tensor addVariable(const poplar::Type& type, poplar::ArrayRef<std::size_t> shape,
                     poplar::VariableMappingMethod method,
                     const poplar::DebugContext& debugContext = {}) {
    return {graph_->addVariable(type, shape, method, debugContext), *this};
  }
  /// `values` as for poplar::Graph::addConstant: a value, a pointer or a vector.
  template <class T>
  Tensor addConstant(const poplar::Type& type, poplar::ArrayRef<std::size_t> shape, T&& values,
                     const poplar::DebugContext& debugContext = {}) {
    return {graph_->addConstant(type, shape, std::forward<T>(values), debugContext), *this};
  }
  Tensor clone(
      const Tensor& tensor, const poplar::DebugContext& debugContext = {},
      poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES) {
    return {graph_->clone(tensor.getPoplarTensor(), debugContext, method), *this};
  }
  Tensor clone(
      const poplar::Type& type, const Tensor& tensor, const poplar::DebugContext& debugContext = {},
      poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES) {
    return {graph_->clone(type, tensor.getPoplarTensor(), debugContext, method), *this};
  }

 private:
  poplar::Graph* graph_;
};

}  // namespace snap

#endif
