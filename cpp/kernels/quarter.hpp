// QUARTER, the 8-bit float, in kernels.
#ifndef popir_kernels_quarter_hpp
#define popir_kernels_quarter_hpp

#include <poplar/QuarterFloat.hpp>

#include <array>

namespace popir {

/// The value of each code, by the byte of metadata.
inline std::array<float, 256> quarterValues(MetadataType byte) {
  const auto metadata = poplar::unpackMetadata(&byte);
  std::array<float, 256> values;
  for (unsigned code = 0; code < values.size(); ++code)
    values[code] = static_cast<float>(quarterValue(code, mantissaBits(metadata), metadata.scale));
  return values;
}

}  // namespace popir

#endif
