// The value of a tensor on the host. After popart/tensordata.hpp of PopART 3.
#ifndef popart_tensordata_hpp
#define popart_tensordata_hpp

#include <popart/tensorinfo.hpp>
#include <popart/voiddata.hpp>

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

  void* data() { return bytes_.data(); }
  const void* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<char> bytes_;
};

}  // namespace popart

#endif
