// Operators of the compiler that move values between IPUs, tiles and stages of a pipeline.
#include <popart/graph.hpp>
#include <popart/op/iotilecopy.hpp>
#include <popart/op/ipucopy.hpp>
#include <popart/op/restore.hpp>
#include <popart/op/stash.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>
#include <popart/tensornames.hpp>

#include <algorithm>

#include "popart/op/copy_of.hpp"

namespace popart {

IpuCopyOp::~IpuCopyOp() = default;
IoTileCopyOp::~IoTileCopyOp() = default;
StashOp::~StashOp() = default;
RestoreOp::~RestoreOp() = default;
RestoreInplaceOp::~RestoreInplaceOp() = default;

std::unique_ptr<Op> IpuCopyOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> IoTileCopyOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> StashOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> RestoreOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> RestoreInplaceOp::clone() const { return copyOf(*this); }

// ---- IpuCopyOp ----

void IpuCopyOp::setup() {
  for (const auto& in : input->tensorMap())
    if (hasOutput(in.first)) outInfo(in.first) = inInfo(in.first);
}

void IpuCopyOp::connectInTensor(InIndex index, TensorId tensorId, VGraphId sourceIpu) {
  sources_[tensorId] = sourceIpu;
  Op::connectInTensor(index, tensorId);
}

void IpuCopyOp::connectInTensor(InIndex index, TensorId tensorId) {
  const VGraphId ipu = getGraph().getTensor(tensorId)->getVirtualGraphIdUnsafe();
  if (ipu == unusedVGraphId)
    throw error(
        "{}: connectInTensor('{}') has to be told the IPU that the tensor is on, as its third "
        "argument: no operator that computes or reads it has one",
        debugName(), tensorId);
  connectInTensor(index, tensorId, ipu);
}

void IpuCopyOp::disconnectInTensor(InIndex index, Tensor* tensor) {
  Op::disconnectInTensor(index, tensor);
  if (!input->contains(tensor)) sources_.erase(tensor->id);
}

SourceIpuMap IpuCopyOp::getSourceIpus() const {
  if (sourceIpu_ == unusedVGraphId) return sources_;
  SourceIpuMap found;
  for (const auto& in : input->tensorIdMap()) found[in.second] = sourceIpu_;
  return found;
}

SourceTensorMap IpuCopyOp::getSourceTensors() const {
  SourceTensorMap found;
  for (const auto& each : getSourceIpus()) found[each.second].push_back(each.first);
  return found;
}

VGraphId IpuCopyOp::getSourceIpu(const TensorId& tensorId) const {
  const SourceIpuMap all = getSourceIpus();
  const auto found = all.find(tensorId);
  if (found == all.end()) throw error("'{}' is no input of {}", tensorId, debugName());
  return found->second;
}

VGraphId IpuCopyOp::getSourceIpu() const {
  if (getMinSourceIpu() != getMaxSourceIpu())
    throw error("{}: its inputs are on several IPUs", debugName());
  return getMinSourceIpu();
}

namespace {

std::vector<VGraphId> ipusOf(const IpuCopyOp& op) {
  std::vector<VGraphId> ipus;
  for (const auto& each : op.getSourceIpus()) ipus.push_back(each.second);
  if (ipus.empty()) throw error("{} has no input", op.debugName());
  return ipus;
}

}  // namespace

VGraphId IpuCopyOp::getMinSourceIpu() const {
  const std::vector<VGraphId> ipus = ipusOf(*this);
  return *std::min_element(ipus.begin(), ipus.end());
}

VGraphId IpuCopyOp::getMaxSourceIpu() const {
  const std::vector<VGraphId> ipus = ipusOf(*this);
  return *std::max_element(ipus.begin(), ipus.end());
}

std::string IpuCopyOp::getFromToStr() const {
  std::string from;
  for (const auto& each : getSourceTensors())
    from += (from.empty() ? "[" : ", ") + std::to_string(each.first);
  return from + "] --> [" + std::to_string(destIpu_) + "]";
}

bool IpuCopyOp::copiesOptimizerTensors() const {
  for (const auto& in : input->tensorMap())
    if (in.second->isOptimizerTensor()) return true;
  return false;
}

void IpuCopyOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("ipus", getFromToStr());
}

VGraphIdAndTileSet IpuCopyOp::getIntrospectionInVirtualGraphId(InIndex index,
                                                               std::set<OpId>&) const {
  return {hasInput(index) ? getSourceIpu(inId(index)) : unusedVGraphId, settings.tileSet};
}

VGraphIdAndTileSet IpuCopyOp::getIntrospectionOutVirtualGraphId(OutIndex, std::set<OpId>&) const {
  return {destIpu_, settings.tileSet};
}

// ---- IoTileCopyOp ----

VGraphIdAndTileSet IoTileCopyOp::getIntrospectionInVirtualGraphId(InIndex index,
                                                                  std::set<OpId>& visited) const {
  auto found = Op::getIntrospectionInVirtualGraphId(index, visited);
  found.second = settings.tileSet == TileSet::IO ? TileSet::Compute : TileSet::IO;
  return found;
}

// ---- StashOp and RestoreOp ----

void StashOp::setup() {
  const TensorInfo& in = inInfo(getInIndex());
  Shape shape = in.shape();
  shape.insert(shape.begin(), stashSize_);
  outInfo(getOutIndex()) = {in.dataType(), shape};
}

TensorId StashOp::getStashedTensorId() const {
  return reservedStashedPrefix() + inId(getInIndex());
}

void StashOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("stashSize", stashSize_);
}

void RestoreOp::setup() {
  const TensorInfo& stash = inInfo(getStashInIndex());
  outInfo(getRestoredActOutIndex()) = {stash.dataType(),
                                       Shape(stash.shape().begin() + 1, stash.shape().end())};
}

TensorId RestoreOp::getRestoredTensorId() const {
  const TensorId stash = inId(getStashInIndex());
  const std::string prefix = reservedStashedPrefix();
  return reservedRestoredPrefix() +
         (stash.compare(0, prefix.size(), prefix) == 0 ? stash.substr(prefix.size()) : stash);
}

void RestoreOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("stashSize", stashSize_);
}

view::Regions RestoreInplaceOp::aliases(InIndex in, OutIndex) const {
  if (in != getActToRestoreInIndex()) return {};
  return {view::Region::getFull(inShape(in), view::AccessType::Write)};
}

}  // namespace popart
