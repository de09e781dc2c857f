// Graphs of operators and tensors. After popart/graph.hpp of PopART 3.
#ifndef popart_graph_hpp
#define popart_graph_hpp

#include <popart/names.hpp>
#include <popart/op.hpp>
#include <popart/tensor.hpp>
#include <popart/tensors.hpp>
#include <popart/topocons.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popir {
class GraphLink;  // cpp/popart/link.hpp
}

namespace popart {

/// A view of the compiler's graph. The compiler owns the graph; this class only holds the C++
/// objects of its operators and tensors.
class Graph {
 public:
  Graph(Ir& ir, const GraphId& graphId, popir::GraphLink* link);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  const GraphId id;
  /// Ordering constraints in addition to data dependencies.
  const std::unique_ptr<TopoCons> topoCons;

  Ir& getIr() { return ir_; }
  const Ir& getIr() const { return ir_; }
  Tensors& getTensors() { return tensors_; }
  const Tensors& getTensors() const { return tensors_; }
  /// \throws error for an unknown id
  Tensor* getTensor(const TensorId& tensorId) { return tensors_.get(tensorId); }
  /// \throws error for an unknown id
  Op* getOp(OpId opId) const;
  std::vector<OpId> getOpIds() const;
  /// All operators, by id. Each call refills the map. Do not modify it: it does not own the
  /// operators.
  std::map<OpId, std::unique_ptr<Op>>& getOps();
  const std::string& getGraphId() const { return id; }
  /// Makes all consumers of `oldId` read `newId` instead.
  void replaceTensor(const TensorId& oldId, const TensorId& newId);

  /// Adds an operator to the graph, which takes ownership and assigns an id.
  OpId moveIntoGraph(std::unique_ptr<Op> op);
  /// Removes a disconnected operator. The object stays valid until the current call from the
  /// compiler (of a pattern, say) returns.
  void eraseOp(OpId opId);

  /// Creates an OP from `args` and adds it.
  template <typename OP, typename... Args>
  OP* createOp(Args&&... args) {
    std::unique_ptr<OP> made(new OP(std::forward<Args>(args)...));
    OP* op = made.get();
    moveIntoGraph(std::move(made));
    return op;
  }
  /// Creates an OP, connects it and calls its setup(). An existing output tensor is disconnected
  /// from its producer first.
  template <typename OP, typename... Args>
  OP* createConnectedOp(const std::map<InIndex, TensorId>& in,
                        const std::map<OutIndex, TensorId>& out, Args&&... args) {
    OP* op = createOp<OP>(std::forward<Args>(args)...);
    connect(op, in, out);
    return op;
  }

  /// For popir itself: the link to the compiler's graph.
  popir::GraphLink& link() const { return *link_; }

 private:
  void connect(Op* op, const std::map<InIndex, TensorId>& in,
               const std::map<OutIndex, TensorId>& out);

  void forgetOps();

  Ir& ir_;
  Tensors tensors_;
  std::map<OpId, std::unique_ptr<Op>> ops_;
  std::unique_ptr<popir::GraphLink> link_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
