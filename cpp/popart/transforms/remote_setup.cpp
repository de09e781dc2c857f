// What the remote buffers of a graph hold.
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/exchange/exchange.hpp>
#include <popart/op/exchange/remotebase.hpp>
#include <popart/tensor.hpp>
#include <popart/transforms/remotesetup.hpp>

#include <algorithm>
#include <typeinfo>

namespace popart {
namespace {

const bool registered = Transform::registerTransform(new RemoteSetup());

/// One more than the greatest row that a constant names; 1 for a number that only the run knows.
uint64_t rowsOf(const Tensor& row) {
  if (!row.hasTensorData() || row.tensorType() != TensorType::Const) return 1;
  uint64_t rows = 1;
  const void* data = row.tensorData()->data();
  const bool isLong = row.info.nbytes() == 8 * row.info.nelms();
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
  for (Op* op : graph.getOpSchedule({}, RequireOptimalSchedule::No)) {
    const auto* exchange = dynamic_cast<const ExchangeBaseOp*>(op);
    if (exchange == nullptr) continue;
    for (int i = 0; i < exchange->getNumExchanges(); ++i) {
      const ExchangeDescriptor each = exchange->getExchangeDescriptor(i);
      if (!each.isRemoteExchange()) continue;
      const RemoteBufferId id = each.getRemoteBufferId();
      if (id < 0)
        throw error("RemoteSetup: {} names no remote buffer; setRemoteBufferId() gives it one",
                    op->debugName());
      const std::vector<InIndex> inputs = exchange->descriptorIndexToInIndices(i);
      const TensorInfo& info = op->inInfo(inputs.front());
      const auto known = ir.getAllRemoteBufferInfos();
      const auto found = known.find(id);
      uint64_t rows = 1;
      if (found != known.end()) {
        if (found->second.info != info)
          throw error(
              "RemoteSetup: {} copies {} to or from the remote buffer {}, whose rows are {}",
              op->debugName(), info, id, found->second.info);
        rows = std::max(rows, found->second.repeats);
      }
      if (inputs.size() > 1) rows = std::max(rows, rowsOf(*op->inTensor(inputs[1])));
      ir.setRemoteBufferInfo(id, {info, rows});
      changed = true;
    }
  }
  return changed;
}

}  // namespace popart
