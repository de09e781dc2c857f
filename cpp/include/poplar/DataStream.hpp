// Streams between host and device. After poplar/DataStream.hpp of the Poplar SDK 3.
#ifndef poplar_DataStream_hpp
#define poplar_DataStream_hpp

#include <poplar/Type.hpp>

#include <cstddef>
#include <string>

#pragma GCC visibility push(default)

namespace poplar {

/// A FIFO between host and device; created by Graph::addHostToDeviceFIFO or addDeviceToHostFIFO.
class DataStream {
 public:
  enum class Direction { HostToDevice, DeviceToHost };

  DataStream() = default;
  DataStream(std::string handle, Direction direction, Type type, std::size_t numElements, int id)
      : handle_(handle), direction_(direction), type_(type), numElements_(numElements), id_(id) {}

  const std::string& handle() const { return handle_; }
  Direction direction() const { return direction_; }
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

}  // namespace poplar

#pragma GCC visibility pop

#endif
