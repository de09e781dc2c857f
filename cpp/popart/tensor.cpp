#include <popart/tensor.hpp>

#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/tensornames.hpp>

#include <algorithm>
#include <utility>

#include "popart/ir_calls.hpp"
#include "popart/link.hpp"

namespace popir {
namespace {

std::vector<popart::Tensor*>& touched() {
  static std::vector<popart::Tensor*> tensors;
  return tensors;
}

}  // namespace

void touch(popart::Tensor& tensor) {
  if (tensor.link().touched || !tensor.link().isInGraph) return;
  tensor.link().touched = true;
  touched().push_back(&tensor);
}

const std::vector<popart::Tensor*>& touchedTensors() { return touched(); }

void forgetTouched() {
  for (popart::Tensor* tensor : touched()) tensor->link().touched = false;
  touched().clear();
}

}  // namespace popir

namespace popart {

namespace {

/// The readers of a tensor, one for each input.
std::vector<Op*> usesOf(const Tensor& tensor) {
  if (!tensor.link().isInGraph) return {};
  return popir::irCalls().consumers(tensor);
}

}  // namespace

std::vector<Op*> Consumers::getOps() const {
  std::vector<Op*> once;
  for (Op* op : usesOf(*tensor_))
    if (std::find(once.begin(), once.end(), op) == once.end()) once.push_back(op);
  return once;
}

int Consumers::n(Op* op) const {
  const std::vector<Op*> uses = usesOf(*tensor_);
  return static_cast<int>(std::count(uses.begin(), uses.end(), op));
}

int Consumers::getTotal() const { return static_cast<int>(usesOf(*tensor_).size()); }

Tensor::Tensor(TensorId tensorId, TensorType type, Graph& graph, popir::TensorLink* link)
    : id(std::move(tensorId)), consumers(this), type_(type), graph_(&graph), link_(link) {}

Tensor::Tensor(TensorId tensorId, TensorType type, Graph& graph, const DebugContext&)
    : Tensor(std::move(tensorId), type, graph, new popir::TensorLink()) {
  link_->isInGraph = false;
}

Tensor::~Tensor() {
  if (!link_->touched) return;
  std::vector<Tensor*>& all = popir::touched();
  all.erase(std::remove(all.begin(), all.end(), this), all.end());
}

std::string Tensor::tensor_type() const { return logging::internal::text(type_); }

bool Tensor::isGraphInput() const { return graph_->hasInputId(id); }
InIndex Tensor::getGraphInputIndex() const { return graph_->getInputIndex(id); }
bool Tensor::isGraphOutput() const { return graph_->hasOutputId(id); }
OutIndex Tensor::getGraphOutputIndex() const { return graph_->getOutputIndex(id); }
bool Tensor::isAnchored() const { return getIr().isAnchored(id); }

bool Tensor::idIncludesPrefix(const std::vector<std::string>& prefixes) const {
  return std::any_of(prefixes.begin(), prefixes.end(), [this](const std::string& prefix) {
    return id.find(prefix) != std::string::npos;
  });
}

bool Tensor::isOptimizerTensor() const { return idIncludesPrefix(reservedOptimizerPrefixes()); }
bool Tensor::isAccumulatorTensor() const { return idIncludesPrefix(reservedAccumulatorPrefixes()); }
bool Tensor::isOptimizerStateTensor() const {
  // Sums of gradients are not states of the optimizer, unless they are a momentum, too.
  return idIncludesPrefix(reservedOptimizerStatePrefixes());
}
bool Tensor::isRandomSeedTensor() const { return idIncludesPrefix({reservedRandomSeedPrefix()}); }
bool Tensor::isWeightTensor() const {
  return type_ == TensorType::Variable && !isOptimizerTensor() && !isOptimizerStateTensor() &&
         !isAccumulatorTensor();
}

bool Tensor::isModified() const {
  Tensor* self = const_cast<Tensor*>(this);
  const std::vector<Op*> readers = consumers.getOps();
  return std::any_of(readers.begin(), readers.end(),
                     [self](const Op* op) { return op->modifiesTensor(self); });
}

bool Tensor::isAliased() const {
  for (const Op* op : consumers.getOps())
    for (const int in : op->input->indices(const_cast<Tensor*>(this)))
      for (const auto& out : op->output->tensorMap())
        if (op->doesAlias(in, out.first)) return true;
  return false;
}

std::set<PipelineStage> Tensor::getPipelineStages() const {
  std::set<PipelineStage> stages;
  const auto add = [&stages](const Op* op) {
    if (op != nullptr && op->hasPipelineStage()) stages.insert(op->getPipelineStage());
  };
  add(getProducerUnsafe());
  for (const Op* op : consumers.getOps()) add(op);
  return stages;
}

VGraphId Tensor::getVirtualGraphIdUnsafe() const {
  if (const Op* op = getProducerUnsafe()) {
    std::set<OpId> visited;
    for (const int out : op->output->indices(const_cast<Tensor*>(this)))
      return op->getIntrospectionOutVirtualGraphId(out, visited).first;
  }
  for (const Op* op : consumers.getOps()) {
    std::set<OpId> visited;
    for (const int in : op->input->indices(const_cast<Tensor*>(this))) {
      const VGraphId found = op->getIntrospectionInVirtualGraphId(in, visited).first;
      if (found != unusedVGraphId) return found;
    }
  }
  return unusedVGraphId;
}

VGraphId Tensor::getVirtualGraphId() const {
  const VGraphId found = getVirtualGraphIdUnsafe();
  if (found == unusedVGraphId) throw error("The tensor '{}' is on no virtual graph", id);
  return found;
}

Op* Tensor::getProducerUnsafe() const {
  return link_->isInGraph ? popir::irCalls().producer(*this) : nullptr;
}

Op* Tensor::getProducer() const {
  if (Op* op = getProducerUnsafe()) return op;
  throw error("The tensor '{}' ({}) has no producer: no operator computes it", id, type_);
}

Ir& Tensor::getIr() { return graph_->getIr(); }
const Ir& Tensor::getIr() const { return static_cast<const Graph*>(graph_)->getIr(); }

std::ostream& operator<<(std::ostream& os, const TensorType& type) {
  static const char* const names[] = {"ActGrad", "Const", "Stream", "Unknown", "Variable"};
  return os << names[static_cast<int>(type)];
}

bool Tensor::hasTensorData() const {
  if (link_->data) return true;
  if (!link_->isInGraph) return false;
  std::string bytes;
  if (!popir::irCalls().data(*this, &bytes)) return false;
  link_->data.reset(new TensorData(TensorData::fromCopyOf(bytes.data(), bytes.size())));
  return true;
}

TensorData* Tensor::tensorData() {
  return const_cast<TensorData*>(std::as_const(*this).tensorData());
}

const TensorData* Tensor::tensorData() const {
  if (hasTensorData()) return link_->data.get();
  throw error("The value of '{}' is not known when the model is compiled; it is a {}", id,
              tensor_type());
}

}  // namespace popart
