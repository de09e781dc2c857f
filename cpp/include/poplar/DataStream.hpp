// Streams between host and device. After poplar/DataStream.hpp of the Poplar SDK 3.
#ifndef poplar_DataStream_hpp
#define poplar_DataStream_hpp

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
  DataStream(std::string handle, Direction direction, Type type, std::size_t numElements, int id)
      : handle_(handle), direction_(direction), type_(type), numElements_(numElements), id_(id) {}

  const std::string& handle() const { return handle_; }
  Direction direction() const { return direction_; }
  DataStreamType type() const {
    return direction_ == Direction::HostToDevice ? DataStreamType::HostToDeviceFIFO
                                                 : DataStreamType::DeviceToHostFIFO;
  }
  Type elementType() const { return type_; }
  std::size_t numElements() const { return numElements_; }
  bool valid() const { return id_ >= 0; }
  /// Index in the graph's list of streams.
  int id() const { return id_; }

 private:
  std::string handle_;
  Direction direction_ = Direction::HostToDevice;
  Type type_;
  std::size_t numElements_ = 0;
  int id_ = -1;
};

/// Memory of the host that programs copy rows from and to; created by Graph::addRemoteBuffer. Each
/// engine has its own, zero at first, which lasts from one run to the next.
class RemoteBuffer {
 public:
  RemoteBuffer() = default;
  RemoteBuffer(std::shared_ptr<popir::GraphImpl> graph, std::string handle, Type type,
               std::size_t numElements, std::size_t repeats)
      : graph_(std::move(graph)),
        handle_(std::move(handle)),
        type_(type),
        numElements_(numElements),
        repeats_(repeats) {}

  const std::string& handle() const { return handle_; }
  Type elementType() const { return type_; }
  /// Elements of a row, and the number of rows.
  std::size_t numElements() const { return numElements_; }
  std::size_t getRepeats() const { return repeats_; }
  bool valid() const { return graph_ != nullptr; }
  /// For popir itself.
  const std::shared_ptr<popir::GraphImpl>& graph() const { return graph_; }

 private:
  std::shared_ptr<popir::GraphImpl> graph_;
  std::string handle_;
  Type type_;
  std::size_t numElements_ = 0, repeats_ = 0;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
