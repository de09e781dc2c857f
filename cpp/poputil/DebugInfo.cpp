#include <poputil/DebugInfo.hpp>
#include <sstream>

namespace poputil {

using poplar::ProfileValue;

#define POPIR_NUMBER(T)                     \
  template <>                               \
  ProfileValue toProfileValue(const T& v) { \
    return ProfileValue(v);                 \
  }
POPIR_NUMBER(bool)
POPIR_NUMBER(unsigned char)
POPIR_NUMBER(int)
POPIR_NUMBER(unsigned int)
POPIR_NUMBER(long)
POPIR_NUMBER(unsigned long)
POPIR_NUMBER(long long)
POPIR_NUMBER(unsigned long long)
POPIR_NUMBER(float)
POPIR_NUMBER(double)
POPIR_NUMBER(std::string)
#undef POPIR_NUMBER

template <>
ProfileValue toProfileValue(const poplar::Type& v) {
  return v.toString();
}
template <>
ProfileValue toProfileValue(const poplar::Tensor& v) {
  if (!v.valid()) return "<invalid>";
  ProfileValue::Vector shape;
  for (const std::size_t d : v.shape()) shape.emplace_back(d);
  return ProfileValue::Map{{"shape", shape}, {"type", v.elementType().toString()}};
}
template <>
ProfileValue toProfileValue(const poplar::ComputeSet& v) {
  return v.getId();
}
template <>
ProfileValue toProfileValue(const poplar::OptionFlags& v) {
  ProfileValue::Map map;
  for (const auto& flag : v) map.insert({flag.first, flag.second});
  return map;
}
template <>
ProfileValue toProfileValue(const poplar::TensorCloneMethod& v) {
  switch (v) {
    case poplar::TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES: return "PRESERVE_ORDER_AND_ALIASES";
    case poplar::TensorCloneMethod::CREATE_NEW_ORDER: return "CREATE_NEW_ORDER";
    case poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES:
      return "PRESERVE_ORDER_UNLESS_ALIASES";
    case poplar::TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES:
      return "GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES";
  }
  return "?";
}
template <>
ProfileValue toProfileValue(const poplar::program::Sequence&) {
  return "<Sequence>";
}
template <>
ProfileValue toProfileValue(const poplar::program::Copy&) {
  return "<Copy>";
}

OpDebugInfo::OpDebugInfo(const poplar::DebugContext& debugContext, std::string api)
    : poplar::DebugInfo(debugContext, "poplibs") {
  add("api", std::move(api));
}

OpDebugInfo::~OpDebugInfo() {
  for (auto& [name, value] : values_) setValue(name, std::move(value));
}

void OpDebugInfo::add(std::string name, const std::vector<ArgType>& args) {
  ProfileValue::Map map;
  for (const ArgType& arg : args) map.insert({arg.n, arg.pv});
  values_[std::move(name)] = std::move(map);
}

void OpDebugInfo::add(std::string name, ProfileValue value) {
  values_[std::move(name)] = std::move(value);
}

PoplibsOpDebugInfo::PoplibsOpDebugInfo(const poplar::DebugContext& debugContext,
                                       const std::vector<ArgType>& args, const std::string& api)
    : OpDebugInfo(debugContext, api) {
  add("args", args);
}

void PoplibsOpDebugInfo::addOutputs(const std::vector<ArgType>& outputs) {
  add("outputs", outputs);
}

void PoplibsOpDebugInfo::addOutput(const poplar::Tensor& output) {
  addOutputs({ArgType("output", toProfileValue(output))});
}

}  // namespace poputil
