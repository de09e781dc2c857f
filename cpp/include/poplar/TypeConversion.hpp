// Numbers of the host as those of the device and back. After poplar/TypeConversion.hpp of the Poplar
// SDK 3.
#ifndef poplar_TypeConversion_hpp
#define poplar_TypeConversion_hpp

#include <popir/Half.hpp>
#include <poplar/ArrayRef.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#pragma GCC visibility push(default)
namespace poplar {

/// What calculateMetadataForConversion() makes small.
enum class CostMetric { MEAN_SQUARE_ERROR };

/// The byte of the number nearest to `value` / 2^scale, ties to even. Beyond the largest: NaN, or
/// the largest if not `nanOnOverflow`.
std::uint8_t toQuarter(double value, const QuarterMetadata& metadata, bool nanOnOverflow = true);
/// The value of a byte.
double fromQuarter(std::uint8_t bits, const QuarterMetadata& metadata);

/// The scale by which the numbers lose least; \throws type_error for another type than QUARTER.
QuarterMetadata bestMetadata(const Type& type, const double* values, std::size_t count,
                             QuarterMetadata::Format fmt);
/// \throws type_error for another type than QUARTER
void requireQuarter(const char* who, const Type& type);

/// Converts numbers of the host to bytes of the device. \throws type_error for another type than
/// QUARTER
template <class T>
void convertToDeviceType(const Type& type, const QuarterMetadata& metadata, ArrayRef<T> src,
                         void* dst, bool nanOnOverflow = true) {
  requireQuarter("convertToDeviceType", type);
  for (std::size_t i = 0; i < src.size(); ++i)
    static_cast<std::uint8_t*>(dst)[i] =
        toQuarter(static_cast<double>(src[i]), metadata, nanOnOverflow);
}

/// The reverse, into `count` numbers.
template <class T>
void convertFromDeviceType(const Type& type, const QuarterMetadata& metadata, const void* src,
                           T* dst, std::size_t count) {
  requireQuarter("convertFromDeviceType", type);
  for (std::size_t i = 0; i < count; ++i)
    dst[i] = static_cast<T>(fromQuarter(static_cast<const std::uint8_t*>(src)[i], metadata));
}
template <class T>
void convertFromDeviceType(const Type& type, const QuarterMetadata& metadata, const void* src,
                           std::vector<T>& dst) {
  convertFromDeviceType(type, metadata, src, dst.data(), dst.size());
}
/// Writes the array that `dst` shows, as the SDK's function does.
template <class T>
void convertFromDeviceType(const Type& type, const QuarterMetadata& metadata, const void* src,
                           ArrayRef<T> dst) {
  convertFromDeviceType(type, metadata, src, const_cast<T*>(dst.data()), dst.size());
}

namespace conversion {

/// \throws type_error: `who` does not convert elements of `type`
[[noreturn]] void refuse(const char* who, const Type& type);

/// Calls `f` with a number of the type that the host has for `type`.
template <class F>
void withHostType(const char* who, const Type& type, const F& f) {
  switch (type.kind()) {
    case Type::Kind::Bool: return f(bool());
    case Type::Kind::Char: return f(char());
    case Type::Kind::UnsignedChar: return f(std::uint8_t());
    case Type::Kind::SignedChar: return f(std::int8_t());
    case Type::Kind::UnsignedShort: return f(std::uint16_t());
    case Type::Kind::Short: return f(std::int16_t());
    case Type::Kind::UnsignedInt: return f(std::uint32_t());
    case Type::Kind::Int: return f(std::int32_t());
    case Type::Kind::UnsignedLonglong: return f(std::uint64_t());
    case Type::Kind::Longlong: return f(std::int64_t());
    case Type::Kind::Half: return f(popir::Half());
    case Type::Kind::Float: return f(float());
    case Type::Kind::Double: return f(double());
    default: refuse(who, type);
  }
}

template <class T>
struct ToDevice {
  ArrayRef<T> src;
  void* dst;
  template <class D>
  void operator()(D) const {
    for (std::size_t i = 0; i < src.size(); ++i) {
      const D value = static_cast<D>(src[i]);
      std::memcpy(static_cast<char*>(dst) + i * sizeof value, &value, sizeof value);
    }
  }
};

template <class T>
struct FromDevice {
  const void* src;
  T* dst;
  std::size_t count;
  template <class D>
  void operator()(D) const {
    for (std::size_t i = 0; i < count; ++i) {
      D value;
      std::memcpy(&value, static_cast<const char*>(src) + i * sizeof value, sizeof value);
      dst[i] = static_cast<T>(value);
    }
  }
};

}  // namespace conversion

/// The same for types without metadata, by C++'s conversions. \throws type_error for QUARTER and
/// BFLOAT16
template <class T>
void convertToDeviceType(const Type& type, ArrayRef<T> src, void* dst) {
  conversion::withHostType("convertToDeviceType", type, conversion::ToDevice<T>{src, dst});
}
template <class T>
void convertToDeviceType(const Type& type, const std::vector<T>& src, void* dst) {
  convertToDeviceType(type, ArrayRef<T>(src), dst);
}
template <class T>
void convertFromDeviceType(const Type& type, const void* src, ArrayRef<T> dst) {
  conversion::withHostType("convertFromDeviceType", type,
                           conversion::FromDevice<T>{src, const_cast<T*>(dst.data()), dst.size()});
}
template <class T>
void convertFromDeviceType(const Type& type, const void* src, std::vector<T>& dst) {
  convertFromDeviceType(type, src, ArrayRef<T>(dst));
}

/// The metadata of a format by which numbers lose least.
template <class T>
QuarterMetadata calculateMetadataForConversion(const Type& type, ArrayRef<T> src,
                                               QuarterMetadata::Format fmt,
                                               CostMetric = CostMetric::MEAN_SQUARE_ERROR) {
  std::vector<double> values;
  for (std::size_t i = 0; i < src.size(); ++i) values.push_back(static_cast<double>(src[i]));
  return bestMetadata(type, values.data(), values.size(), fmt);
}

}  // namespace poplar
#pragma GCC visibility pop

#endif
