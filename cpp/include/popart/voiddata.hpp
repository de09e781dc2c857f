// popart/voiddata.hpp: the address of a tensor's values on the host, with their info.
#ifndef popart_voiddata_hpp
#define popart_voiddata_hpp

#include <popart/tensorinfo.hpp>

namespace popart {

struct ConstVoidData {
  ConstVoidData() = default;
  ConstVoidData(const void* data_, const TensorInfo& info_) : data(data_), info(info_) {}

  const void* data = nullptr;
  TensorInfo info;
};

struct MutableVoidData {
  void* data = nullptr;
  TensorInfo info;
};

}  // namespace popart

#endif
