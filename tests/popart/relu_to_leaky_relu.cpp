// A library of one pattern: every Relu becomes the LeakyRelu that is registered.
#include <popart/graph.hpp>
#include <popart/logging.hpp>
#include <popart/operators.hpp>
#include <popart/patterns/patterns.hpp>

class ReluToLeakyRelu : public popart::PreAliasPattern {
 public:
  bool matches(popart::Op* op) const override {
    return op->opid.domain == popart::Domain::ai_onnx && op->opid.type == "Relu";
  }

  std::vector<const popart::Tensor*> touches(popart::Op*) const override { return {}; }

  bool apply(popart::Op* op) const override {
    popart::Op* leaky = makeReplacementOpInIr(popart::Onnx::Operators::LeakyRelu_6, op);
    const popart::TensorId in = op->inId(0), out = op->outId(0);
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    op->getGraph().eraseOp(op->id);
    leaky->connectInTensor(0, in);
    leaky->connectOutTensor(0, out);
    leaky->setup();
    // What was erased is in no graph any more, but lives until apply() has returned.
    popart::logging::pattern::info("{} replaces {}", leaky->debugName(), op->debugName());
    return true;
  }
};

static popart::PatternCreator<ReluToLeakyRelu> creator("ReluToLeakyRelu");
