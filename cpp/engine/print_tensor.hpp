// The text of program::PrintTensor.
#ifndef popir_engine_print_tensor_hpp
#define popir_engine_print_tensor_hpp

#include <poplar/PrintTensor.hpp>
#include <poplar/Type.hpp>

#include <string>
#include <vector>

namespace popir {

/// Row-major values of `shape`: "[1 2 3]"; a matrix is "[\n [1 2]\n [3 4]\n]".
std::string tensorText(poplar::Type type, const void* values,
                       const std::vector<std::int64_t>& shape,
                       const poplar::PrintTensorFmt& format);

}  // namespace popir

#endif
