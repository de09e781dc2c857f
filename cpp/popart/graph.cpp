#include <popart/graph.hpp>

#include <popart/hostside.hpp>
#include <popart/ir.hpp>

#include "popart/ir_calls.hpp"
#include "popart/link.hpp"

namespace popart {

using popir::irCalls;

Tensor* Tensors::get(const TensorId& id) const {
  Tensor* tensor = irCalls().tensor(graph_, id);
  if (tensor == nullptr) throw error("The graph '{}' has no tensor '{}'", graph_.id, id);
  popir::touch(*tensor);
  return tensor;
}

bool Tensors::contains(const TensorId& id) const { return irCalls().tensor(graph_, id) != nullptr; }

void Tensors::remove(const TensorId& id) { irCalls().removeTensor(graph_, id); }

void Tensors::addActGrad(const TensorId& id) { irCalls().addActGrad(graph_, id); }

std::vector<TensorId> Tensors::getAllTensorIds() const { return irCalls().tensorIds(graph_); }

std::vector<Tensor*> Tensors::getAll() const {
  std::vector<Tensor*> all;
  for (const TensorId& id : getAllTensorIds()) all.push_back(get(id));
  return all;
}

void TopoCons::insert(Op* before, Op* after) { irCalls().addConstraint(graph_, *before, *after); }

TensorId Ir::createIntermediateTensorId(const TensorId& base) {
  return irCalls().uniqueId(*main_, base + "__t" + std::to_string(made_++));
}

std::vector<Op*> Ir::opsOfType(const OperatorIdentifier& opid) const {
  std::vector<Op*> ops;
  for (OpId id : main_->getOpIds()) {
    Op* op = main_->getOp(id);
    if (op->opid == opid) ops.push_back(op);
  }
  return ops;
}

void Ir::prepare(const IrBundle&) { hostside::refuse("Ir::prepare"); }

int Ir::getOpSetVersionFromModel(const std::string& domain) const {
  return irCalls().opsetVersion(*main_, domain);
}

Graph::Graph(Ir& ir, const GraphId& graphId, popir::GraphLink* link)
    : id(graphId), topoCons(new TopoCons(*this)), ir_(ir), tensors_(*this), link_(link) {
  if (ir_.main_ == nullptr) ir_.main_ = this;
}

Graph::~Graph() = default;

Op* Graph::getOp(OpId opId) const {
  if (Op* op = irCalls().op(const_cast<Graph&>(*this), opId)) return op;
  throw error("The graph '{}' has no operator {}", id, opId);
}

std::vector<OpId> Graph::getOpIds() const { return irCalls().opIds(const_cast<Graph&>(*this)); }

OpId Graph::moveIntoGraph(std::unique_ptr<Op> op) {
  return irCalls().moveIntoGraph(*this, std::move(op));
}

void Graph::eraseOp(OpId opId) { irCalls().eraseOp(*this, opId); }

void Graph::connect(Op* op, const std::map<InIndex, TensorId>& in,
                    const std::map<OutIndex, TensorId>& out) {
  for (const auto& input : in) op->connectInTensor(input.first, input.second);
  for (const auto& output : out) {
    Tensor* tensor = irCalls().tensor(*this, output.second);
    if (tensor == nullptr) {
      op->createAndConnectOutTensor(output.first, output.second);
      continue;
    }
    if (Op* producer = tensor->getProducerUnsafe()) producer->disconnectOutTensor(tensor);
    op->connectOutTensor(output.first, output.second);
  }
  op->setup();
}

}  // namespace popart
