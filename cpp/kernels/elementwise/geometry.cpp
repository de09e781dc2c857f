#include "kernels/elementwise/geometry.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

namespace popir {
namespace {

// Box length along each of two axes, where operands are contiguous along different axes.
constexpr std::int64_t kTileSide = 64;
// There, rows of up to this length are not cut, so that dense operands need no buffers.
constexpr std::int64_t kWholeRow = 256;
// Elements of a box that take longer than what a box costs on its own.
constexpr std::int64_t kLongRow = 512;

using Reach = MapPlan::Reach;

/// Stride along `axis`, in elements, of a box stored densely in a buffer.
std::int64_t denseStep(const MapPlan& plan, std::size_t axis) {
  std::int64_t step = 1;
  for (std::size_t a = axis + 1; a < plan.axes.size(); ++a) step *= plan.axes[a].box;
  return step;
}

Reach reachOf(const MapPlan& plan, const MapPlan::Operand& o) {
  bool direct = true, uniform = true;
  for (std::size_t a = 0; a < plan.axes.size(); ++a) {
    if (plan.axes[a].box == 1) continue;
    uniform = uniform && o.strides[a] == 0;
    direct =
        direct && o.strides[a] == denseStep(plan, a) * static_cast<std::int64_t>(o.elementBytes);
  }
  return direct ? Reach::Direct : uniform ? Reach::Uniform : Reach::Strided;
}

/// Whether some operand has one element in a box, and would have several if the box went on along
/// `axis`: it is filled into a buffer then.
bool endsUniform(const MapPlan& plan, std::size_t axis) {
  return std::any_of(plan.operands.begin(), plan.operands.end(), [&](const auto& o) {
    return o.strides[axis] != 0 && reachOf(plan, o) == Reach::Uniform;
  });
}

/// Merges adjacent axes that every operand can traverse with one stride, for example the axes of a
/// dense [4, 8] operand into one axis of 32.
void mergeAxes(MapPlan& plan) {
  std::size_t kept = 0;
  for (std::size_t a = 1; a < plan.axes.size(); ++a) {
    const std::int64_t inner = plan.axes[a].size;
    const bool joined = std::all_of(plan.operands.begin(), plan.operands.end(), [&](const auto& o) {
      return o.strides[kept] == o.strides[a] * inner;
    });
    if (joined)
      plan.axes[kept].size *= inner;
    else
      plan.axes[++kept] = plan.axes[a];
    for (auto& o : plan.operands) o.strides[kept] = o.strides[a];
  }
  plan.axes.resize(kept + 1);
  for (auto& o : plan.operands) o.strides.resize(kept + 1);
}

/// An axis along which some operand is contiguous while it is strided along the innermost axis; -1
/// if there is none. Such operands, for example a transposed one, need square boxes.
int crossAxis(const MapPlan& plan) {
  const std::size_t last = plan.axes.size() - 1;
  for (const auto& o : plan.operands) {
    const auto bytes = static_cast<std::int64_t>(o.elementBytes);
    if (o.strides[last] == 0 || o.strides[last] == bytes) continue;
    for (std::size_t a = 0; a < last; ++a)
      if (o.strides[a] == bytes && plan.axes[a].size >= 8 && plan.axes[last].size >= 8)
        return static_cast<int>(a);
  }
  return -1;
}

/// The channel block common to the blocked operands, or kPlain if no operand is blocked.
/// \throws std::invalid_argument if blocks or shapes differ
int commonBlock(const std::vector<Layout>& layouts, const std::vector<std::int64_t>& shape) {
  int block = Layout::kPlain;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const int b = layouts[i].channelBlock;
    if (layouts[i].shape != shape || (b != Layout::kPlain && block != Layout::kPlain && b != block))
      throw std::invalid_argument("map: operand " + std::to_string(i) +
                                  " has another shape or channel block than those before it");
    if (b != Layout::kPlain) block = b;
  }
  return block;
}

}  // namespace

void setAxes(MapPlan& plan, const std::vector<Layout>& layouts, std::size_t first) {
  const Layout& by = layouts[first];
  const int common = commonBlock(layouts, by.shape);
  const std::int64_t block = common == Layout::kChannelsLast ? by.shape[1] : common;
  plan.operands.resize(layouts.size());
  std::vector<std::vector<std::int64_t>> strides;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    plan.operands[i].elementBytes = layouts[i].type.sizeInBytes();
    strides.push_back(block > 0 ? layouts[i].split(block).strides : layouts[i].strides);
  }
  const auto shape = block > 0 ? by.split(block).shape : by.shape;
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != 1) order.push_back(d);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(strides[first][a]) > std::abs(strides[first][b]);
  });
  for (std::size_t d : order) plan.axes.push_back({shape[d], 1, shape[d]});
  if (plan.axes.empty()) plan.axes.push_back({1, 1, 1});
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    auto& o = plan.operands[i];
    o.strides.assign(plan.axes.size(), 0);
    for (std::size_t k = 0; k < order.size(); ++k)
      o.strides[k] = strides[i][order[k]] * static_cast<std::int64_t>(o.elementBytes);
  }
  plan.elements = static_cast<std::int64_t>(by.elements());
  if (plan.elements > 0) mergeAxes(plan);
}

void setBoxes(MapPlan& plan, std::int64_t target) {
  std::int64_t room = target;
  for (auto& a : plan.axes) a.box = 1;
  const auto give = [&](MapPlan::Axis& a, std::int64_t most) {
    const std::int64_t box = std::max<std::int64_t>(1, std::min(a.size, most));
    const std::int64_t boxes = (a.size + box - 1) / box;
    a.box = (a.size + boxes - 1) / boxes;
    room /= a.box;
  };
  const int cross = crossAxis(plan);
  if (cross >= 0) {
    give(plan.axes.back(), plan.axes.back().size <= kWholeRow ? kWholeRow : kTileSide);
    give(plan.axes[static_cast<std::size_t>(cross)], room);
  } else {
    std::int64_t elements = 1;
    for (std::size_t a = plan.axes.size(); a-- > 0; elements *= plan.axes[a].size) {
      if (elements >= kLongRow && endsUniform(plan, a)) break;
      give(plan.axes[a], room);
      if (plan.axes[a].box < plan.axes[a].size) break;
    }
  }
  plan.boxes = 1;
  plan.capacity = 1;
  for (auto& a : plan.axes) {
    a.boxes = (a.size + a.box - 1) / a.box;
    plan.boxes *= a.boxes;
    plan.capacity *= a.box;
  }
  for (auto& o : plan.operands) o.reach = reachOf(plan, o);
}

}  // namespace popir
