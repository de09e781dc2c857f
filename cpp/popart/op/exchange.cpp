// Exchanges with the host and with streaming memory.
#include <popart/op/exchange/hostcopy.hpp>
#include <popart/op/exchange/multiexchange.hpp>
#include <popart/op/exchange/remote.hpp>
#include <popart/opserialiser.hpp>

#include <string>

#include "popart/op/copy_of.hpp"

namespace popart {

ExchangeBaseOp::~ExchangeBaseOp() = default;
HostBaseOp::~HostBaseOp() = default;
HostLoadOp::~HostLoadOp() = default;
HostLoadInplaceOp::~HostLoadInplaceOp() = default;
HostStoreOp::~HostStoreOp() = default;
RemoteBaseOp::~RemoteBaseOp() = default;
RemoteLoadOp::~RemoteLoadOp() = default;
RemoteLoadInplaceOp::~RemoteLoadInplaceOp() = default;
RemoteStoreOp::~RemoteStoreOp() = default;
MultiExchangeOp::~MultiExchangeOp() = default;

std::unique_ptr<Op> HostLoadOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> HostLoadInplaceOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> HostStoreOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> RemoteLoadOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> RemoteLoadInplaceOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> RemoteStoreOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> MultiExchangeOp::clone() const { return copyOf(*this); }

HostLoadInplaceOp::HostLoadInplaceOp(const HostLoadOp& op)
    : HostLoadOp({"ai.graphcore", "HostLoadInplace", 1}, op.settings, op.getHostStreamTensorId()) {}
RemoteLoadInplaceOp::RemoteLoadInplaceOp(const RemoteLoadOp& op)
    : RemoteLoadOp({"ai.graphcore", "RemoteLoadInplace", 1}, op.settings, op.getRemoteBufferId()) {}

std::unique_ptr<Op> RemoteLoadOp::getInplaceVariant(const OperatorIdentifier& id) const {
  if (id == OperatorIdentifier{"ai.graphcore", "RemoteLoadInplace", 1})
    return std::make_unique<RemoteLoadInplaceOp>(*this);
  return Op::getInplaceVariant(id);
}

// ---- Descriptors ----

std::ostream& operator<<(std::ostream& os, const ExchangeDirection& direction) {
  return os << (direction == ExchangeDirection::Load ? "Load" : "Store");
}

const std::string ExchangeDescriptor::getResourceId() const {
  if (isCodeCopy()) return (*graph_).str();
  return isHostExchange() ? stream_ : std::to_string(buffer_);
}

std::ostream& operator<<(std::ostream& os, const ExchangeDescriptor& descriptor) {
  const char* const what = descriptor.isHostExchange() ? "Host"
                           : descriptor.isCodeCopy()   ? "Code"
                                                       : "Remote";
  return os << what << descriptor.getDirection() << (descriptor.isInplace() ? "Inplace" : "") << "("
            << descriptor.getResourceId() << ")";
}

namespace {

/// The exchange of an input or output, and the place in it.
std::pair<int, int> placeOf(const ExchangeBaseOp& op, int index, bool inputs) {
  int begin = 0;
  for (int i = 0; i < op.getNumExchanges(); ++i) {
    const ExchangeDescriptor each = op.getExchangeDescriptor(i);
    const int n = inputs ? each.getNumInputs() : each.getNumOutputs();
    if (index >= begin && index < begin + n) return {i, index - begin};
    begin += n;
  }
  throw error("{}: no exchange has {} {}", op.debugName(), inputs ? "input" : "output", index);
}

std::vector<int> indicesOf(const ExchangeBaseOp& op, int exchange, bool inputs) {
  std::vector<int> found;
  int begin = 0;
  for (int i = 0; i <= exchange; ++i) {
    const ExchangeDescriptor each = op.getExchangeDescriptor(i);
    const int n = inputs ? each.getNumInputs() : each.getNumOutputs();
    for (int k = 0; i == exchange && k < n; ++k) found.push_back(begin + k);
    begin += n;
  }
  return found;
}

void requireFirst(const Op& op, int index) {
  if (index != 0) throw error("{} has one exchange, no number {}", op.debugName(), index);
}

}  // namespace

std::pair<int, int> ExchangeBaseOp::inIndexToDescriptorIndex(InIndex index) const {
  return placeOf(*this, index, true);
}
std::pair<int, int> ExchangeBaseOp::outIndexToDescriptorIndex(OutIndex index) const {
  return placeOf(*this, index, false);
}
std::vector<InIndex> ExchangeBaseOp::descriptorIndexToInIndices(int index) const {
  return indicesOf(*this, index, true);
}
std::vector<OutIndex> ExchangeBaseOp::descriptorIndexToOutIndices(int index) const {
  return indicesOf(*this, index, false);
}

// ---- One exchange ----

void HostBaseOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ExchangeBaseOp::appendOutlineAttributes(os);
  os.appendAttribute("hostStreamTensorId", stream_);
}

void RemoteBaseOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ExchangeBaseOp::appendOutlineAttributes(os);
  os.appendAttribute("remoteBufferId", static_cast<int64_t>(buffer_));
}

namespace {

template <class OP, class Resource>
ExchangeDescriptor descriptorOf(const OP& op, int index, ExchangeDirection direction,
                                const Resource& resource, bool inplace) {
  requireFirst(op, index);
  return ExchangeDescriptor(direction, resource, op.settings.vgraphId, op.settings.tileSet,
                            op.input->n(), op.output->n(), inplace);
}

/// All of an input, which nothing reads before it is written.
view::Regions written(const Op& op, InIndex in) {
  return {view::Region::getFull(op.inShape(in), view::AccessType::Write)};
}

}  // namespace

ExchangeDescriptor HostLoadOp::getExchangeDescriptor(int index) const {
  return descriptorOf(*this, index, ExchangeDirection::Load, getHostStreamTensorId(), false);
}
ExchangeDescriptor HostLoadInplaceOp::getExchangeDescriptor(int index) const {
  return descriptorOf(*this, index, ExchangeDirection::Load, getHostStreamTensorId(), true);
}
ExchangeDescriptor HostStoreOp::getExchangeDescriptor(int index) const {
  return descriptorOf(*this, index, ExchangeDirection::Store, getHostStreamTensorId(), false);
}
ExchangeDescriptor RemoteLoadOp::getExchangeDescriptor(int index) const {
  return descriptorOf(*this, index, ExchangeDirection::Load, getRemoteBufferId(), false);
}
ExchangeDescriptor RemoteLoadInplaceOp::getExchangeDescriptor(int index) const {
  return descriptorOf(*this, index, ExchangeDirection::Load, getRemoteBufferId(), true);
}
ExchangeDescriptor RemoteStoreOp::getExchangeDescriptor(int index) const {
  return descriptorOf(*this, index, ExchangeDirection::Store, getRemoteBufferId(), false);
}

view::Regions HostLoadInplaceOp::modifies(InIndex index) const { return aliases(index, 0); }
view::Regions HostLoadInplaceOp::aliases(InIndex in, OutIndex) const { return written(*this, in); }
view::Regions RemoteLoadInplaceOp::aliases(InIndex in, OutIndex) const {
  return in == getLocalTensorInIndex() ? written(*this, in) : view::Regions{};
}

// ---- Several exchanges ----

void MultiExchangeOp::setup() {
  for (int i = 0; i < getNumExchanges(); ++i)
    for (const OutIndex out : descriptorIndexToOutIndices(i))
      outInfo(out) = inInfo(descriptorIndexToInIndices(i).front());
}

ExchangeDescriptor MultiExchangeOp::getExchangeDescriptor(int index) const {
  if (index < 0 || index >= getNumExchanges())
    throw error("{} has {} exchanges, no number {}", debugName(), getNumExchanges(), index);
  return descriptors_[static_cast<std::size_t>(index)];
}

int MultiExchangeOp::numLoads() const { return getNumExchanges() - numStores(); }

int MultiExchangeOp::numStores() const {
  int stores = 0;
  for (const ExchangeDescriptor& each : descriptors_)
    stores += each.getDirection() == ExchangeDirection::Store;
  return stores;
}

view::Regions MultiExchangeOp::modifies(InIndex index) const {
  const auto [exchange, place] = inIndexToDescriptorIndex(index);
  const ExchangeDescriptor& each = descriptors_[static_cast<std::size_t>(exchange)];
  return each.isInplace() && place == 0 ? written(*this, index) : view::Regions{};
}

view::Regions MultiExchangeOp::aliases(InIndex in, OutIndex out) const {
  return inIndexToDescriptorIndex(in).first == outIndexToDescriptorIndex(out).first
             ? modifies(in)
             : view::Regions{};
}

ReplicatedTensorShardingIndices MultiExchangeOp::getReplicatedTensorShardingIndices() const {
  ReplicatedTensorShardingIndices groups;
  InIndex in = 0;
  OutIndex out = 0;
  for (const ExchangeDescriptor& each : descriptors_) {
    std::set<OutIndex> loaded;
    if (each.getNumOutputs() > 0) loaded.insert(out);
    groups.insert({{in}, loaded});
    in += each.getNumInputs();
    out += each.getNumOutputs();
  }
  return groups;
}

void MultiExchangeOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ExchangeBaseOp::appendOutlineAttributes(os);
  for (std::size_t i = 0; i < descriptors_.size(); ++i) {
    const std::string name = "exchange" + std::to_string(i);
    os.appendAttribute(name, logging::format("{}", descriptors_[i]));
    os.appendAttribute(name + "Inputs", static_cast<int64_t>(descriptors_[i].getNumInputs()));
  }
}

namespace {

VGraphIdAndTileSet placeOf(const Op& op, const ExchangeDescriptor& each) {
  if (each.getVGraphID()) return {*each.getVGraphID(), each.getTileSet()};
  return {op.hasVirtualGraphId() ? op.getVirtualGraphId() : unusedVGraphId, each.getTileSet()};
}

}  // namespace

VGraphIdAndTileSet MultiExchangeOp::getIntrospectionInVirtualGraphId(InIndex index,
                                                                     std::set<OpId>&) const {
  return placeOf(*this, getExchangeDescriptor(inIndexToDescriptorIndex(index).first));
}

VGraphIdAndTileSet MultiExchangeOp::getIntrospectionOutVirtualGraphId(OutIndex index,
                                                                      std::set<OpId>&) const {
  return placeOf(*this, getExchangeDescriptor(outIndexToDescriptorIndex(index).first));
}

}  // namespace popart
