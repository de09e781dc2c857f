// popart/graph.hpp: operators and the tensors between them.
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

/// A view of the compiler's graph: it is asked, and nothing is kept here but the operators' and
/// tensors' C++ sides.
class Graph {
 public:
  Graph(Ir& ir, const GraphId& graphId, popir::GraphLink* link);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  const GraphId id;
  /// Orders among operators beyond those that tensors make.
  const std::unique_ptr<TopoCons> topoCons;

  Ir& getIr() { return ir_; }
  const Ir& getIr() const { return ir_; }
  Tensors& getTensors() { return tensors_; }
  const Tensors& getTensors() const { return tensors_; }
  /// \throws error if there is none of that name.
  Tensor* getTensor(const TensorId& tensorId) { return tensors_.get(tensorId); }
  /// In no particular order of execution. \throws error if there is none of that id.
  Op* getOp(OpId opId) const;
  std::vector<OpId> getOpIds() const;
  /// All operators, by id, as they are now; the map is filled anew by each call. It owns none of
  /// them, and may not be changed.
  std::map<OpId, std::unique_ptr<Op>>& getOps();
  const std::string& getGraphId() const { return id; }
  /// Lets all that reads one tensor read another one.
  void replaceTensor(const TensorId& oldId, const TensorId& newId);

  /// The graph takes the operator and gives it an id.
  OpId moveIntoGraph(std::unique_ptr<Op> op);
  /// The operator must be disconnected. It lives on, in no graph, until the call from the compiler
  /// that this runs in has returned.
  void eraseOp(OpId opId);

  /// Makes an OP from `args` and takes it.
  template <typename OP, typename... Args>
  OP* createOp(Args&&... args) {
    std::unique_ptr<OP> made(new OP(std::forward<Args>(args)...));
    OP* op = made.get();
    moveIntoGraph(std::move(made));
    return op;
  }
  /// Makes an OP, connects it and sets up its outputs. An output that exists is taken over from the
  /// operator that computed it.
  template <typename OP, typename... Args>
  OP* createConnectedOp(const std::map<InIndex, TensorId>& in,
                        const std::map<OutIndex, TensorId>& out, Args&&... args) {
    OP* op = createOp<OP>(std::forward<Args>(args)...);
    connect(op, in, out);
    return op;
  }

  /// What ties the graph to the compiler's own; for the bindings.
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
