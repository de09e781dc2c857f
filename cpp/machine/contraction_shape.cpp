#include "machine/contraction_shape.hpp"

#include <algorithm>
#include <cstdlib>

namespace popir {
namespace {

// Where sizes begin that a product of matrices has not, and how many each field dimension has.
constexpr std::size_t kPass = 8, kBatch = 9, kField = 10, kPerField = 7;
enum Pass { kProduct, kForward, kDataGradient, kWeightsGradient };

std::int64_t floorDiv(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

ContractionShape product(const VertexWork& w) {
  const auto size = [&](std::size_t i) { return static_cast<std::int64_t>(w.size(i)); };
  ContractionShape s;
  s.indices = {{Axis::Group, size(0)},
               {Axis::Row, size(1)},
               {Axis::Inner, size(2)},
               {Axis::Column, size(3)},
               {Axis::Tap, size(4)}};
  const auto dim = [&](std::size_t i) { return OperandDim{s.indices[i].size, i}; };
  s.operands = {{{dim(0), dim(1), dim(2)}, {dim(0), dim(2), dim(3)}, {dim(0), dim(1), dim(3)}}};
  if (size(4) > 1) s.operands[1].push_back(dim(4));
  return s;
}

}  // namespace

Stretch OperandDim::meets(Stretch of, Stretch taps) const {
  if (!window) return of;
  if (of.size() == 0 || taps.size() == 0) return {};
  std::int64_t least = of.begin * step, most = (of.end - 1) * step;
  if (step < 0) std::swap(least, most);
  const auto first = taps.begin * tapStep, last = (taps.end - 1) * tapStep;
  least += std::min(first, last) + offset;
  most += std::max(first, last) + offset;
  const auto begin = std::max<std::int64_t>(0, -floorDiv(-least, divisor));
  return {begin, std::max(begin, std::min(size, floorDiv(most, divisor) + 1))};
}

ContractionShape ContractionShape::of(const VertexWork& w) {
  const auto pass = w.size(kPass, kProduct);
  const auto fields = w.sizes.size() > kField ? (w.sizes.size() - kField) / kPerField : 0;
  if (pass == kProduct) return product(w);
  const bool forward = pass == kForward, data = pass == kDataGradient, weights = !forward && !data;
  const auto size = [&](std::size_t i) { return static_cast<std::int64_t>(w.size(i)); };
  const auto field = [&](std::size_t d, std::size_t i) { return size(kField + d * kPerField + i); };
  std::int64_t kernel = 1;
  for (std::size_t d = 0; d < fields; ++d) kernel *= field(d, 2);
  ContractionShape s;
  s.result = forward ? 2 : data ? 0 : 1;
  const auto add = [&](Axis axis, std::int64_t n) {
    s.indices.push_back({axis, n});
    return s.indices.size() - 1;
  };
  // Sizes of the contraction name channels as this pass has them.
  const auto inner = size(2), columns = size(3);
  const auto group = add(Axis::Group, size(0));
  const auto batch = add(weights ? Axis::Inner : Axis::Row, size(kBatch));
  const auto in = weights   ? add(Axis::Row, size(1) / kernel)
                  : forward ? add(Axis::Inner, inner)
                            : add(Axis::Column, columns);
  const auto out = add(data ? Axis::Inner : Axis::Column, data ? inner : columns);
  const auto dim = [&](std::size_t i) { return OperandDim{s.indices[i].size, i}; };
  s.operands[0] = {dim(batch), dim(group), dim(in)};
  s.operands[1] = {dim(group), dim(out), dim(in)};
  s.operands[2] = {dim(batch), dim(group), dim(out)};
  for (std::size_t d = 0; d < fields; ++d) {
    const auto inField = field(d, 0), outField = field(d, 1), stride = field(d, 3),
               dilation = field(d, 4), inDilation = field(d, 5), pad = field(d, 6);
    const auto points = add(weights ? Axis::Tap : Axis::Row, data ? inField : outField);
    const auto taps = add(weights ? Axis::Row : Axis::Tap, field(d, 2));
    const OperandDim met =
        data ? OperandDim{outField, points, true, taps, inDilation, -dilation, pad, stride}
             : OperandDim{inField, points, true, taps, stride, dilation, -pad, inDilation};
    s.operands[0].push_back(data ? dim(points) : met);
    s.operands[1].push_back(dim(taps));
    s.operands[2].push_back(data ? met : dim(points));
  }
  return s;
}

std::int64_t ContractionShape::halo(std::size_t index) const {
  for (const auto& operand : operands)
    for (const auto& d : operand) {
      if (!d.window) continue;
      const auto step = std::abs(d.step), tapStep = std::abs(d.tapStep);
      if (d.index == index) return (indices[d.tap].size - 1) * tapStep / step;
      if (d.tap == index) return (indices[d.index].size - 1) * step / tapStep;
    }
  return 0;
}

std::int64_t ContractionShape::elements(std::size_t operand) const {
  std::int64_t n = 1;
  for (const auto& d : operands[operand]) n *= d.size;
  return n;
}

Axis ContractionShape::lacks(std::size_t operand) const {
  bool has[5] = {};
  for (const auto& d : operands[operand]) has[static_cast<int>(indices[d.index].axis)] = true;
  return !has[static_cast<int>(Axis::Row)]      ? Axis::Row
         : !has[static_cast<int>(Axis::Column)] ? Axis::Column
                                                : Axis::Inner;
}

std::size_t ContractionShape::lacking(Axis axis) const {
  for (std::size_t o = 0; o < operands.size(); ++o)
    if (o != result && lacks(o) == axis) return o;
  return result;
}

}  // namespace popir
