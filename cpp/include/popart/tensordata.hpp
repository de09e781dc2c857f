// popart/tensordata.hpp: values of a tensor that the host has.
#ifndef popart_tensordata_hpp
#define popart_tensordata_hpp

#include <popart/tensorinfo.hpp>
#include <popart/voiddata.hpp>

#include <vector>

namespace popart {

class TensorData {
 public:
  /// A copy of the values at `from`.
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
