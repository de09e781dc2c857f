// The value of a tensor on the host. After popart/tensordata.hpp of PopART 3.
#ifndef popart_tensordata_hpp
#define popart_tensordata_hpp

#include <popart/tensorinfo.hpp>
#include <popart/voiddata.hpp>

#include <cstring>
#include <utility>
#include <vector>

namespace popart {

/// A copy of a tensor's value, in row-major order.
class TensorData {
 public:
  /// Copies `bytes` bytes at `from`.
  static TensorData fromCopyOf(const void* from, std::size_t bytes) {
    const char* begin = static_cast<const char*>(from);
    TensorData copy;
    copy.bytes_.assign(begin, begin + bytes);
    return copy;
  }

  /// The same without a copy.
  static TensorData fromEmplaceOf(std::vector<char>&& bytes) {
    TensorData taken;
    taken.bytes_ = std::move(bytes);
    return taken;
  }

  /// Copies other values of the same size. Session::buffersFromHost() gives them to the device.
  /// \throws error for another number of bytes
  void resetData(const TensorInfo& info, const void* from) {
    if (static_cast<std::size_t>(info.nbytes()) != bytes_.size())
      throw error("TensorData::resetData: {} has {} bytes; expected are {}", info, info.nbytes(),
                  bytes_.size());
    std::memcpy(bytes_.data(), from, bytes_.size());
    isSynced_ = false;
  }
  /// The elements, of which there are `count`.
  /// \throws error for another number of bytes
  template <typename T>
  std::vector<T> copyDataAs(int count) const {
    if (size() != static_cast<std::size_t>(count) * sizeof(T))
      throw error("TensorData::copyDataAs: {} elements have {} bytes; there are {}", count,
                  static_cast<std::size_t>(count) * sizeof(T), size());
    std::vector<T> elements(static_cast<std::size_t>(count));
    std::memcpy(elements.data(), data(), size());
    return elements;
  }
  /// False from resetData() until the session has taken the values.
  bool getIsSyncedWithIPU() const { return isSynced_; }
  void setIsSyncedWithIPU(bool isSynced) { isSynced_ = isSynced; }

  void* data() { return bytes_.data(); }
  const void* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<char> bytes_;
  bool isSynced_ = true;
};

}  // namespace popart

#endif
