// Makes operators with a given shape of those that take it from a tensor. After
// popart/patterns/likeopspattern.hpp of PopART 3.
#ifndef popart_patterns_likeopspattern_hpp
#define popart_patterns_likeopspattern_hpp

#include <popart/graph.hpp>
#include <popart/op.hpp>
#include <popart/patterns/pattern.hpp>

#include <memory>
#include <vector>

namespace popart {

/// What `LIKE::foldInputTensor` gives, in place of an operator of the class LIKE.
template <class LIKE>
class LikeOpsPattern : public PreAliasPattern {
 public:
  bool matches(Op* op) const final { return op->isConvertibleTo<LIKE>(); }
  std::vector<const Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    Graph& graph = op->getGraph();
    const TensorId out = op->outId(LIKE::getOutIndex());
    std::unique_ptr<Op> folded = dynamic_cast<const LIKE*>(op)->foldInputTensor(
        Op::Settings(graph, getReplacementOpName(op, "")));
    transferBaseProperties(op, folded.get());
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    graph.eraseOp(op->id);
    Op* made = folded.get();
    graph.moveIntoGraph(std::move(folded));
    made->connectOutTensor(LIKE::getOutIndex(), out);
    made->setup();
    return true;
  }
};

}  // namespace popart

#endif
