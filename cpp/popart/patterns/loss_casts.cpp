// Casts of loss scalings.
#include <popart/graph.hpp>
#include <popart/op/cast.hpp>
#include <popart/op/nll.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/patterns/removeunnecessarylossgradcastpattern.hpp>
#include <popart/tensors.hpp>

namespace popart {
namespace {

const AddPatternName<RemoveUnnecessaryLossGradCast> lossGradCastName(
    "RemoveUnnecessaryLossGradCast");

}  // namespace

RemoveUnnecessaryLossGradCast::~RemoveUnnecessaryLossGradCast() = default;

bool RemoveUnnecessaryLossGradCast::matches(Op* op) const {
  if (!op->isConvertibleTo<NllGradOp>() ||
      op->inInfo(NllGradOp::getProbsInIndex()).dataType() != DataType::FLOAT16)
    return false;
  const Tensor* scaling = op->inTensor(NllGradOp::getGradInIndex());
  return scaling->info.dataType() == DataType::FLOAT16 && scaling->info.nelms() == 1 &&
         scaling->hasProducer() && scaling->getProducer()->isConvertibleTo<CastOp>();
}

bool RemoveUnnecessaryLossGradCast::apply(Op* op) const {
  const InIndex index = NllGradOp::getGradInIndex();
  Tensor* scaling = op->inTensor(index);
  Op* cast = scaling->getProducer();
  const TensorId before = cast->inId(CastOp::getInIndex());
  op->disconnectInTensor(index);
  op->connectInTensor(index, before);
  if (scaling->consumers.getTotal() > 0) return true;
  // Nothing reads what was cast. The operator stays in the graph, without tensors, as in PopART.
  const TensorId unread = scaling->id;
  cast->disconnectAllInputs();
  cast->disconnectAllOutputs();
  op->getGraph().getTensors().remove(unread);
  return true;
}

}  // namespace popart
