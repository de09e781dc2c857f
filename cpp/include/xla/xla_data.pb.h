// Element types, by XLA's names and numbers, and other values of its protocol buffers.
#ifndef XLA_XLA_DATA_PB_H_
#define XLA_XLA_DATA_PB_H_

#include <cstdint>
#include <vector>

namespace xla {

using int8 = std::int8_t;
using int16 = std::int16_t;
using int32 = std::int32_t;
using int64 = std::int64_t;
using uint8 = std::uint8_t;
using uint16 = std::uint16_t;
using uint32 = std::uint32_t;
using uint64 = std::uint64_t;

enum PrimitiveType : int {
  PRIMITIVE_TYPE_INVALID = 0,
  PRED = 1,
  S8 = 2,
  S16 = 3,
  S32 = 4,
  S64 = 5,
  U8 = 6,
  U16 = 7,
  U32 = 8,
  U64 = 9,
  F16 = 10,
  F32 = 11,
  F64 = 12,
  TUPLE = 13,
  C64 = 15,
  BF16 = 16,
  TOKEN = 17,
  C128 = 18,
};

/// How the target of a custom call is called.
enum CustomCallApiVersion : int {
  API_VERSION_UNSPECIFIED = 0,
  API_VERSION_ORIGINAL = 1,
  API_VERSION_STATUS_RETURNING = 2,
  API_VERSION_STATUS_RETURNING_UNIFIED = 3,
  API_VERSION_TYPED_FFI = 4,
};

/// Taken and ignored: operators run in the order that their operands ask for.
enum CustomCallSchedule : int {
  SCHEDULE_NONE = 0,
  SCHEDULE_LATEST = 1,
  SCHEDULE_EARLIEST = 2,
};

/// What Pad() adds to each dimension.
class PaddingConfig {
 public:
  class PaddingConfigDimension {
   public:
    int64 edge_padding_low() const { return low_; }
    int64 edge_padding_high() const { return high_; }
    int64 interior_padding() const { return interior_; }
    void set_edge_padding_low(int64 value) { low_ = value; }
    void set_edge_padding_high(int64 value) { high_ = value; }
    void set_interior_padding(int64 value) { interior_ = value; }

   private:
    int64 low_ = 0, high_ = 0, interior_ = 0;
  };

  const std::vector<PaddingConfigDimension>& dimensions() const { return dimensions_; }
  const PaddingConfigDimension& dimensions(int i) const {
    return dimensions_.at(static_cast<std::size_t>(i));
  }
  int dimensions_size() const { return static_cast<int>(dimensions_.size()); }
  PaddingConfigDimension* add_dimensions() { return &dimensions_.emplace_back(); }
  PaddingConfigDimension* mutable_dimensions(int i) {
    return &dimensions_.at(static_cast<std::size_t>(i));
  }

 private:
  std::vector<PaddingConfigDimension> dimensions_;
};

}  // namespace xla

#endif  // XLA_XLA_DATA_PB_H_
