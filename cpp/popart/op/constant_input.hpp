// Integers that an operator has as a constant.
#ifndef popir_popart_op_constant_input_hpp
#define popir_popart_op_constant_input_hpp

#include <popart/op.hpp>
#include <popart/tensor.hpp>
#include <popart/tensordata.hpp>
#include <popart/vendored/optional.hpp>

#include <cstring>
#include <vector>

namespace popart {

/// The elements of a constant input of 32 or 64 bits. Nothing where the input is not there, or is no
/// such constant.
inline nonstd::optional<std::vector<int64_t>> constantInput(const Op& op, InIndex index) {
  if (!op.hasInput(index)) return {};
  const Tensor* tensor = op.inTensor(index);
  if (!tensor->hasTensorData()) return {};
  const auto count = static_cast<std::size_t>(tensor->info.nelms());
  const void* data = tensor->tensorData()->data();
  std::vector<int64_t> values(count);
  if (tensor->info.dataType() == DataType::INT64) {
    std::memcpy(values.data(), data, count * sizeof(int64_t));
  } else if (tensor->info.dataType() == DataType::INT32) {
    std::vector<int32_t> narrow(count);
    std::memcpy(narrow.data(), data, count * sizeof(int32_t));
    values.assign(narrow.begin(), narrow.end());
  } else {
    return {};
  }
  return values;
}

}  // namespace popart

#endif
