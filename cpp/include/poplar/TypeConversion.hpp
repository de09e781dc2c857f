// Numbers of the host as QUARTER and back. After poplar/TypeConversion.hpp of the Poplar SDK 3.
#ifndef poplar_TypeConversion_hpp
#define poplar_TypeConversion_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>
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
