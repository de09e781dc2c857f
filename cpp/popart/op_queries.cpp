// Queries of patterns about operators: kind, placement, neighbours.
#include <popart/graph.hpp>
#include <popart/op.hpp>
#include <popart/op/elementwise.hpp>
#include <popart/opserialiser.hpp>
#include <popart/patterns/pattern.hpp>
#include <popart/tensor.hpp>

#include <algorithm>
#include <sstream>
#include <utility>

namespace popart {

namespace {

Op::Settings placed(Op::Settings settings, const VGraphIdAndTileSet& place) {
  settings.vgraphId.reset();
  if (place.first != unusedVGraphId) settings.vgraphId = place.first;
  settings.tileSet = place.second;
  return settings;
}

/// A tensor, and those that show elements of it or that it shows elements of, through any number of
/// views.
std::set<Tensor*> shownWith(Tensor* tensor) {
  std::set<Tensor*> shown{tensor};
  for (std::vector<Tensor*> next{tensor}; !next.empty();) {
    Tensor* current = next.back();
    next.pop_back();
    const auto visit = [&](const Op& op) {
      for (const auto& in : op.input->tensorMap())
        for (const auto& out : op.output->tensorMap()) {
          if ((in.second != current && out.second != current) || !op.doesAlias(in.first, out.first))
            continue;
          Tensor* other = in.second == current ? out.second : in.second;
          if (shown.insert(other).second) next.push_back(other);
        }
    };
    if (const Op* producer = current->getProducerUnsafe()) visit(*producer);
    for (const Op* reader : current->consumers.getOps()) visit(*reader);
  }
  return shown;
}

}  // namespace

bool Op::modifies() const {
  for (const auto& in : input->tensorMap())
    if (modifiesIndex(in.first)) return true;
  return false;
}

bool Op::doesAlias() const {
  for (const auto& in : input->tensorMap())
    for (const auto& out : output->tensorMap())
      if (doesAlias(in.first, out.first)) return true;
  return false;
}

bool Op::modifiesTensor(Tensor* tensor) const {
  for (const int index : input->indices(tensor))
    if (modifiesIndex(index)) return true;
  return false;
}

bool Op::overwritesTensor(Tensor* tensor) const {
  if (!modifiesTensor(tensor)) return false;
  for (const int index : input->indices(tensor)) {
    view::Regions unread;
    for (const view::Region& region : modifies(index))
      if (region.getAccessType() == view::AccessType::Write) unread.push_back(region);
    for (const view::Region& region : uses(index))
      if (view::nonEmptyRegion(region.sub(unread))) return false;
  }
  return true;
}

int Op::getNonGradInIndex(int gradOpOutIndex) const {
  const auto& outputs = gradOutToNonGradIn();
  const auto found = outputs.find(gradOpOutIndex);
  if (found != outputs.end()) return found->second;
  throw error("{}: gradOutToNonGradIn() has nothing for output {}", debugName(), gradOpOutIndex);
}

void Op::appendMore(OpSerialiserBase& os) const {
  os.appendAttribute("schedulePriority", static_cast<float>(settings.schedulePriority));
}

bool Op::isElementWiseUnary() const { return isConvertibleTo<ElementWiseUnaryOp>(); }

bool Op::isExcludedFromPattern(const Pattern* pattern) const {
  return settings.excludePatterns.count(pattern->getPatternName()) != 0;
}

namespace {

class Words : public OpSerialiserBase {
 public:
  std::ostringstream os;

 private:
  void appendStrAttr(const std::string& name, const std::string& value) override {
    os << ' ' << name << '=' << value;
  }
};

void appendInfos(std::ostream& os, const TensorIndexMap& tensors) {
  for (const auto& t : tensors.tensorMap()) os << ' ' << t.first << ' ' << t.second->info;
}

}  // namespace

std::string Op::getSubgraphEquivId() const {
  Words words;
  words.os << opid;
  appendOutlineAttributes(words);
  words.os << " of";
  appendInfos(words.os, *input);
  words.os << " to";
  appendInfos(words.os, *output);
  return words.os.str();
}

int64_t Op::memOfOutputs() const {
  int64_t bytes = 0;
  for (const auto& out : output->tensorMap()) bytes += out.second->info.nbytes();
  return bytes;
}

Shape Op::prettyNpOut(const Shape& a, const Shape& b) const { return npOut(a, b, debugName()); }

TensorInfo Op::prettyNpOut(const TensorInfo& a, const TensorInfo& b, bool checkDataType) const {
  return npOut(a, b, checkDataType, debugName());
}

namespace {

template <class Optional>
auto said(const Op& op, const Optional& value, const char* what) -> decltype(*value) {
  if (!value) throw error("{} has no {}", op.debugName(), what);
  return *value;
}

}  // namespace

VGraphId Op::getVirtualGraphId() const { return said(*this, settings.vgraphId, "virtual graph"); }

PipelineStage Op::getPipelineStage() const {
  return said(*this, settings.pipelineStage, "pipeline stage");
}

ExecutionPhase Op::getExecutionPhase() const {
  return said(*this, settings.executionPhase, "execution phase");
}

BatchSerializedPhase Op::getBatchSerializedPhase() const {
  return said(*this, settings.batchSerializedPhase, "batch serialized phase");
}

namespace {

int firstIndex(const Op& op, const TensorIndexMap& tensors, Tensor* tensor, const char* what) {
  const std::vector<int> found = tensors.indices(tensor);
  if (found.empty()) throw error("'{}' is no {} of {}", tensor->id, what, op.debugName());
  return found.front();
}

}  // namespace

InIndex Op::inIndex(Tensor* tensor) const { return firstIndex(*this, *input, tensor, "input"); }

OutIndex Op::outIndex(Tensor* tensor) const { return firstIndex(*this, *output, tensor, "output"); }

void Op::disconnectInTensor(InIndex index, Tensor* tensor) {
  if (inTensor(index) != tensor)
    throw error("{} has '{}' at input {}, not '{}'", debugName(), inId(index), index, tensor->id);
  disconnectInTensor(index);
}

bool Op::isParentOf(const Op* other) const {
  for (const auto& out : output->tensorMap())
    if (other->input->contains(out.second)) return true;
  return false;
}

Op* Op::getPrecedingOp(InIndex index) { return inTensor(index)->getProducer(); }

Op* Op::getFollowingOp(OutIndex index) {
  const std::vector<Op*> readers = getFollowingOps(index);
  if (readers.size() == 1) return readers.front();
  throw error("{}: output {} has {} readers; expected one", debugName(), index, readers.size());
}

std::vector<Op*> Op::getFollowingOps(OutIndex index) {
  return outTensor(index)->consumers.getOps();
}

VGraphIdAndTileSet Op::getIntrospectionInVirtualGraphId(InIndex index) const {
  std::set<OpId> visited;
  return getIntrospectionInVirtualGraphId(index, visited);
}

VGraphIdAndTileSet Op::getIntrospectionOutVirtualGraphId(OutIndex index) const {
  std::set<OpId> visited;
  return getIntrospectionOutVirtualGraphId(index, visited);
}

VGraphIdAndTileSet Op::getIntrospectionInVirtualGraphId(InIndex, std::set<OpId>&) const {
  return {hasVirtualGraphId() ? getVirtualGraphId() : unusedVGraphId, settings.tileSet};
}

VGraphIdAndTileSet Op::getIntrospectionOutVirtualGraphId(OutIndex, std::set<OpId>&) const {
  return {hasVirtualGraphId() ? getVirtualGraphId() : unusedVGraphId, settings.tileSet};
}

Op::Settings Op::adjustInSettings(InIndex index, Settings given) const {
  return placed(std::move(given), getIntrospectionInVirtualGraphId(index));
}

Op::Settings Op::adjustOutSettings(OutIndex index, Settings given) const {
  return placed(std::move(given), getIntrospectionOutVirtualGraphId(index));
}

// ---- What shows the same elements ----

bool Op::inputUnmodifiable(InIndex in) const {
  const std::set<Tensor*> shown = shownWith(input->tensor(in));
  return std::any_of(shown.begin(), shown.end(),
                     [](const Tensor* tensor) { return tensor->isUnmodifiable(); });
}

bool Op::inputsUnmodifiable() const {
  for (const auto& in : input->tensorMap())
    if (inputUnmodifiable(in.first)) return true;
  return false;
}

bool Op::hasAliasedModifiers(OutIndex out) const {
  const std::set<Tensor*> shown = shownWith(output->tensor(out));
  return std::any_of(shown.begin(), shown.end(),
                     [](const Tensor* tensor) { return tensor->isModified(); });
}

bool Tensor::anyAlias(std::function<bool(Tensor*)> predicate) const {
  const std::set<Tensor*> shown = shownWith(const_cast<Tensor*>(this));
  return std::any_of(shown.begin(), shown.end(), predicate);
}

std::set<Op*, POpCmp> Tensor::getInplaceModifiers() const {
  std::set<Op*, POpCmp> writers;
  for (const Tensor* tensor : shownWith(const_cast<Tensor*>(this)))
    for (Op* reader : tensor->consumers.getOps())
      if (reader->modifies()) writers.insert(reader);
  return writers;
}

bool Op::consumesGraphOutput() const {
  for (const auto& in : input->tensorMap())
    if (getGraph().hasOutputId(in.second->id)) return true;
  return false;
}

bool Op::producesGraphOutput() const {
  for (const auto& out : output->tensorMap())
    if (getGraph().hasOutputId(out.second->id)) return true;
  return false;
}

// ---- For finding what repeats, and for a split over IPUs ----

std::map<fwtools::subgraph::InIndex, SubgraphInSig> Op::getSubgraphInputs() const {
  std::map<fwtools::subgraph::InIndex, SubgraphInSig> inputs;
  for (const auto& [index, tensor] : input->tensorMap()) {
    Op* producer = tensor->getProducerUnsafe();
    inputs[index] =
        SubgraphInSig(producer, producer == nullptr ? -1 : producer->outIndex(tensor), tensor->id);
  }
  return inputs;
}

std::map<fwtools::subgraph::OutIndex, OpSet> Op::getSubgraphOutputs() const {
  std::map<fwtools::subgraph::OutIndex, OpSet> outputs;
  for (const auto& [index, tensor] : output->tensorMap()) {
    const std::vector<Op*> readers = tensor->consumers.getOps();
    outputs[index] = OpSet(readers.begin(), readers.end());
  }
  return outputs;
}

float Op::calcAutoVirtualGraphCost(std::set<int>& inputsSeen) {
  std::set<int> outputsSeen;
  int64_t bytes = 0;
  for (const auto& grad : getGradOps())
    for (const GradInOutMapper& read : grad->gradInputInfo()) {
      if (read.type == GradOpInType::In && inputsSeen.insert(read.iNonGrad).second)
        bytes += inInfo(read.iNonGrad).nbytes();
      if (read.type == GradOpInType::Out && outputsSeen.insert(read.iNonGrad).second)
        bytes += outInfo(read.iNonGrad).nbytes();
    }
  return static_cast<float>(bytes);
}

}  // namespace popart
