// Debug information that library functions record about their calls.
// After poputil/DebugInfo.hpp of PopLibs 3.
//
//   poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, dims));
//   ... graph.addVariable(type, shape, {di, "out"}) ...
//   di.addOutput(out);
#ifndef poputil_DebugInfo_hpp
#define poputil_DebugInfo_hpp

#include <cstddef>
#include <map>
#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace poputil {

/// Converts an argument to a value of debug information: numbers and strings unchanged, a tensor as
/// its shape and type, options as a map. Specialise it for your own types.
template <typename T>
poplar::ProfileValue toProfileValue(const T& t);
#define POPIR_TO_PROFILE_VALUE(T) \
  template <>                     \
  poplar::ProfileValue toProfileValue(const T& v);
POPIR_TO_PROFILE_VALUE(bool)
POPIR_TO_PROFILE_VALUE(unsigned char)
POPIR_TO_PROFILE_VALUE(int)
POPIR_TO_PROFILE_VALUE(unsigned int)
POPIR_TO_PROFILE_VALUE(long)
POPIR_TO_PROFILE_VALUE(unsigned long)
POPIR_TO_PROFILE_VALUE(long long)
POPIR_TO_PROFILE_VALUE(unsigned long long)
POPIR_TO_PROFILE_VALUE(float)
POPIR_TO_PROFILE_VALUE(double)
POPIR_TO_PROFILE_VALUE(std::string)
POPIR_TO_PROFILE_VALUE(poplar::Type)
POPIR_TO_PROFILE_VALUE(poplar::Tensor)
POPIR_TO_PROFILE_VALUE(poplar::ComputeSet)
POPIR_TO_PROFILE_VALUE(poplar::OptionFlags)
POPIR_TO_PROFILE_VALUE(poplar::TensorCloneMethod)
POPIR_TO_PROFILE_VALUE(poplar::program::Sequence)
POPIR_TO_PROFILE_VALUE(poplar::program::Copy)
#undef POPIR_TO_PROFILE_VALUE

template <typename T>
poplar::ProfileValue toProfileValue(const T* t) {
  return t == nullptr ? poplar::ProfileValue("<nullptr>") : toProfileValue(*t);
}
template <typename T>
poplar::ProfileValue toProfileValue(T* const& t) {
  return t == nullptr ? poplar::ProfileValue("<nullptr>") : toProfileValue(*t);
}
template <typename T>
poplar::ProfileValue toProfileValue(const std::vector<T>& values) {
  poplar::ProfileValue::Vector v;
  for (std::size_t i = 0; i < values.size(); ++i)
    v.push_back(toProfileValue(static_cast<const T&>(values[i])));
  return v;
}
template <typename T>
poplar::ProfileValue toProfileValue(const poplar::ArrayRef<T>& values) {
  return toProfileValue(values.cloneAsVector());
}
template <typename T1, typename T2>
poplar::ProfileValue toProfileValue(const std::pair<T1, T2>& pair) {
  poplar::ProfileValue::Map v;
  v.insert({"first", toProfileValue(pair.first)});
  v.insert({"second", toProfileValue(pair.second)});
  return v;
}

/// A named value.
struct ArgType {
  std::string n;
  poplar::ProfileValue pv;
  ArgType(const std::string& name, const poplar::ProfileValue& value) : n(name), pv(value) {}
  ArgType(const std::pair<std::string, const poplar::ProfileValue>& p) : n(p.first), pv(p.second) {}
};

/// Debug information with named values.
class OpDebugInfo : public poplar::DebugInfo {
 public:
  OpDebugInfo(const poplar::DebugContext& debugContext, std::string api);
  ~OpDebugInfo() override;
  void add(std::string name, const std::vector<ArgType>& args);
  void add(std::string name, poplar::ProfileValue value);
  /// All values added so far. "api" is the name of the function.
  const std::map<std::string, poplar::ProfileValue>& values() const { return values_; }

 private:
  std::map<std::string, poplar::ProfileValue> values_;
};

/// Debug information of one call of a library function: its "args" and "outputs".
class PoplibsOpDebugInfo : public OpDebugInfo {
 public:
  PoplibsOpDebugInfo(const poplar::DebugContext& debugContext,
                     const std::vector<ArgType>& args = {},
                     const std::string& api = __builtin_FUNCTION());
  void addOutputs(const std::vector<ArgType>& outputs);
  void addOutput(const poplar::Tensor& output);
};

}  // namespace poputil
#pragma GCC visibility pop

// DI_ARGS(a, b): {{"a", toProfileValue(a)}, {"b", toProfileValue(b)}}, for up to 16 arguments.
#define POPIR_DI_ARG(X) \
  { #X, poputil::toProfileValue(X) }
#define POPIR_DI_1(X) POPIR_DI_ARG(X)
#define POPIR_DI_2(X, ...) POPIR_DI_ARG(X), POPIR_DI_1(__VA_ARGS__)
#define POPIR_DI_3(X, ...) POPIR_DI_ARG(X), POPIR_DI_2(__VA_ARGS__)
#define POPIR_DI_4(X, ...) POPIR_DI_ARG(X), POPIR_DI_3(__VA_ARGS__)
#define POPIR_DI_5(X, ...) POPIR_DI_ARG(X), POPIR_DI_4(__VA_ARGS__)
#define POPIR_DI_6(X, ...) POPIR_DI_ARG(X), POPIR_DI_5(__VA_ARGS__)
#define POPIR_DI_7(X, ...) POPIR_DI_ARG(X), POPIR_DI_6(__VA_ARGS__)
#define POPIR_DI_8(X, ...) POPIR_DI_ARG(X), POPIR_DI_7(__VA_ARGS__)
#define POPIR_DI_9(X, ...) POPIR_DI_ARG(X), POPIR_DI_8(__VA_ARGS__)
#define POPIR_DI_10(X, ...) POPIR_DI_ARG(X), POPIR_DI_9(__VA_ARGS__)
#define POPIR_DI_11(X, ...) POPIR_DI_ARG(X), POPIR_DI_10(__VA_ARGS__)
#define POPIR_DI_12(X, ...) POPIR_DI_ARG(X), POPIR_DI_11(__VA_ARGS__)
#define POPIR_DI_13(X, ...) POPIR_DI_ARG(X), POPIR_DI_12(__VA_ARGS__)
#define POPIR_DI_14(X, ...) POPIR_DI_ARG(X), POPIR_DI_13(__VA_ARGS__)
#define POPIR_DI_15(X, ...) POPIR_DI_ARG(X), POPIR_DI_14(__VA_ARGS__)
#define POPIR_DI_16(X, ...) POPIR_DI_ARG(X), POPIR_DI_15(__VA_ARGS__)
#define POPIR_DI_NTH(A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, N, \
                     ...)                                                                      \
  POPIR_DI_##N
#define POPIR_DI_SELECT(...) \
  POPIR_DI_NTH(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define DI_ARGS(...) \
  { POPIR_DI_SELECT(__VA_ARGS__)(__VA_ARGS__) }

#endif
