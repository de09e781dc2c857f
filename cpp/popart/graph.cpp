#include <popart/graph.hpp>
#include <popart/logging.hpp>
#include <popart/opserialiser.hpp>

#include <popart/ir.hpp>

#include <algorithm>

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

void Tensors::addVarInit(const TensorId& id, const TensorInfo& info, const void* data) {
  irCalls().addInit(graph_, "addVarInit", id, info, data);
}

void Tensors::addConstInit(const TensorId& id, const TensorInfo& info, const void* data) {
  irCalls().addInit(graph_, "addConstInit", id, info, data);
}

std::vector<Tensor*> Tensors::getOfType(const std::vector<TensorType>& types) const {
  std::vector<Tensor*> found;
  for (Tensor* tensor : getAll())
    if (std::find(types.begin(), types.end(), tensor->tensorType()) != types.end())
      found.push_back(tensor);
  return found;
}

std::vector<Tensor*> Tensors::getOfType(TensorType type) const {
  return getOfType(std::vector<TensorType>{type});
}

std::vector<TensorId> Tensors::getIds(TensorType type) const {
  std::vector<TensorId> ids;
  for (const Tensor* tensor : getOfType(type)) ids.push_back(tensor->id);
  return ids;
}

void TopoCons::insert(Op* before, Op* after) { irCalls().addConstraint(graph_, *before, *after); }

void TopoCons::remove(Op* before, Op* after) {
  irCalls().removeConstraint(graph_, *before, *after);
}

void TopoCons::remove(Op* op) {
  for (Op* before : getBefores(op)) remove(before, op);
  for (Op* after : getAfters(op)) remove(op, after);
}

bool TopoCons::contains(Op* before, Op* after) const {
  const std::vector<Op*> befores = getBefores(after);
  return std::find(befores.begin(), befores.end(), before) != befores.end();
}

bool TopoCons::hasConstraint(Op* op) const {
  return !getBefores(op).empty() || !getAfters(op).empty();
}

std::vector<Op*> TopoCons::getBefores(Op* after) const {
  return irCalls().constraints(graph_, *after, true);
}

std::vector<Op*> TopoCons::getAfters(Op* before) const {
  return irCalls().constraints(graph_, *before, false);
}

void TopoCons::transfer(Op* from, Op* to, bool removeOld) {
  for (Op* before : getBefores(from)) insert(before, to);
  for (Op* after : getAfters(from)) insert(to, after);
  if (removeOld) remove(from);
}

void Ir::addAdditionalModelProtoTensor(const TensorId& id) { irCalls().saveVariable(*main_, id); }

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

Tensor* Ir::getTensor(const TensorId& id) const { return main_->getTensor(id); }

bool Ir::containsTensor(const TensorId& id) const { return main_->getTensors().contains(id); }

std::vector<TensorId> Ir::getTensorIds(TensorType type) const {
  return main_->getTensors().getIds(type);
}

Tensors& Ir::getMainGraphTensors() { return main_->getTensors(); }

std::map<OpId, std::unique_ptr<Op>>& Ir::getMainGraphOps() { return main_->getOps(); }

std::vector<Op*> Ir::getAllOps() const {
  std::vector<Op*> ops;
  for (OpId id : main_->getOpIds()) ops.push_back(main_->getOp(id));
  return ops;
}

bool Ir::isTraining() const { return irCalls().isTraining(*main_); }

const SessionOptions& Ir::getSessionOptions() const {
  irCalls().sessionOptions(*main_, options_);
  return options_;
}

std::vector<Op*> Ir::getOpSchedule(const OpsBeforeKey& constraints, RequireOptimalSchedule) const {
  if (!constraints.empty())
    throw error(
        "Ir::getOpSchedule: {} operators have constraints; the schedule is that of the session, "
        "without others",
        constraints.size());
  return irCalls().schedule(*main_);
}

bool POpCmp::operator()(const Op* a, const Op* b) const { return a->id < b->id; }

bool Ir::hasConstructedBackwards() const { return irCalls().hasGradients(*main_); }

void Ir::prepare(const IrBundle&) {
  throw error(
      "popart::Ir::prepare: popir compiles models in sessions alone. Create a "
      "popart::InferenceSession or a popart::TrainingSession, and look at its getIr()");
}

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// Writes the attributes as members of an object.
class JsonAttributes : public OpSerialiserBase {
 public:
  explicit JsonAttributes(std::ostream& os) : os_(os) {}

 private:
  void appendStrAttr(const std::string& name, const std::string& value) override {
    os_ << (first_ ? "" : ",") << quoted(name) << ":" << quoted(value);
    first_ = false;
  }
  std::ostream& os_;
  bool first_ = true;
};

void writeTensors(std::ostream& os, const std::map<int, Tensor*>& tensors) {
  bool first = true;
  for (const auto& each : tensors) {
    const TensorInfo& info = each.second->info;
    os << (first ? "" : ",") << "{\"name\":" << quoted(each.second->id)
       << ",\"index\":" << each.first << ",\"type\":" << quoted(info.data_type_lcase())
       << ",\"shape\":" << logging::format("{}", info.shape()) << "}";
    first = false;
  }
}

}  // namespace

void Ir::serialise(SerialiseFormat, std::stringstream& ss, bool) const {
  ss << "{\"maingraph\":[";
  bool first = true;
  for (OpId id : main_->getOpIds()) {
    const Op& op = *main_->getOp(id);
    ss << (first ? "" : ",") << "{\"type\":" << quoted(op.opid.type)
       << ",\"domain\":" << quoted(op.opid.domain) << ",\"version\":" << op.opid.version
       << ",\"name\":" << quoted(op.name()) << ",\"attributes\":{";
    JsonAttributes attributes(ss);
    op.appendAttributes(attributes);
    ss << "},\"inputs\":[";
    writeTensors(ss, op.input->tensorMap());
    ss << "],\"outputs\":[";
    writeTensors(ss, op.output->tensorMap());
    ss << "]}";
    first = false;
  }
  ss << "]}";
}

int Ir::getOpSetVersionFromModel(const std::string& domain) const {
  return irCalls().opsetVersion(*main_, domain);
}

Graph::Graph(Ir& ir, const GraphId& graphId, popir::GraphLink* link)
    : id(graphId), topoCons(new TopoCons(*this)), ir_(ir), tensors_(*this), link_(link) {
  if (ir_.main_ == nullptr) ir_.main_ = this;
}

Graph::~Graph() { forgetOps(); }

void Graph::forgetOps() {
  for (auto& op : ops_) static_cast<void>(op.second.release());
  ops_.clear();
}

std::map<OpId, std::unique_ptr<Op>>& Graph::getOps() {
  forgetOps();
  for (OpId opId : getOpIds()) ops_[opId].reset(getOp(opId));
  return ops_;
}

void Graph::replaceTensor(const TensorId& oldId, const TensorId& newId) {
  Tensor* old = getTensor(oldId);
  for (Op* op : old->consumers.getOps())
    for (const int index : op->input->indices(old)) {
      op->disconnectInTensor(index);
      op->connectInTensor(index, newId);
    }
}

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
