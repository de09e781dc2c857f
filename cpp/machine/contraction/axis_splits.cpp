#include "machine/contraction/axis_splits.hpp"

#include <algorithm>
#include <tuple>

#include "machine/estimators/formulas.hpp"

namespace popir {
namespace {

// The sizes of a part, in descending order, when `size` elements are cut into at most `most` equal
// parts of whole grains (the last part may be smaller). E.g. size 10, grain 1, most 4: 10, 5, 4, 3.
std::vector<Cycles> partsOf(Cycles size, Cycles grain, Cycles most) {
  const auto grains = ceilDiv(size, grain);
  std::vector<Cycles> found;
  for (Cycles parts = 1; parts <= std::min(grains, most);) {
    const auto each = ceilDiv(grains, parts);
    if (ceilDiv(grains, each) <= most) found.push_back(std::min(size, each * grain));
    if (each == 1) break;
    parts = ceilDiv(grains, each - 1);
  }
  return found;
}

// All splits into at most `most` parts. An axis of a single index is cut at multiples of `grain`.
std::vector<AxisSplit> combinations(const std::vector<Cycles>& sizes, Cycles grain, Cycles most) {
  std::vector<AxisSplit> all{AxisSplit{}};
  const auto single = sizes.size() == 1 ? grain : 1;
  for (const auto size : sizes) {
    std::vector<AxisSplit> with;
    for (const auto& before : all)
      for (const auto part : partsOf(size, single, most / before.used)) {
        with.push_back(before);
        with.back().parts.push_back(part);
        with.back().used *= ceilDiv(size, part);
      }
    all = std::move(with);
  }
  return all;
}

}  // namespace

Cycles readBy(const AxisSplit& split, const std::vector<Cycles>& halos) {
  Cycles read = 1;
  for (std::size_t k = 0; k < halos.size(); ++k) read *= split.parts[k] + halos[k];
  return read;
}

std::vector<AxisSplit> allAxisSplits(const std::vector<Cycles>& sizes, Cycles grain, Cycles most) {
  auto all = combinations(sizes, grain, most);
  std::stable_sort(all.begin(), all.end(),
                   [](const AxisSplit& a, const AxisSplit& b) { return a.used < b.used; });
  return all;
}

std::vector<AxisSplit> axisSplits(const std::vector<Cycles>& sizes,
                                  const std::vector<Cycles>& halos, Cycles grain, Cycles most) {
  const auto all = combinations(sizes, grain, most);
  using Key = std::tuple<Cycles, Cycles, Cycles, std::size_t>;
  std::vector<std::pair<Key, std::size_t>> order;
  for (std::size_t i = 0; i < all.size(); ++i) {
    // Those that come later have shorter parts of the first index, and longer ones of the others.
    order.push_back(
        {{all[i].used, ceilDiv(all[i].elements(), grain), readBy(all[i], halos), all.size() - i},
         i});
  }
  std::sort(order.begin(), order.end());
  std::vector<AxisSplit> found;
  Cycles least = 0;
  for (const auto& [key, i] : order) {
    if (!found.empty() && std::get<1>(key) >= least) continue;
    least = std::get<1>(key);
    found.push_back(all[i]);
  }
  return found;
}

}  // namespace popir
