// What is known of the types of the host. After poplar/TypeTraits.hpp of the Poplar SDK 3.
#ifndef poplar_TypeTraits_hpp
#define poplar_TypeTraits_hpp

#include <popir/Half.hpp>
#include <poplar/IeeeHalf.hpp>

#include <cstddef>
#include <type_traits>

namespace poplar {

struct TypeTraits {
  std::size_t size;
  std::size_t align;
  bool isIntegral;
  bool isFloat;
  bool isSigned;

  template <class T>
  static constexpr TypeTraits make() {
    return TypeTraits{sizeof(T), alignof(T), std::is_integral<T>::value,
                      std::is_floating_point<T>::value || isHalf<T>(),
                      std::is_signed<T>::value || isHalf<T>()};
  }
  /// Whether it is that of a number.
  constexpr bool isSimpleType() const { return isIntegral || isFloat; }
  /// Whether values mean nothing without metadata: no type of the host is of that kind, of the device
  /// QUARTER alone.
  template <class T>
  static constexpr bool requiresMetadata() {
    return false;
  }
  /// True for arithmetic types, half and IeeeHalf.
  template <class T>
  static constexpr bool isSimpleType() {
    return std::is_arithmetic<T>::value || isHalf<T>();
  }

 private:
  template <class T>
  static constexpr bool isHalf() {
    return std::is_same<T, popir::Half>::value || std::is_same<T, IeeeHalf>::value;
  }
};

}  // namespace poplar

#endif
