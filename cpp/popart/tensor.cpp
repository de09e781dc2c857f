#include <popart/tensor.hpp>

#include <popart/graph.hpp>

#include <algorithm>

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
  if (tensor.link().touched) return;
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

std::vector<Op*> Consumers::getOps() const {
  std::vector<Op*> once;
  for (Op* op : popir::irCalls().consumers(*tensor_))
    if (std::find(once.begin(), once.end(), op) == once.end()) once.push_back(op);
  return once;
}

int Consumers::n(Op* op) const {
  const std::vector<Op*> uses = popir::irCalls().consumers(*tensor_);
  return static_cast<int>(std::count(uses.begin(), uses.end(), op));
}

int Consumers::getTotal() const {
  return static_cast<int>(popir::irCalls().consumers(*tensor_).size());
}

Tensor::Tensor(TensorId tensorId, TensorType type, Graph& graph, popir::TensorLink* link)
    : id(std::move(tensorId)), consumers(this), type_(type), graph_(&graph), link_(link) {}

Tensor::~Tensor() {
  if (!link_->touched) return;
  std::vector<Tensor*>& all = popir::touched();
  all.erase(std::remove(all.begin(), all.end(), this), all.end());
}

std::string Tensor::tensor_type() const { return logging::internal::text(type_); }

Op* Tensor::getProducerUnsafe() const { return popir::irCalls().producer(*this); }

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
  std::string bytes;
  if (!popir::irCalls().data(*this, &bytes)) return false;
  link_->data.reset(new TensorData(TensorData::fromCopyOf(bytes.data(), bytes.size())));
  return true;
}

const TensorData* Tensor::tensorData() const {
  if (hasTensorData()) return link_->data.get();
  throw error("The value of '{}' is not known when the model is compiled; it is a {}", id,
              tensor_type());
}

}  // namespace popart
