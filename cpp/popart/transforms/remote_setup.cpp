// What the remote buffers of a graph hold.
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/exchange/exchange.hpp>
#include <popart/op/exchange/remotebase.hpp>
#include <popart/op/loop.hpp>
#include <popart/tensor.hpp>
#include <popart/transforms/remotesetup.hpp>

#include <algorithm>
#include <typeinfo>

#include "popart/transforms/remote_setup.hpp"

namespace popart {
namespace {

const bool registeredRemote = Transform::registerTransform(new RemoteSetup());

/// The exchanges with remote buffers of a graph: each with its operator, what it copies, and the
/// number of its row, or a null pointer.
struct Remote {
  const Op* op;
  RemoteBufferId buffer;
  TensorInfo info;
  const Tensor* row;
};

std::vector<Remote> remotesOf(const Graph& graph) {
  std::vector<Remote> found;
  for (const auto& [_, op] : graph.getOps()) {
    const auto* exchange = dynamic_cast<const ExchangeBaseOp*>(op.get());
    if (exchange == nullptr) continue;
    for (int i = 0; i < exchange->getNumExchanges(); ++i) {
      const ExchangeDescriptor each = exchange->getExchangeDescriptor(i);
      if (!each.isRemoteExchange()) continue;
      const std::vector<InIndex> inputs = exchange->descriptorIndexToInIndices(i);
      found.push_back({op.get(), each.getRemoteBufferId(), op->inInfo(inputs.front()),
                       inputs.size() > 1 ? op->inTensor(inputs[1]) : nullptr});
    }
  }
  return found;
}

void checkRow(const Remote& remote, const TensorInfo& rows) {
  if (rows != remote.info)
    throw error("{} copies {} to or from the remote buffer {}, whose rows are {}",
                remote.op->debugName(), remote.info, remote.buffer, rows);
}

/// The trip count of the loop whose number a tensor is; 0 if it is none, or several loops'.
uint64_t tripsOf(const Tensor& number) {
  const Graph& body = number.getGraph();
  const std::vector<TensorId>& inputs = body.getInputIds();
  if (inputs.empty() || inputs.front() != number.id) return 0;
  const std::vector<Op*> callers = body.getCallSiteOps();
  const auto* loop = callers.size() == 1 ? dynamic_cast<const LoopOp*>(callers.front()) : nullptr;
  return loop == nullptr ? 0 : static_cast<uint64_t>(std::max(0, loop->getTripCountValue()));
}

/// One more than the greatest row that a constant names, or that the number of a loop's iteration
/// gets; 1 for another number that only the run knows.
uint64_t rowsOf(const Tensor& row) {
  if (!row.hasTensorData() || row.tensorType() != TensorType::Const)
    return std::max<uint64_t>(1, tripsOf(row));
  uint64_t rows = 1;
  const void* data = row.tensorData()->data();
  const bool isLong = row.info.nbytes() == 8 * row.info.nelms();
  if (!isLong && row.info.nbytes() != 4 * row.info.nelms())
    throw error("RemoteSetup: '{}', the number of a row, is {}; give it an INT32 or INT64", row.id,
                row.info);
  for (int64_t i = 0; i < row.info.nelms(); ++i) {
    const int64_t number =
        isLong ? static_cast<const int64_t*>(data)[i] : static_cast<const int32_t*>(data)[i];
    rows = std::max(rows, static_cast<uint64_t>(number) + 1);
  }
  return rows;
}

}  // namespace

RemoteSetup::~RemoteSetup() = default;
std::size_t RemoteSetup::id() { return typeid(RemoteSetup).hash_code(); }

bool RemoteSetup::apply(Graph& graph) const {
  Ir& ir = graph.getIr();
  bool changed = false;
  for (const Remote& each : remotesOf(graph)) {
    if (each.buffer < 0)
      throw error("RemoteSetup: {} names no remote buffer; setRemoteBufferId() gives it one",
                  each.op->debugName());
    const auto known = ir.getAllRemoteBufferInfos();
    const auto found = known.find(each.buffer);
    uint64_t rows = 1;
    if (found != known.end()) {
      checkRow(each, found->second.info);
      rows = std::max(rows, found->second.repeats);
    }
    if (each.row != nullptr) rows = std::max(rows, rowsOf(*each.row));
    ir.setRemoteBufferInfo(each.buffer, {each.info, rows});
    changed = true;
  }
  return changed;
}

void checkRemoteRows(const Ir& ir) {
  const auto known = ir.getAllRemoteBufferInfos();
  for (const Graph* graph : ir.getAllGraphs())
    for (const Remote& each : remotesOf(*graph))
      if (const auto found = known.find(each.buffer); found != known.end())
        checkRow(each, found->second.info);
}

}  // namespace popart
