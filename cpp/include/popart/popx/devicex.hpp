// The state of lowering a graph, and a prepared model. After popart/popx/devicex.hpp of PopART 3.
#ifndef popart_popx_devicex_hpp
#define popart_popx_devicex_hpp

#include <popart/names.hpp>
#include <popart/op/restore.hpp>
#include <popart/popx/irlowering.hpp>
#include <popart/voiddata.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <pva/pva.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class DeviceInfo;
class IStepIO;
class IWeightsIO;
class Session;

namespace popx {

class Executablex;

/// One object per lowering, shared by operators written in C++ and in Python; or, for a program, the
/// graphs of an Ir on a device: Session::getDevice().
class Devicex {
 public:
  /// The graph must outlive this object.
  explicit Devicex(poplar::Graph& graph);
  /// `executable` must outlive this object. prepare() makes a session of its graphs, which
  /// no other session may have.
  Devicex(Executablex& executable, std::shared_ptr<DeviceInfo> deviceInfo);
  /// The device of a session, which must outlive it.
  Devicex(Executablex& executable, std::shared_ptr<DeviceInfo> deviceInfo, Session& session);
  ~Devicex();
  Devicex(const Devicex&) = delete;
  Devicex& operator=(const Devicex&) = delete;

  poplar::Graph& graph() const { return lowering_.graph(); }
  const IrLowering& lowering() const { return lowering_; }
  IrLowering& lowering() { return lowering_; }
  /// \throws error if it was made of a Poplar graph
  const Ir& ir() const { return lowering_.ir(); }
  unsigned getReplicationFactor() const { return lowering_.getReplicationFactor(); }
  bool isReplicatedGraph() const { return lowering_.isReplicatedGraph(); }

  // ---- Of a program: what the functions of the same names of Session do ----
  // \throws error if it was made of a Poplar graph, or is not prepared
  void prepare();
  bool prepareHasBeenCalled() const;
  void loadEngineAndConnectStreams();
  void run(IStepIO& stepIO, std::string debugName = "");
  void weightsFromHost();
  void buffersFromHost();
  void weightsToHost();
  /// Fetches the weights into these buffers.
  void weightsToHost(const std::map<TensorId, MutableVoidData>& buffers);
  void readWeights(const IWeightsIO& weights);
  void writeWeights(const IWeightsIO& weights);
  uint64_t getRandomSeedToHost();
  std::vector<uint32_t> getRngStateToHost();
  void setRngStateValue(const std::vector<uint32_t> state);
  void connectStream(const std::string& streamHandle, void* host_buffer);
  void connectStreamToCallback(const std::string& streamHandle, std::function<void(void*)> callback,
                               unsigned index);
  void connectHostFunction(
      const std::string& functionHandle,
      std::function<void(const void* const*, std::size_t, void* const*, std::size_t)> callback,
      unsigned index);
  void copyFromRemoteBuffer(const std::string& buffer, void* w, int repeat_index,
                            unsigned replication_index = 0);
  void copyToRemoteBuffer(void* w, const std::string& buffer, int repeat_index,
                          unsigned replication_index = 0);
  std::string getSummaryReport(bool resetProfile = true) const;
  std::string getSerializedGraph() const;
  pva::Report getReport() const;
  /// The micro-batches of a step of the optimizer.
  unsigned getAccumulationFactor() const;
  unsigned getGlobalReplicationFactor() const;
  unsigned getGlobalReplicaOffset() const;

  /// Null if it was made of a Poplar graph.
  DeviceInfo* getDeviceInfo() { return deviceInfo_.get(); }
  const DeviceInfo* getDeviceInfo() const { return deviceInfo_.get(); }

  // The lowering's tensors.
  void insert(const TensorId& id, const poplar::Tensor& tensor) {
    lowering_.tensors().insert(id, tensor);
  }
  bool contains(const TensorId& id) const { return lowering_.tensors().contains(id); }
  /// \throws error for an unknown id
  const poplar::Tensor& get(const TensorId& id) const { return lowering_.tensors().get(id); }
  void erase(const TensorId& id) { lowering_.tensors().erase(id); }

  /// The planning cache for poplin's functions.
  poplin::PlanningCache convCache;
  poplin::matmul::PlanningCache matmulCache;

 private:
  /// The session of this object, prepared.
  Session& session(const char* who) const;

  std::unique_ptr<IrLowering> own_;
  IrLowering& lowering_;
  std::shared_ptr<DeviceInfo> deviceInfo_;
  std::unique_ptr<Session> made_;
  Session* session_ = nullptr;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
