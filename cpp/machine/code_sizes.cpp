#include "machine/code_sizes.hpp"

#include <map>

namespace popir {

std::optional<unsigned> assembledBytes(const std::string& vertexClass) {
  static const std::map<std::string, unsigned> sizes = {
      {"poplin::ConvPartial1x1Out", 548 + 664},
      {"poplin::ConvPartialnx1", 1388 + 848 + 68},
      {"poplin::ConvPartial1xNSLIC", 8 + 356 + 552 + 128},
      {"poplin::ConvPartialHorizontalMac", 412 + 520},
      {"poplin::ConvPartialVerticalMac", 240 + 508 + 140 + 100},
      {"poplin::OuterProduct", 364},
      {"popops::Reduce", 8 + 352},
      {"popops::Fill", 144},
      {"popops::Clamp", 212},
      {"popops::ClampInPlace", 212},
      {"popops::BroadcastClamp", 188},
      {"popops::BroadcastClampInPlace", 188},
      {"popops::Histogram1D", 476 + 116 + 68},
      {"popops::Select", 168},
      {"popops::SelectInPlace", 168},
      {"popops::MultiSlice", 12 + 412 + 32},
      {"popops::MultiUpdate", 12 + 412 + 32},
      {"popops::BroadcastVectorInner", 16 + 188 + 524},
      {"popops::BroadcastVectorInnerInPlace", 188 + 524},
      {"popops::BroadcastVectorOuter", 36 + 92 + 80},
      {"popops::BroadcastVectorOuterInPlace", 36 + 92 + 80},
      {"popops::UnaryOp1D", 20 + 260},
      {"popops::UnaryOp1DInPlace", 260},
      {"popops::ScaledAdd", 356},
      {"popops::aXPlusbY", 556},
      {"popnn::MaxPooling", 392},
      {"popnn::SumPooling", 400},
      {"popnn::MaxPoolingGradient", 432},
      {"popnn::LossSumSquaredTransform", 120},
      {"popnn::LossCrossEntropyTransform", 240},
      {"popnn::ReduceMaxClassGather", 156},
      {"popnn::ReduceMinClassGather", 156},
      {"poprand::Normal", 180},
      {"poprand::TruncatedNormal", 344},
      {"poprand::Uniform", 180},
      {"poprand::Bernoulli", 144},
      {"poprand::Dropout", 208}};
  const auto found = sizes.find(vertexClass);
  return found == sizes.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace popir
