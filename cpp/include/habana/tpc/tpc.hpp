// TPC-C on a host: `popir tpcc` compiles kernels as C++ with this header before them.
//
// A kernel is `void main(tensor..., scalars...)`. It is called for boxes of its index space, by
// several threads at once. docs/habana.md says what is the same as on the hardware and what not.
#ifndef popir_habana_tpc_tpc_hpp
#define popir_habana_tpc_tpc_hpp

#include <limits>
#include <tuple>
#include <utility>

#include "functions.hpp"

#define __global__
#define __global

namespace popir_tpc {

template <class T>
struct IsTensor : std::is_same<std::remove_cv_t<T>, tensor> {};

/// A parameter of a call: the next tensor, or the next scalar, whose bits lie in one word.
template <class T>
inline std::remove_cv_t<T> argument(const popir_tpc_call& call, std::uint32_t& tensors,
                                    std::uint32_t& scalars) {
  if constexpr (IsTensor<T>::value) {
    return tensor(call.tensors + tensors++);
  } else {
    static_assert(sizeof(T) <= 4 || std::is_integral<T>::value, "a scalar of more than 32 bits");
    const std::uint32_t word = call.scalars[scalars++];
    if constexpr (std::is_same<std::remove_cv_t<T>, bool>::value)
      return word != 0;
    else if constexpr (std::is_integral<T>::value)
      return static_cast<T>(static_cast<std::int32_t>(word));
    else {
      std::remove_cv_t<T> value;
      std::memcpy(&value, &word, sizeof(T));
      return value;
    }
  }
}

template <class... Parameters>
inline void invoke(void (*kernel)(Parameters...), const popir_tpc_call& call) {
  std::uint32_t tensors = 0, scalars = 0;
  // Braces keep the order.
  std::tuple<std::remove_cv_t<Parameters>...> arguments{
      argument<Parameters>(call, tensors, scalars)...};
  std::apply(kernel, arguments);
}

template <class... Parameters>
constexpr popir_tpc_signature signature(void (*)(Parameters...)) {
  const std::uint32_t tensors = (0u + ... + (IsTensor<Parameters>::value ? 1u : 0u));
  return {POPIR_TPC_ABI, tensors, static_cast<std::uint32_t>(sizeof...(Parameters)) - tensors};
}

template <class Kernel>
inline const char* run(Kernel kernel, const popir_tpc_call* call) {
  static thread_local std::string error;
  State& here = state();
  here.call = call;
  here.lut = -1;
  try {
    invoke(kernel, *call);
    return nullptr;
  } catch (const std::exception& thrown) {
    error = thrown.what();
  } catch (...) {
    error = "it threw something that is no exception";
  }
  return error.c_str();
}

}  // namespace popir_tpc

/// Stands at the end of the file that `popir tpcc` compiles.
#define POPIR_TPC_ENTRY(kernel)                                                 \
  extern "C" __attribute__((visibility("default"))) const popir_tpc_signature*  \
  popir_tpc_describe() {                                                        \
    static const popir_tpc_signature signature = popir_tpc::signature(&kernel); \
    return &signature;                                                          \
  }                                                                             \
  extern "C" __attribute__((visibility("default"))) const char* popir_tpc_run(  \
      const popir_tpc_call* call) {                                             \
    return popir_tpc::run(&kernel, call);                                       \
  }

#endif
