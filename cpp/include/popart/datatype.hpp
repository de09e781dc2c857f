// Element types of the compiler's tensors. After popart/datatype.hpp of PopART 3.
#ifndef popart_datatype_hpp
#define popart_datatype_hpp

#include <popart/basicoptionals.hpp>

#include <ostream>

#pragma GCC visibility push(default)

namespace popart {

enum class DataType {
  UINT8 = 0,
  INT8,
  FLOAT8_143,
  FLOAT8_152,
  UINT16,
  INT16,
  INT32,
  INT64,
  UINT32,
  UINT64,
  BOOL,
  FLOAT,
  FLOAT16,
  BFLOAT16,
  DOUBLE,
  COMPLEX64,
  COMPLEX128,
  STRING,
  UNDEFINED,
};

using OptionalDataType = BasicOptional<DataType, 0>;

/// Writes the name: "FLOAT".
std::ostream& operator<<(std::ostream& os, const DataType& type);

}  // namespace popart

#pragma GCC visibility pop

#endif
