// A host buffer with the type and shape of its contents. After popart/voiddata.hpp of PopART 3.
#ifndef popart_voiddata_hpp
#define popart_voiddata_hpp

#include <popart/tensorinfo.hpp>

namespace popart {

/// A read-only buffer. Not owned.
struct ConstVoidData {
  ConstVoidData() = default;
  ConstVoidData(const void* data_, const TensorInfo& info_) : data(data_), info(info_) {}

  const void* data = nullptr;
  TensorInfo info;
};

/// A writable buffer. Not owned.
struct MutableVoidData {
  void* data = nullptr;
  TensorInfo info;
};

}  // namespace popart

#endif
