// Streams between host and device. After poplar/DataStream.hpp of the Poplar SDK 3.
#ifndef poplar_DataStream_hpp
#define poplar_DataStream_hpp

#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popir {
class GraphImpl;  // cpp/poplar/graph_impl.hpp
}

namespace poplar {

/// What a stream is, to sources that ask. popir has FIFOs; a remote buffer is a RemoteBuffer.
enum class DataStreamType {
  HostToDeviceFIFO,
  DeviceToHostFIFO,
  HostToDeviceBuffer,
  DeviceToHostBuffer,
  RemoteBuffer
};

inline bool isHostToDevice(DataStreamType type) {
  return type == DataStreamType::HostToDeviceFIFO || type == DataStreamType::HostToDeviceBuffer;
}
inline bool isDeviceToHost(DataStreamType type) {
  return type == DataStreamType::DeviceToHostFIFO || type == DataStreamType::DeviceToHostBuffer;
}
inline bool isRemoteBuffer(DataStreamType type) { return type == DataStreamType::RemoteBuffer; }

/// A FIFO between host and device; created by Graph::addHostToDeviceFIFO or addDeviceToHostFIFO.
class DataStream {
 public:
  enum class Direction { HostToDevice, DeviceToHost };

  DataStream() = default;
  DataStream(std::string handle, Direction direction, Type type, std::size_t numElements, int id,
             unsigned replicas = 1, ReplicatedStreamMode mode = ReplicatedStreamMode::REPLICATE)
      : handle_(handle),
        direction_(direction),
        type_(type),
        numElements_(numElements),
        id_(id),
        replicas_(replicas),
        mode_(mode) {}

  const std::string& handle() const { return handle_; }
  Direction direction() const { return direction_; }
  DataStreamType type() const {
    if (isRemote_) return DataStreamType::RemoteBuffer;
    return direction_ == Direction::HostToDevice ? DataStreamType::HostToDeviceFIFO
                                                 : DataStreamType::DeviceToHostFIFO;
  }
  Type elementType() const { return type_; }
  std::size_t numElements() const { return numElements_; }
  /// The replicas of its graph, and whether each has a stream of its own.
  unsigned replicationFactor() const { return replicas_; }
  ReplicatedStreamMode replicatedMode() const { return mode_; }
  bool valid() const { return id_ >= 0; }
  /// Index in the graph's list of streams.
  int id() const { return id_; }

 private:
  std::string handle_;
  Direction direction_ = Direction::HostToDevice;
  Type type_;
  std::size_t numElements_ = 0;
  int id_ = -1;
  unsigned replicas_ = 1;
  ReplicatedStreamMode mode_ = ReplicatedStreamMode::REPLICATE;
  bool isRemote_ = false;
  friend class RemoteBuffer;
};

/// Memory of the host that programs copy rows from and to; created by Graph::addRemoteBuffer. Each
/// engine has its own, zero at first, which lasts from one run to the next.
class RemoteBuffer {
 public:
  RemoteBuffer() = default;
  RemoteBuffer(std::shared_ptr<popir::GraphImpl> graph, std::string handle, Type type,
               std::size_t numElements, std::size_t repeats, bool rearrangeOnHost = false,
               bool optimiseMemory = false)
      : graph_(std::move(graph)),
        handle_(std::move(handle)),
        type_(type),
        numElements_(numElements),
        repeats_(repeats),
        rearrangesOnHost_(rearrangeOnHost),
        optimisesMemory_(optimiseMemory) {}

  const std::string& handle() const { return handle_; }
  Type elementType() const { return type_; }
  /// Elements of a row, and the number of rows.
  std::size_t numElements() const { return numElements_; }
  std::size_t getRepeats() const { return repeats_; }
  /// What Graph::addRemoteBuffer() was told.
  bool isRearrangeOnHost() const { return rearrangesOnHost_; }
  bool isOptimisedForMemory() const { return optimisesMemory_; }
  /// Its two ways, as streams of DataStreamType::RemoteBuffer that say what they are. A program copies
  /// by the buffer itself: program::Copy refuses these.
  DataStream getIpuToHostStream() const { return way(DataStream::Direction::DeviceToHost); }
  DataStream getHostToIpuStream() const { return way(DataStream::Direction::HostToDevice); }
  bool valid() const { return graph_ != nullptr; }
  /// For popir itself.
  const std::shared_ptr<popir::GraphImpl>& graph() const { return graph_; }

 private:
  DataStream way(DataStream::Direction direction) const {
    DataStream stream(handle_, direction, type_, numElements_, -1);
    stream.isRemote_ = true;
    return stream;
  }

  std::shared_ptr<popir::GraphImpl> graph_;
  std::string handle_;
  Type type_;
  std::size_t numElements_ = 0, repeats_ = 0;
  bool rearrangesOnHost_ = false, optimisesMemory_ = false;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
