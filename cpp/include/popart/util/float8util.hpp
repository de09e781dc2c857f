// 8-bit floats of operators. After popart/util/float8util.hpp of PopART 3.
#ifndef popart_util_float8util_hpp
#define popart_util_float8util_hpp

#include <popart/datatype.hpp>
#include <popart/names.hpp>
#include <popart/tensorindex.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>

#include <string>

#pragma GCC visibility push(default)

namespace popart {

inline bool isFloat8(DataType type) {
  return type == DataType::FLOAT8_143 || type == DataType::FLOAT8_152;
}

/// \throws error where one of an operator's inputs has 8 bits and another has not, where they have
/// and input `log2Scale` is no scalar of INT32, or is missing, and where it is there and they have
/// not; `debugName` is the operator's
void validateOpFloat8Inputs(const TensorIndexMap* inputs, InIndex log2Scale, std::string debugName);
/// Whether all inputs but `log2Scale` have 8 bits, and that is a scalar of INT32.
bool opInputsAreValidPow2ScaledInputs(const TensorIndexMap* inputs, InIndex log2Scale);

/// A copy of `x`, UNSIGNED_CHAR, as QUARTER with metadata; the last two make them, of a scale that the
/// device has or of a known one.
/// \throws error for another type
poplar::Tensor reinterpretCastUInt8ToQuarter(poplar::Graph& graph, poplar::Tensor& x,
                                             poplar::Tensor& metadata,
                                             poplar::program::Sequence& prog,
                                             poplar::DebugContext dc = {});
poplar::Tensor reinterpretCastUInt8ToQuarter(poplar::Graph& graph, poplar::Tensor& x,
                                             poplar::QuarterMetadata::Format format,
                                             poplar::Tensor& log2Scale,
                                             poplar::program::Sequence& prog,
                                             poplar::DebugContext dc = {});
poplar::Tensor reinterpretCastUInt8ToQuarter(poplar::Graph& graph, poplar::Tensor& x,
                                             poplar::QuarterMetadata::Format format, int log2Scale,
                                             poplar::program::Sequence& prog,
                                             poplar::DebugContext dc = {});

/// A program that ends the run with an error unless lower <= log2Scale < upper.
poplar::program::Sequence createAssertLog2ScaleInRangeProg(poplar::Graph& graph,
                                                           poplar::Tensor& log2Scale, int lower,
                                                           int upper, poplar::DebugContext dc = {});

/// \throws error for a type that has not 8 bits
poplar::QuarterMetadata::Format toPoplarQuarterFormat(DataType type);

}  // namespace popart

#pragma GCC visibility pop

#endif
