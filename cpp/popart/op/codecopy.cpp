// Copies of the code of graphs.
#include <popart/ir.hpp>
#include <popart/op/exchange/codecopy.hpp>
#include <popart/opserialiser.hpp>

#include <limits>

#include "popart/op/copy_of.hpp"

namespace popart {
namespace {

const char* nameOf(CodeMemoryType type) {
  return type == CodeMemoryType::Buffer ? "Buffer" : "ExecutableMemory";
}
const char* nameOf(TileSet tiles) { return tiles == TileSet::IO ? "IO" : "Compute"; }

}  // namespace

RemoteCodeLoadOp::RemoteCodeLoadOp(const OperatorIdentifier& opid, const GraphId& gid,
                                   const CodeMemoryType destinationType,
                                   const Op::Settings& settings_)
    : ExchangeBaseOp(opid, settings_), graph_(gid), destination_(destinationType) {
  if (!settings_.graph.get().getIr().hasGraph(gid))
    throw error("{}: there is no graph '{}' whose code it could load", debugName(), gid.str());
  settings.schedulePriority = std::numeric_limits<double>::lowest();
}

RemoteCodeLoadOp::~RemoteCodeLoadOp() = default;

std::unique_ptr<Op> RemoteCodeLoadOp::clone() const { return copyOf(*this); }

void RemoteCodeLoadOp::setup() {
  if (destination_ != CodeMemoryType::ExecutableMemory || settings.tileSet != TileSet::Compute)
    throw error(
        "{}: code goes to ExecutableMemory of Compute tiles; the destination is {} of {} tiles",
        debugName(), nameOf(destination_), nameOf(settings.tileSet));
}

ExchangeDescriptor RemoteCodeLoadOp::getExchangeDescriptor(int index) const {
  if (index != 0) throw error("{} has one exchange, no number {}", debugName(), index);
  return ExchangeDescriptor(ExchangeDirection::Load, graph_, settings.tileSet, destination_);
}

void RemoteCodeLoadOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ExchangeBaseOp::appendOutlineAttributes(os);
  os.appendAttribute("gid", graph_.str());
  os.appendAttribute("destinationType", nameOf(destination_));
}

InternalCodeCopyOp::InternalCodeCopyOp(const OperatorIdentifier& opid, const GraphId& gid,
                                       const TileSet source, const CodeMemoryType sourceType,
                                       const CodeMemoryType destinationType,
                                       const Op::Settings& settings_)
    : Op(opid, settings_),
      graph_(gid),
      source_(source),
      sourceType_(sourceType),
      destination_(destinationType) {}

InternalCodeCopyOp::~InternalCodeCopyOp() = default;

std::unique_ptr<Op> InternalCodeCopyOp::clone() const { return copyOf(*this); }

void InternalCodeCopyOp::setup() {
  throw error("{}: copies of code within a device are not there, nor are they in PopART",
              debugName());
}

void InternalCodeCopyOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("gid", graph_.str());
  os.appendAttribute("source", nameOf(source_));
  os.appendAttribute("sourceType", nameOf(sourceType_));
  os.appendAttribute("destinationType", nameOf(destination_));
}

}  // namespace popart
