#include "machine/contraction/shape.hpp"

#include <algorithm>
#include <cstdlib>

namespace popir {
namespace {

using Pass = ContractionWork::Pass;

std::int64_t floorDiv(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

std::int64_t signedOf(std::uint64_t size) { return static_cast<std::int64_t>(size); }

ContractionShape product(const ContractionWork& w) {
  ContractionShape s;
  s.indices = {{Axis::Group, signedOf(w.groups)},
               {Axis::Row, signedOf(w.rows)},
               {Axis::Inner, signedOf(w.inner)},
               {Axis::Column, signedOf(w.columns)},
               {Axis::Tap, signedOf(w.kernelElements)}};
  const auto dim = [&](std::size_t i) { return OperandDim{s.indices[i].size, i}; };
  s.operands = {{{dim(0), dim(1), dim(2)}, {dim(0), dim(2), dim(3)}, {dim(0), dim(1), dim(3)}}};
  if (w.kernelElements > 1) s.operands[1].push_back(dim(4));
  return s;
}

/// A field whose neighbouring dimensions are one where a kernel of one point walks through them
/// element by element: a stretch of these may go over the end of a row. PopLibs flattens them, too.
std::vector<FieldDim> flattened(const std::vector<FieldDim>& field) {
  const auto isPlain = [](const FieldDim& d) {
    return d.kernel == 1 && d.stride == 1 && d.inDilation == 1 && d.padLower == 0 &&
           d.input == d.output;
  };
  std::vector<FieldDim> found;
  for (const auto& d : field) {
    if (!found.empty() && isPlain(found.back()) && isPlain(d)) {
      found.back().input *= d.input;
      found.back().output *= d.output;
    } else {
      found.push_back(d);
    }
  }
  return found;
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
  const auto begin = std::clamp<std::int64_t>(-floorDiv(-least, divisor), 0, size);
  return {begin, std::clamp(floorDiv(most, divisor) + 1, begin, size)};
}

ContractionShape ContractionShape::of(const ContractionWork& w) {
  if (w.pass == Pass::Product) return product(w);
  const bool forward = w.pass == Pass::Forward, data = w.pass == Pass::DataGradient,
             weights = w.pass == Pass::WeightsGradient;
  std::int64_t kernel = 1;
  for (const auto& d : w.field) kernel *= d.kernel;
  ContractionShape s;
  s.result = forward ? 2 : data ? 0 : 1;
  const auto add = [&](Axis axis, std::int64_t n) {
    s.indices.push_back({axis, n});
    return s.indices.size() - 1;
  };
  // `inner` and `columns` are named after this pass: in a data gradient they are the output
  // channels and the input channels of the forward pass.
  const auto inner = signedOf(w.inner), columns = signedOf(w.columns);
  const auto group = add(Axis::Group, signedOf(w.groups));
  const auto batch = add(weights ? Axis::Inner : Axis::Row, signedOf(w.batch));
  const auto in = weights   ? add(Axis::Row, signedOf(w.rows) / kernel)
                  : forward ? add(Axis::Inner, inner)
                            : add(Axis::Column, columns);
  const auto out = add(data ? Axis::Inner : Axis::Column, data ? inner : columns);
  const auto dim = [&](std::size_t i) { return OperandDim{s.indices[i].size, i}; };
  s.operands[0] = {dim(batch), dim(group), dim(in)};
  s.operands[1] = {dim(group), dim(out), dim(in)};
  s.operands[2] = {dim(batch), dim(group), dim(out)};
  for (const auto& d : flattened(w.field)) {
    const auto points = add(weights ? Axis::Tap : Axis::Row, data ? d.input : d.output);
    const auto taps = add(weights ? Axis::Row : Axis::Tap, d.kernel);
    const OperandDim met = data ? OperandDim{d.output,     points,      true,       taps,
                                             d.inDilation, -d.dilation, d.padLower, d.stride}
                                : OperandDim{d.input,  points,     true,        taps,
                                             d.stride, d.dilation, -d.padLower, d.inDilation};
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
