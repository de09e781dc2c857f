#include "kernels/kernel.hpp"

#include <algorithm>
#include <stdexcept>

namespace popir {

std::size_t Layout::elements() const {
  std::size_t n = 1;
  for (auto d : shape) n *= static_cast<std::size_t>(d);
  return n;
}

bool Layout::dense() const {
  if (channelBlock != kPlain) return false;
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1) continue;
    if (strides[i] != step) return false;
    step *= shape[i];
  }
  return true;
}

Layout Layout::split(std::int64_t block) const {
  auto dims = shape;
  dims[1] /= block;
  dims.push_back(block);
  if (channelBlock != kPlain) return rowMajor(type, std::move(dims));
  Layout plain{type, std::move(dims), strides};
  plain.strides[1] *= block;
  plain.strides.push_back(strides[1]);
  return plain;
}

Layout Layout::rowMajor(poplar::Type type, std::vector<std::int64_t> shape) {
  Layout layout;
  layout.type = type;
  layout.strides.resize(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    layout.strides[i] = step;
    step *= shape[i];
  }
  layout.shape = std::move(shape);
  return layout;
}

std::optional<Prepacked> Runner::prepacked(std::size_t) const { return std::nullopt; }

bool Kernel::accepts(std::size_t, const Layout& layout) const { return layout.dense(); }

std::uint64_t Kernel::operations(const std::vector<Layout>& operands) const {
  std::size_t most = 0;
  for (const Layout& each : operands) most = std::max(most, each.elements());
  return most;
}

void Kernel::check(const std::vector<OperandInfo>&) const {
  throw std::invalid_argument("vertices of this kernel are in no file");
}

}  // namespace popir
