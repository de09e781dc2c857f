// Takes gradients of element-wise operators with one input apart. After popart/patterns/elementwisegradoppattern.hpp of PopART 3.
#ifndef popart_patterns_elementwisegradoppattern_hpp
#define popart_patterns_elementwisegradoppattern_hpp

#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/mul.hpp>
#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The gradient GRADOP becomes the product of the gradient of the result and the operator DOP of the
/// input.
template <class GRADOP, class DOP>
class ElementWiseGradOpPattern : public PreAliasPattern {
 public:
  bool matches(Op* op) const override { return op->isConvertibleTo<GRADOP>(); }
  std::vector<const Tensor*> touches(Op*) const override { return {}; }
  bool apply(Op* op) const override {
    const TensorId gradient = op->inId(GRADOP::getGradInIndex());
    const TensorId x = op->inId(GRADOP::getFwdArgInIndex());
    const TensorId out = op->outId(GRADOP::getOutIndex());
    Ir& ir = op->getIr();
    Op* derivative = makeReplacementOpInIr(DOP::getOpId(ir), op);
    Op* product = makeReplacementOpInIr(MulOp::getOpId(ir), op);
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    op->getGraph().eraseOp(op->id);
    derivative->connectInTensor(DOP::getInIndex(), x);
    derivative->createAndConnectOutTensor(DOP::getOutIndex(),
                                          ir.createIntermediateTensorId(gradient));
    derivative->setup();
    product->connectInTensor(MulOp::getArg0InIndex(), gradient);
    product->connectInTensor(MulOp::getArg1InIndex(), derivative->outId(DOP::getOutIndex()));
    product->connectOutTensor(MulOp::getOutIndex(), out);
    product->setup();
    return true;
  }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
