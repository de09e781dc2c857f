#include <popart/error.hpp>
#include <popart/ir.hpp>
#include <popart/op/exchange/exchange.hpp>
#include <popart/popx/exchangebundle.hpp>

#include <set>

namespace popart {
namespace popx {

ExchangeBundle::ExchangeBundle(const Ir& ir) : ir_(ir) {
  for (const Op* op : ir.getAllOps()) {
    const auto* exchange = dynamic_cast<const ExchangeBaseOp*>(op);
    if (exchange == nullptr) continue;
    std::map<RemoteBufferId, std::set<ExchangeDirection>> directions;
    for (int i = 0; i < exchange->getNumExchanges(); ++i) {
      const ExchangeDescriptor each = exchange->getExchangeDescriptor(i);
      if (each.isRemoteExchange()) directions[each.getRemoteBufferId()].insert(each.getDirection());
    }
    for (const auto& [buffer, both] : directions) {
      bool& known = loadsAndStores_[buffer];
      known = known || both.size() > 1;
    }
  }
}

const std::string ExchangeBundle::getRemoteBufferName(RemoteBufferId id) {
  return "RB_" + std::to_string(id);
}

void ExchangeBundle::createRemoteBuffer(poplar::Graph& graph, RemoteBufferId id,
                                        const std::vector<poplar::Tensor>& tensors) {
  if (tensors.empty())
    throw error("ExchangeBundle::createRemoteBuffer: {} needs a tensor that its rows are like",
                getRemoteBufferName(id));
  if (hasRemoteBuffer(id))
    throw error("ExchangeBundle::createRemoteBuffer: there is a {} already",
                getRemoteBufferName(id));
  const auto infos = ir_.getAllRemoteBufferInfos();
  const auto info = infos.find(id);
  if (info == infos.end())
    throw error(
        "ExchangeBundle::createRemoteBuffer: the Ir does not know how many rows {} has; call "
        "Ir::setRemoteBufferInfo",
        getRemoteBufferName(id));
  const poplar::Tensor& row = tensors.front();
  buffers_.emplace(id, Buffer(graph.addRemoteBuffer(getRemoteBufferName(id), row.elementType(),
                                                    row.numElements(), info->second.repeats, true),
                              tensors));
}

const ExchangeBundle::Buffer& ExchangeBundle::getRemoteBuffer(RemoteBufferId id) const {
  const auto found = buffers_.find(id);
  if (found == buffers_.end())
    throw error("ExchangeBundle::getRemoteBuffer: {} was not created", getRemoteBufferName(id));
  return found->second;
}

bool ExchangeBundle::getRemoteBufferSeparateLoadStorePadsRequired(RemoteBufferId id) const {
  const auto found = loadsAndStores_.find(id);
  if (found == loadsAndStores_.end())
    throw error("ExchangeBundle: no operator exchanges rows of {}", getRemoteBufferName(id));
  return found->second;
}

poplar::Tensor ExchangeBundle::getStreamTensor(TensorId tid) const {
  const auto found = streams_.find(tid);
  if (found == streams_.end())
    throw error("ExchangeBundle::getStreamTensor: no tensor was set for '{}'", tid);
  return found->second;
}

}  // namespace popx
}  // namespace popart
