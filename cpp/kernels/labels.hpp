// Class labels of any integer type.
#ifndef popir_kernels_labels_hpp
#define popir_kernels_labels_hpp

#include <poplar/Type.hpp>

#include <cstdint>

namespace popir {

/// Reads labels as signed numbers. Unsigned ones too large for a class come out negative, which is
/// no class either, and as which -1 and MASKED_LABEL_CODE are one number.
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
