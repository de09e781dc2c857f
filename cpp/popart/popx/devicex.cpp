#include <popart/devicemanager.hpp>
#include <popart/ir.hpp>
#include <popart/popx/devicex.hpp>
#include <popart/popx/executablex.hpp>

#include <utility>

namespace popart {
namespace popx {

poplar::Type popType(DataType type) {
  switch (type) {
    case DataType::FLOAT: return poplar::FLOAT;
    case DataType::FLOAT16: return poplar::HALF;
    case DataType::BFLOAT16: return poplar::BFLOAT16;
    case DataType::DOUBLE: return poplar::DOUBLE;
    case DataType::INT64: return poplar::LONGLONG;
    case DataType::UINT64: return poplar::UNSIGNED_LONGLONG;
    case DataType::INT32: return poplar::INT;
    case DataType::UINT32: return poplar::UNSIGNED_INT;
    case DataType::INT16: return poplar::SHORT;
    case DataType::UINT16: return poplar::UNSIGNED_SHORT;
    case DataType::INT8: return poplar::SIGNED_CHAR;
    case DataType::UINT8: return poplar::UNSIGNED_CHAR;
    case DataType::BOOL: return poplar::BOOL;
    case DataType::FLOAT8_143:
    case DataType::FLOAT8_152: return poplar::QUARTER;
    case DataType::COMPLEX64:
    case DataType::COMPLEX128:
    case DataType::STRING:
    case DataType::UNDEFINED: break;
  }
  throw error("No device tensor has elements of type {}", type);
}

poplar::Type popType(const TensorInfo& info) { return popType(info.dataType()); }

const poplar::Tensor& PopTensors::get(const TensorId& id) const {
  const auto found = tensors_.find(id);
  if (found == tensors_.end())
    throw error(
        "The tensor '{}' has no device tensor yet: the operator that computes it has not been "
        "lowered, or its Opx did not call setOutTensor",
        id);
  return found->second;
}

namespace {

poplar::Target targetOf(const DeviceInfo* device) {
  if (device == nullptr) throw error("IrLowering: the device is a null pointer; give it a device");
  return device->getTarget();
}

poplar::replication_factor replicasOf(const Ir& ir) {
  const SessionOptions& options = ir.getSessionOptions();
  return poplar::replication_factor(
      options.enableReplicatedGraphs ? static_cast<unsigned>(options.replicatedGraphCount) : 1);
}

}  // namespace

IrLowering::IrLowering(const Ir& ir, std::shared_ptr<DeviceInfo> deviceInfo)
    : own_(std::make_shared<poplar::Graph>(targetOf(deviceInfo.get()), replicasOf(ir))),
      graph_(*own_),
      ir_(&ir) {}

const Ir& IrLowering::ir() const {
  if (ir_ == nullptr) throw error("This IrLowering was made of a Poplar graph, so it has no Ir");
  return *ir_;
}

OpxGraph& IrLowering::getVirtualGraph(VGraphId, TileSet) const {
  if (virtualGraph_ == nullptr) virtualGraph_ = std::make_unique<OpxGraph>(graph_);
  return *virtualGraph_;
}

ExchangeBundle& IrLowering::getExchangeBundle() const {
  if (exchange_ == nullptr) exchange_ = std::make_unique<ExchangeBundle>(ir());
  return *exchange_;
}

const Tensor* Executablex::getTensor(const TensorId& id) const { return ir().getTensor(id); }
Tensor* Executablex::getTensor(const TensorId& id) { return ir().getTensor(id); }
bool Executablex::containsTensor(const TensorId& id) const { return ir().containsTensor(id); }
std::set<TensorId> Executablex::getAllTensorIds() const { return ir().getAllTensorIds(); }
std::vector<TensorId> Executablex::getTensorIds(TensorType type) const {
  return ir().getTensorIds(type);
}
const SessionOptions& Executablex::getSessionOptions() const { return ir().getSessionOptions(); }
std::vector<Tensor*> Executablex::getWeightTensors() {
  return ir().getMainGraphTensors().getOfType(TensorType::Variable);
}
std::vector<Tensor*> Executablex::getAnchorTensors() {
  std::vector<Tensor*> tensors;
  for (const TensorId& id : ir().getAnchors()) tensors.push_back(ir().getTensor(id));
  return tensors;
}
std::vector<Tensor*> Executablex::getDataStreamTensors() { return ir().dataStreamTensors(); }
std::vector<Tensor*> Executablex::getOptimizerTensors() { return ir().optimizerTensors(); }

std::unique_ptr<Executablex> Executablex::createFromLoweredIr(IrLowering& lowering) {
  static_cast<void>(lowering.ir());
  return std::make_unique<Executablex>(lowering);
}

}  // namespace popx
}  // namespace popart
