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

// An index in parts, `count` of them at a time.
void add(AxisSplit& split, Cycles part, Cycles count) {
  split.parts.push_back(part);
  split.counts.push_back(count);
  split.used *= count;
}

// An axis of a single index is cut at multiples of `grain`.
Cycles grainOf(const std::vector<Cycles>& sizes, Cycles grain) {
  return sizes.size() == 1 ? grain : 1;
}

// The splits `all` of the first indices, with all splits of the others, into at most `most` parts.
std::vector<AxisSplit> combinations(std::vector<AxisSplit> all, const std::vector<Cycles>& sizes,
                                    Cycles grain, Cycles most) {
  const auto single = grainOf(sizes, grain);
  for (auto i = all.front().parts.size(); i < sizes.size(); ++i) {
    std::vector<AxisSplit> with;
    for (const auto& before : all)
      for (const auto part : partsOf(sizes[i], single, most / before.used)) {
        with.push_back(before);
        add(with.back(), part, ceilDiv(sizes[i], part));
      }
    all = std::move(with);
  }
  return all;
}

// Those that are not worse than others, in ascending order of `used`.
std::vector<AxisSplit> best(const std::vector<AxisSplit>& all, const std::vector<Cycles>& halos,
                            Cycles grain) {
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

}  // namespace

Cycles readBy(const AxisSplit& split, const std::vector<Cycles>& halos) {
  Cycles read = 1;
  for (std::size_t k = 0; k < halos.size(); ++k) read *= split.parts[k] + halos[k];
  return read;
}

std::vector<AxisSplit> allAxisSplits(const std::vector<Cycles>& sizes, Cycles grain, Cycles most) {
  auto all = combinations({AxisSplit{}}, sizes, grain, most);
  std::stable_sort(all.begin(), all.end(),
                   [](const AxisSplit& a, const AxisSplit& b) { return a.used < b.used; });
  return all;
}

std::vector<AxisSplit> axisSplits(const std::vector<Cycles>& sizes,
                                  const std::vector<Cycles>& halos, Cycles grain, Cycles most) {
  return best(combinations({AxisSplit{}}, sizes, grain, most), halos, grain);
}

std::map<Cycles, std::vector<AxisSplit>> serialAxisSplits(const std::vector<Cycles>& sizes,
                                                          const std::vector<Cycles>& halos,
                                                          Cycles grain, Cycles most,
                                                          Cycles mostSteps) {
  std::map<Cycles, std::vector<AxisSplit>> begun;
  AxisSplit single;  // a step has one element of each index before
  for (const auto size : sizes) {
    for (const auto part : partsOf(size, grainOf(sizes, grain), size)) {
      const auto all = ceilDiv(size, part);
      for (Cycles steps = 2; steps <= all && single.steps * steps <= mostSteps; ++steps) {
        if (all % steps > 0 || all / steps > most) continue;
        auto split = single;
        split.steps *= steps;
        add(split, part, all / steps);
        begun[split.steps].push_back(std::move(split));
      }
    }
    single.steps *= size;
    add(single, 1, 1);
  }
  std::map<Cycles, std::vector<AxisSplit>> found;
  for (const auto& [steps, splits] : begun) {
    std::vector<AxisSplit> all;
    for (const auto& split : splits)
      for (auto& each : combinations({split}, sizes, grain, most)) all.push_back(std::move(each));
    found[steps] = best(all, halos, grain);
  }
  return found;
}

}  // namespace popir
