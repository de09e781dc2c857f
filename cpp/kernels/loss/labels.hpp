// Class labels of any integer type.
#ifndef popir_kernels_loss_labels_hpp
#define popir_kernels_loss_labels_hpp

#include <poplar/Type.hpp>

#include <cstdint>

namespace popir {

/// The label of a sample that has no class: MASKED_LABEL_CODE as a signed number.
constexpr std::int64_t kMaskedLabel = -1;

/// Reads labels as signed numbers. An unsigned label of 2^31 or more (2^63 or more if it has 64
/// bits) is read as a negative number. No class has such a number, so this changes no result.
class Labels {
 public:
  static bool supports(poplar::Type type) {
    return type == poplar::INT || type == poplar::UNSIGNED_INT || type == poplar::LONGLONG ||
           type == poplar::UNSIGNED_LONGLONG;
  }

  Labels(const void* data, poplar::Type type) : data_(data), wide_(type.sizeInBytes() == 8) {}
  std::int64_t operator[](std::int64_t i) const {
    return wide_ ? static_cast<const std::int64_t*>(data_)[i]
                 : static_cast<const std::int32_t*>(data_)[i];
  }

 private:
  const void* data_;
  bool wide_;
};

}  // namespace popir

#endif
