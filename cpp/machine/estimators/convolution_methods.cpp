// The methods of convolutions that PopLibs has beside AMP: sliding windows (SLIC), products along
// channels (HMAC) and along groups (VMAC), and outer products. The formulas are those of its planner.
#include "machine/estimators/convolution.hpp"

namespace popir {
namespace {

// What a loop of a supervisor costs beside its body: a branch stalls but in the last round.
Cycles branches(Cycles rounds) { return 6 * (rounds - 1) + 1; }

Cycles kernelWidth(const ContractionWork& w) {
  return w.field.empty() ? w.kernelElements : static_cast<Cycles>(w.field.back().kernel);
}

// Rows that workers share, if each of `all` rows can be cut into as many pieces as divide it evenly:
// those that one of them has whole, and the pieces of others that it has.
struct SharedRows {
  Cycles pieces, whole, part;

  SharedRows(const TargetSpec& spec, Cycles all) {
    const Cycles workers = spec.numWorkerContexts;
    pieces = workers / std::gcd(workers, all);
    const auto most = ceilDiv(all * pieces, workers);
    whole = most / pieces;
    part = most % pieces;
  }
};

// A worker's cycles for `n` elements of a row with a window of four kernel elements.
Cycles windowRow(const ConvGrains& grains, bool floatSums, bool eight, bool stride2, bool first,
                 Cycles n) {
  Cycles row;
  if (stride2)
    row = n < 3 ? 10 + (n == 1 ? 3 : 5) : 15 + 2 * (n - 3);
  else if (n >= (eight ? 6 : 5))
    row = 15 + (n - 5) + (eight && !first ? 3 : 0);
  else if (first)
    row = 13 + (n > 1 ? n : 0);
  else
    row = n == 1 ? 13 : 17 + n;
  row -= floatSums;
  const Cycles passes = grains.units == 4 ? 1 : 2;
  return (eight ? 9 : 10) + first + 3 * floatSums + passes * row;
}

// The same of 8-bit floats, whose vertex is C++ around assembly, and passes twice over a row.
Cycles quarterWindowRow(bool stride2, bool first, Cycles n) {
  constexpr Cycles few[] = {0, 3, 5, 9, 10}, fewMore[] = {0, 8, 10, 13, 13};
  Cycles row;
  if (stride2)
    row = n < 3 ? 6 + (n == 1 ? 3 : 6) : 13 + 2 * (n - 3);
  else if (first)
    row = n < 5 ? 8 + few[n] : 14 + (n - 5);
  else
    row = 18 + (n < 5 ? 2 + fewMore[n] : 12 + (n - 5));
  return 24 + 2 * row;
}

Cycles quarterSlidingWindow(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains,
                            Cycles windows, Cycles vertices) {
  const Cycles workers = spec.numWorkerContexts;
  const bool stride2 = !w.field.empty() && w.field.back().stride == 2;
  const auto field = FieldRows(w);
  const auto pass = [&](bool first) {
    const auto row = [&](Cycles n) { return quarterWindowRow(stride2, first, n); };
    return workers * (20 + overWorkers(spec, field, row).most);
  };
  constexpr Cycles load = 32 + 6;
  const auto begin = 6 * workers + load;  // of each pass: the call, and the weights
  const auto ofGroup = 13 * workers + 15 + begin + 6 * workers + 12 + pass(true) +
                       (windows - 1) * (begin + 5 * workers + 8 + pass(false));
  return vertices * (43 + ceilDiv(w.groups, grains.groups) * ofGroup);
}

// A dot product of `n` elements, for two columns at once if sums are halves.
Cycles dotProduct(const TargetSpec& spec, bool floats, bool floatSums, Cycles n) {
  const bool halves = !floats && !floatSums;
  const Cycles columns = halves ? 2 : 1, together = floats ? 2 : 4;
  auto width = vectorWidth(spec, floats ? poplar::FLOAT : poplar::HALF);
  while (n % width > 0) width /= 2;
  const Cycles each = width >= together ? 1 : 2;
  return 3 * columns + halves + 4 + (width < together ? columns : 0) + n / width * each - !floats;
}

}  // namespace

Cycles slidingWindow(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains,
                     bool floatSums) {
  const bool eight = grains.units == 2 && !floatSums;
  const bool stride2 = !w.field.empty() && w.field.back().stride == 2;
  const auto groups = ceilDiv(w.groups, grains.groups);
  const auto width = kernelWidth(w);
  const auto windows = ceilDiv(width, 4) * (w.kernelElements / width);
  // A vertex has the channels of one group.
  const auto vertices = ceilDiv(w.inner, grains.inner) * ceilDiv(w.columns, grains.columns);
  if (w.type == poplar::QUARTER) return quarterSlidingWindow(spec, w, grains, windows, vertices);
  const auto field = FieldRows(w);
  const Cycles before = 17 + (grains.groups > 4 ? 4 : 0) + (eight ? 2 : 0);
  const auto pass = [&](bool first) {
    const auto most = overWorkers(spec, field, [&](Cycles n) {
                        return windowRow(grains, floatSums, eight, stride2, first, n);
                      }).most;
    const Cycles merged = eight && first ? 2 + 2 * field.rows * field.length : 0;
    return supervised(spec, merged, before + most);
  };
  // Weights are loaded by the supervisor; where a group has less than four channels, workers put them
  // in order before.
  Cycles load = 16 + 18;
  if (grains.inner < 4)
    load = 16 + 9 + 6 + 6 +
           spec.numWorkerContexts * ((grains.groups == 2 ? 12 : 10) + (grains.groups > 4));
  Cycles ofGroups = eight ? 12 : 15, ofWindow = load + 16 + (eight ? 0 : 4);
  auto later = pass(false);
  if (grains.groups > 4) {
    const auto strides = grains.groups / 4;
    ofWindow = strides * (load + 21) + branches(strides) + 15;
    ofGroups += 8;
    later *= strides;
  }
  return vertices * ((eight ? 25 : 28) + ofGroups * groups + branches(groups) + ofWindow * windows +
                     branches(windows) + groups * (pass(true) + (windows - 1) * later));
}

Cycles zeroingSums(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains,
                   bool floatSums, Estimate estimate) {
  const bool floats = floatSums || estimate == Estimate::Plan;
  const auto elements = ceilDiv(w.rows * grains.columns, spec.numWorkerContexts);
  const auto vectors = ceilDiv(elements, vectorWidth(spec, floats ? poplar::FLOAT : poplar::HALF));
  return supervised(spec, 0, w.groups * ceilDiv(w.columns, grains.columns) * (vectors + 5));
}

Cycles horizontalMac(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains,
                     bool floatSums, Estimate estimate) {
  const bool floats = w.type == poplar::FLOAT, single = !floats && floatSums && isOneByOne(w);
  const Cycles workers = spec.numWorkerContexts;
  const auto groups = w.groups, in = ceilDiv(w.inner, grains.inner),
             out = ceilDiv(w.columns, grains.columns);
  const auto field = FieldRows(w);
  const SharedRows rows(spec, field.rows);
  const auto columns = floatSums ? grains.columns : ceilDiv(grains.columns, 2);
  const auto dot = dotProduct(spec, floats, floatSums, grains.inner);
  const auto row = [&](Cycles n) -> Cycles {
    if (n == 0) return 7;
    if (single && columns == 1) return 14 + n * (2 + dot);
    return (single ? 13 : 19) + n * (7 + columns * dot);
  };
  const Cycles kept = single ? 15 : floats ? 0 : 6;
  auto each = 16 - kept + rows.whole * row(field.length);
  if (rows.part > 0) each += row(rows.part * (field.length + rows.pieces - 1) / rows.pieces);
  const auto inner = workers * (w.kernelElements * each + 16);
  const bool sets = single && in == 1 && grains.columns == 1;
  const auto zeroing = sets ? 0 : zeroingSums(spec, w, grains, floatSums, estimate);
  const Cycles keptOnce = single ? 15 : floatSums ? 0 : 6;
  return (floats ? 58 : 65) - 10 * single + workers * ((floatSums ? 9 : 10) + keptOnce) +
         groups * (23 + in * (15 + out * (10 + inner))) + zeroing;
}

Cycles verticalMac(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains,
                   bool floatSums) {
  const auto groups = ceilDiv(w.groups, grains.groups);
  const auto width = kernelWidth(w), height = w.kernelElements / width;
  const SharedRows rows(spec, w.rows);
  const bool eights = grains.groups >= 8 && !floatSums;
  const auto dot = [&](Cycles n, Cycles together) {
    return 3 + (together >= 8 ? 3 * (together / 8) : 2 * (together / 4)) * (n - 1);
  };
  const auto row = [&](Cycles n) -> Cycles {
    if (eights) return grains.groups / 8 * (7 + 15 + dot(n, 8));
    return 7 + (floatSums ? 5 : 3) + dot(n, grains.groups);
  };
  const Cycles before = eights ? (grains.groups == 8 ? 13 : 25) : floatSums ? 19 : 18;
  const auto inner =
      spec.numWorkerContexts *
      (before + height * (rows.whole * row(width) + rows.part * row(ceilDiv(width, rows.pieces))));
  const auto outputs = w.field.empty() ? w.rows : w.rows / w.batch;
  const auto zeroing = 4 + ceilDiv(outputs, floatSums ? 2 : 4);
  const auto each = ceilDiv(outputs, spec.numWorkerContexts);
  const Cycles adding = 7 + 2 * floatSums + (floatSums ? 2 : 1) * (spec.numWorkerContexts - 1);
  const auto sums = 10 - floatSums + adding * each / grains.groups;
  // A vertex has one column.
  return w.columns *
         (61 + 14 + 25 + floatSums + groups * (zeroing + 32 + w.inner * (24 + inner) + sums));
}

Cycles outerProduct(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains) {
  const Cycles floats = w.type == poplar::FLOAT, together = grains.columns;
  const auto width = ceilDiv(w.rows, spec.numWorkerContexts);
  const Cycles vector = floats ? 2 : 4;
  const bool fast = together >= 3 * vector && together % vector == 0 &&
                    together / vector - 3 <= spec.rptCountMax && together / vector + 1 < 512;
  const auto each =
      fast ? 6 + (together - 3 * vector) / vector : 10 + (floats ? 2 * together : together * 5 / 2);
  const auto parts = ceilDiv(w.columns, together) * w.groups;
  return supervised(spec, 0, 25 + parts * (10 + floats + width * each));
}

std::vector<ConvGrains> otherGrains(const TargetSpec& spec, const ContractionWork& w,
                                    bool floatSums) {
  std::vector<ConvGrains> found;
  const bool quarter = w.type == poplar::QUARTER;
  const bool half = w.type == poplar::HALF;
  const bool windowed =
      std::all_of(w.field.begin(), w.field.end(), [](const auto& d) { return d.dilation == 1; }) &&
      (w.field.empty() || w.field.back().stride <= 2);
  if (quarter) {
    if (windowed) found.push_back({ConvMethod::Slic, 1, 8, 8, 4});
    return found;
  }
  if (half && windowed) {
    const bool sixteen = !floatSums && spec.fp16InFp16OutConvUnitsPerTile == 16;
    std::vector<std::pair<Cycles, Cycles>> groupings{{1, 4}, {2, 2}, {4, 1}};
    if (sixteen) groupings.insert(groupings.end(), {{8, 1}, {16, 1}});
    for (const auto& [groups, channels] : groupings) {
      if (sixteen) found.push_back({ConvMethod::Slic, groups, channels, channels, 4});
      found.push_back({ConvMethod::Slic, groups, channels, channels, 2});
    }
  }
  const Cycles pair = half ? 2 : 1, channels = ceilDiv(w.inner, pair) * pair;
  for (Cycles inner = pair, before = 0; inner <= channels; inner += pair) {
    const auto parts = ceilDiv(channels, inner);
    if (parts == before) continue;
    before = parts;
    found.push_back({ConvMethod::Hmac, 1, inner, floatSums ? Cycles{1} : Cycles{2}});
  }
  if (half) {
    for (const Cycles groups : {4, 8, 16})
      if (groups == 4 || !floatSums) found.push_back({ConvMethod::Vmac, groups, 1, 1});
  }
  if (w.inner == 1 && w.kernelElements == 1)
    found.push_back({ConvMethod::OuterProduct, 1, 1, vectorWidth(spec, w.type)});
  return found;
}

bool isOneByOne(const ContractionWork& w) {
  if (w.kernelElements != 1) return false;
  if (w.field.empty()) return true;
  Cycles outer = w.batch;
  for (const auto& d : w.field) {
    if (d.stride != d.inDilation) return false;
    if (&d != &w.field.back()) outer *= static_cast<Cycles>(d.output);
  }
  return outer == 1;
}

}  // namespace popir
