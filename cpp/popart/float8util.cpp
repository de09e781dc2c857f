#include <popart/util/float8util.hpp>

#include <popart/error.hpp>
#include <popart/tensor.hpp>
#include <popir/Abort.hpp>
#include <poplar/MetadataCreation.hpp>
#include <popops/ElementWise.hpp>

#include <utility>

namespace popart {
namespace {

bool isScalarOfInt32(const TensorInfo& info) {
  return info.dataType() == DataType::INT32 && info.rank() == 0;
}

}  // namespace

void validateOpFloat8Inputs(const TensorIndexMap* inputs, InIndex log2Scale,
                            std::string debugName) {
  const Tensor *with = nullptr, *without = nullptr;
  for (const auto& [index, tensor] : inputs->tensorMap())
    if (index != log2Scale) (isFloat8(tensor->info.dataType()) ? with : without) = tensor;
  if (with != nullptr && without != nullptr)
    throw error("{}: Invalid operand type: {} beside {}; where one operand has 8 bits all have",
                debugName, without->info.dataType(), with->info.dataType());
  if (!inputs->hasIndex(log2Scale)) {
    if (with != nullptr)
      throw error("{}: Log2 scale input tensor must be provided, as input {}, for {}", debugName,
                  log2Scale, with->info.dataType());
    return;
  }
  const TensorInfo& scale = inputs->tensor(log2Scale)->info;
  if (with == nullptr)
    throw error(
        "{}: Log2 scale input tensor not accepted, as input {}, for operands that have not "
        "8 bits",
        debugName, log2Scale);
  if (scale.dataType() != DataType::INT32)
    throw error("{}: Invalid log2 scale input type {}; expected is INT32", debugName,
                scale.dataType());
  if (!isScalarOfInt32(scale))
    throw error("{}: Log2 scale must be a scalar tensor; it is {}", debugName, scale);
}

bool opInputsAreValidPow2ScaledInputs(const TensorIndexMap* inputs, InIndex log2Scale) {
  if (!inputs->hasIndex(log2Scale)) return false;
  for (const auto& [index, tensor] : inputs->tensorMap())
    if (index == log2Scale ? !isScalarOfInt32(tensor->info) : !isFloat8(tensor->info.dataType()))
      return false;
  return true;
}

poplar::Tensor reinterpretCastUInt8ToQuarter(poplar::Graph& graph, poplar::Tensor& x,
                                             poplar::Tensor& metadata,
                                             poplar::program::Sequence& prog,
                                             poplar::DebugContext dc) {
  if (x.elementType() != poplar::UNSIGNED_CHAR)
    throw error("a tensor of {} as one of 8-bit floats; expected is unsigned char",
                x.elementType().toString());
  const auto made = graph.clone(poplar::QUARTER, metadata, x, dc);
  prog.add(poplar::program::Copy(x, made.reinterpret(poplar::UNSIGNED_CHAR), false, dc));
  return made;
}

poplar::Tensor reinterpretCastUInt8ToQuarter(poplar::Graph& graph, poplar::Tensor& x,
                                             poplar::QuarterMetadata::Format format,
                                             poplar::Tensor& log2Scale,
                                             poplar::program::Sequence& prog,
                                             poplar::DebugContext dc) {
  auto metadata = poplar::createVariableMetadataTensor(graph, format, log2Scale, prog, dc);
  return reinterpretCastUInt8ToQuarter(graph, x, metadata, prog, dc);
}

poplar::Tensor reinterpretCastUInt8ToQuarter(poplar::Graph& graph, poplar::Tensor& x,
                                             poplar::QuarterMetadata::Format format, int log2Scale,
                                             poplar::program::Sequence& prog,
                                             poplar::DebugContext dc) {
  auto metadata = poplar::createConstantMetadataTensor(graph, format, log2Scale, dc);
  return reinterpretCastUInt8ToQuarter(graph, x, metadata, prog, dc);
}

poplar::program::Sequence createAssertLog2ScaleInRangeProg(poplar::Graph& graph,
                                                           poplar::Tensor& log2Scale, int lower,
                                                           int upper, poplar::DebugContext dc) {
  namespace pe = popops::expr;
  poplar::program::Sequence prog;
  const auto outside = popops::map(
      graph, pe::Or(pe::Lt(pe::_1, pe::Const(lower)), pe::Gte(pe::_1, pe::Const(upper))),
      {log2Scale}, prog, dc);
  popir::abortOnCondition(graph, outside,
                          "Log2 scale is not in the range [" + std::to_string(lower) + ", " +
                              std::to_string(upper) + ").",
                          prog, dc);
  return prog;
}

poplar::QuarterMetadata::Format toPoplarQuarterFormat(DataType type) {
  if (!isFloat8(type)) throw error("{} is no 8-bit float", type);
  return type == DataType::FLOAT8_143 ? poplar::QuarterMetadata::Format::F143
                                      : poplar::QuarterMetadata::Format::F152;
}

}  // namespace popart
