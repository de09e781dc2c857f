// Calls a function for the C++ type of an element type. After popart/typefunctor.hpp of PopART 3.
#ifndef popart_typefunctor_hpp
#define popart_typefunctor_hpp

#include <popart/datatype.hpp>
#include <popart/error.hpp>
#include <popart/half.hpp>

#include <cstdint>
#include <typeinfo>
#include <utility>

namespace popart {
namespace typefunctor {

/// FUNCTOR()<T>(args...) with T of `type`: all numbers but bool, BFLOAT16 and those of 8 bits with an
/// exponent.
/// \throws error for another type
template <typename FUNCTOR, typename RESULT, typename... Args>
RESULT get(DataType type, Args&&... args) {
#define POPIR_CASE(NAME, CPP) \
  case DataType::NAME: return FUNCTOR().template operator()<CPP>(std::forward<Args>(args)...);
  switch (type) {
    POPIR_CASE(DOUBLE, double)
    POPIR_CASE(FLOAT, float)
    POPIR_CASE(FLOAT16, float16_t)
    POPIR_CASE(INT64, int64_t)
    POPIR_CASE(INT32, int32_t)
    POPIR_CASE(INT16, int16_t)
    POPIR_CASE(INT8, int8_t)
    POPIR_CASE(UINT64, uint64_t)
    POPIR_CASE(UINT32, uint32_t)
    POPIR_CASE(UINT16, uint16_t)
    POPIR_CASE(UINT8, uint8_t)
    default: throw error("{} has no meaning for elements of type {}", typeid(FUNCTOR).name(), type);
  }
#undef POPIR_CASE
}

/// The first element, as a whole number.
class Int64FromVoid {
 public:
  template <typename T>
  int64_t operator()(void* data) {
    return static_cast<int64_t>(*static_cast<const T*>(data));
  }
};

}  // namespace typefunctor
}  // namespace popart

#endif
