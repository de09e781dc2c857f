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

#define XLA_DATA_NUMBERS(NAME)                                                             \
 public:                                                                                   \
  const std::vector<int64>& NAME() const { return NAME##_; }                               \
  int64 NAME(int i) const { return NAME##_.at(static_cast<std::size_t>(i)); }              \
  int NAME##_size() const { return static_cast<int>(NAME##_.size()); }                     \
  void add_##NAME(int64 value) { NAME##_.push_back(value); }                               \
  void set_##NAME(int i, int64 value) { NAME##_.at(static_cast<std::size_t>(i)) = value; } \
  void clear_##NAME() { NAME##_.clear(); }                                                 \
                                                                                           \
 private:                                                                                  \
  std::vector<int64> NAME##_;
#define XLA_DATA_NUMBER(NAME)                       \
 public:                                            \
  int64 NAME() const { return NAME##_; }            \
  void set_##NAME(int64 value) { NAME##_ = value; } \
                                                    \
 private:                                           \
  int64 NAME##_ = 0;

/// Which dimensions of the operands DotGeneral() pairs.
class DotDimensionNumbers {
  XLA_DATA_NUMBERS(lhs_contracting_dimensions)
  XLA_DATA_NUMBERS(rhs_contracting_dimensions)
  XLA_DATA_NUMBERS(lhs_batch_dimensions)
  XLA_DATA_NUMBERS(rhs_batch_dimensions)
};

/// Which dimensions of a convolution are which.
class ConvolutionDimensionNumbers {
  XLA_DATA_NUMBER(input_batch_dimension)
  XLA_DATA_NUMBER(input_feature_dimension)
  XLA_DATA_NUMBERS(input_spatial_dimensions)
  XLA_DATA_NUMBER(kernel_input_feature_dimension)
  XLA_DATA_NUMBER(kernel_output_feature_dimension)
  XLA_DATA_NUMBERS(kernel_spatial_dimensions)
  XLA_DATA_NUMBER(output_batch_dimension)
  XLA_DATA_NUMBER(output_feature_dimension)
  XLA_DATA_NUMBERS(output_spatial_dimensions)
};

/// How Gather() reads boxes of its operand.
class GatherDimensionNumbers {
  XLA_DATA_NUMBERS(offset_dims)
  XLA_DATA_NUMBERS(collapsed_slice_dims)
  XLA_DATA_NUMBERS(start_index_map)
  XLA_DATA_NUMBERS(operand_batching_dims)
  XLA_DATA_NUMBERS(start_indices_batching_dims)
  XLA_DATA_NUMBER(index_vector_dim)
};

/// How Scatter() writes boxes of its operand.
class ScatterDimensionNumbers {
  XLA_DATA_NUMBERS(update_window_dims)
  XLA_DATA_NUMBERS(inserted_window_dims)
  XLA_DATA_NUMBERS(scatter_dims_to_operand_dims)
  XLA_DATA_NUMBERS(input_batching_dims)
  XLA_DATA_NUMBERS(scatter_indices_batching_dims)
  XLA_DATA_NUMBER(index_vector_dim)
};

#undef XLA_DATA_NUMBERS
#undef XLA_DATA_NUMBER

}  // namespace xla

#endif  // XLA_XLA_DATA_PB_H_
