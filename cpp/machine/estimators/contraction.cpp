// Estimators of contractions, as in PopLibs' convolution vertices. These run on the accumulating
// matrix-product units (AMP), in one pass for each kernel element and each group of input channels.
// PopLibs' vertices for few channels (HMAC, SLIC) are not modelled, except for the depthwise one.
// In all other contractions the number of channels is rounded up to whole groups.
#include "machine/estimators/formulas.hpp"

namespace popir {
namespace {

struct Units {
  Cycles units, channels;  // output channels, input channels of one pass
  Cycles group;            // output channels that lie together, in passes of `units`
  Cycles load;             // cycles to load the weights of a pass, units x channels
  Cycles zeroing;          // cycles to zero a row of partial sums
  poplar::Type partials;
  bool inPassing;  // halves: the first pass sets the partial sums, without zeroing them before

  Units(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains)
      : channels(grains.inner), group(grains.columns) {
    const bool half = w.type == poplar::HALF;
    partials = half && w.partialsBits == 16 ? poplar::HALF : poplar::FLOAT;
    units = std::min(unitsOf(spec, w), group);
    // By default PopLibs loads weights at the width of the data path. The figure of the machine is
    // the maximum, for wideWeightLoads.
    auto rate = spec.convUnitCoeffLoadBytesPerCycle;
    if (!w.wideWeightLoads) rate = std::min(rate, spec.dataPathWidth / 8);
    load = units * channels * w.type.sizeInBytes() / rate;
    zeroing = ceilDiv(units, vectorWidth(spec, partials));
    inPassing = half && (units == 16 || partials == poplar::FLOAT);
  }

  static Cycles unitsOf(const TargetSpec& spec, const ContractionWork& w) {
    return w.type != poplar::HALF ? spec.fp32InFp32OutConvUnitsPerTile
           : w.partialsBits == 16 ? spec.fp16InFp16OutConvUnitsPerTile
                                  : spec.fp16InFp32OutConvUnitsPerTile;
  }
};

// Worker cycles of one pass over `rows` rows. The first pass sets the partial sums; later passes
// add to them.
Cycles pass(const Units& u, poplar::Type type, Cycles rows, bool first) {
  const auto more = rows - std::min<Cycles>(rows, 3);
  if (u.inPassing) {
    const Cycles least = rows == 0 ? 20 : rows == 1 ? 31 : rows == 2 ? 40 : 36;
    return least + (first ? 1 : 2) + 4 * more;
  }
  if (rows == 0) return 24;
  const auto zeroed = first ? 2 + u.zeroing * rows : 0;
  if (type == poplar::HALF) return (rows < 3 ? 38 + rows : 41) + 4 * more + zeroed;
  return (rows == 1 ? 47 : 46) + 8 * more + zeroed;
}

/// Whether the AMP units take elements of this type.
bool hasUnits(const ContractionWork& w) {
  return w.type == poplar::HALF || w.type == poplar::FLOAT;
}

// Other element types, of which nothing is published: a worker multiplies 4 bytes in each cycle.
Cycles withoutUnits(const TargetSpec& spec, const ContractionWork& w) {
  const auto products = w.results() * w.inner * w.kernelElements;
  const Cycles words = std::max<Cycles>(1, w.type.sizeInBytes() / 4);
  return supervised(spec, kSupervisorCall, 26 + words * ceilDiv(products, spec.numWorkerContexts));
}

// The cheapest of the groupings of output channels that PopLibs has vertices for.
template <class Estimate>
Cycles cheapest(const TargetSpec& spec, const ContractionWork& w, const Estimate& estimate) {
  if (!hasUnits(w)) return withoutUnits(spec, w);
  if (w.groups * w.rows * w.inner * w.columns * w.kernelElements == 0) return 0;
  Cycles least = 0;
  for (const auto& grains : convGrains(spec, w)) {
    const auto cycles = estimate(spec, w, Units(spec, w, grains));
    if (least == 0 || cycles < least) least = cycles;
  }
  return least;
}

// What the supervisor waits for, if it takes `after` cycles after the last worker has started.
// `rows` are divided among workers.
Cycles waits(const TargetSpec& spec, Cycles rows, Cycles most, Cycles after) {
  const Cycles workers = spec.numWorkerContexts;
  return workers * most + (rows % workers == 0 ? after : 0);
}

Cycles oneByOne(const TargetSpec& spec, const ContractionWork& w, const Units& u) {
  const Cycles workers = spec.numWorkerContexts, groups = w.groups, rows = ceilDiv(w.rows, workers);
  const Cycles in = ceilDiv(w.inner, u.channels) * w.kernelElements,
               out = ceilDiv(w.columns, u.group), passes = ceilDiv(u.group, u.units);
  // With inPassing, workers keep their state between passes: `kept` cycles of set-up are spent once
  // and not in each pass; `keptIn` of them again for each group of input channels.
  const Cycles kept = u.inPassing ? 7 : 0, keptIn = u.inPassing ? 3 : 0;
  const auto later = waits(spec, w.rows, pass(u, w.type, rows, false) - kept, 14);
  const auto first = waits(spec, w.rows, pass(u, w.type, rows, true) - kept, 14);
  // Halves without inPassing take another branch of the supervisor's code.
  const Cycles other = w.type == poplar::HALF && !u.inPassing;
  const Cycles laterIn = 15 + other + out * (19 + passes * (6 + u.load + later));
  const Cycles firstIn = 11 + out * (18 + other + passes * (7 + u.load + first));
  return supervised(spec, 50, kept + keptIn * (in * groups - 1)) +
         groups * (13 - other + (in - 1) * laterIn + firstIn);
}
Cycles convPartial1x1Out(const TargetSpec& spec, const ContractionWork& w) {
  return cheapest(spec, w, oneByOne);
}

// PopLibs divides the rows of each kernel element into partial rows; here there is one per worker.
Cycles severalByOne(const TargetSpec& spec, const ContractionWork& w, const Units& u) {
  const Cycles workers = spec.numWorkerContexts, rows = ceilDiv(w.rows, workers);
  const Cycles in = ceilDiv(w.inner, u.channels), out = ceilDiv(w.columns, u.group),
               passes = ceilDiv(u.group, u.units);
  const Cycles length = w.type == poplar::HALF ? rows == 1 ? 29
                                                 : rows == 2
                                                     ? 34
                                                     : 34 + 4 * (rows - std::min<Cycles>(rows, 3))
                        : rows == 1 ? 33
                        : rows == 2            ? 44
                                               : 45 + 8 * (rows - std::min<Cycles>(rows, 3));
  const Cycles worker = waits(spec, w.rows, 18 + 3 + length - 9, 9);
  const Cycles kernel = w.kernelElements * (14 + 12 + passes * (u.load + 15 + 3 + worker));
  const Cycles zeroing = ceilDiv(w.rows * out * u.group, vectorWidth(spec, u.partials)) + 30;
  return 109 + w.groups * (16 + zeroing + in * (14 + out * (14 + kernel)));
}
Cycles convPartialnx1(const TargetSpec& spec, const ContractionWork& w) {
  return cheapest(spec, w, severalByOne);
}

// Depthwise convolutions: eight groups at a time. Rows are divided among workers, and the workers'
// sums are added up. PopLibs' vertex takes halves alone.
Cycles convPartialVerticalMac(const TargetSpec& spec, const ContractionWork& w) {
  const Cycles rows = ceilDiv(w.rows, spec.numWorkerContexts);
  const Cycles words = std::max<Cycles>(1, w.type.sizeInBytes() / 4);
  const Cycles products = w.kernelElements * w.inner * w.columns * words;
  return supervised(spec, 50, rows * (3 + 3 * products * ceilDiv(w.groups, 8) + 7 + 15));
}

}  // namespace

std::vector<ConvGrains> convGrains(const TargetSpec& spec, const ContractionWork& w) {
  if (!hasUnits(w)) return {{1, 1}};
  const Cycles channels = spec.convUnitMaxPipelineDepth *
                          (w.type == poplar::HALF ? spec.fp16ConvUnitInputLoadElemsPerCycle
                                                  : spec.fp32ConvUnitInputLoadElemsPerCycle);
  const auto units = Units::unitsOf(spec, w);
  std::vector<ConvGrains> found{{channels, units}};
  if (channels > units) found.push_back({channels, channels});
  if (units > 8) found.push_back({channels, 8});
  return found;
}

Cycles contractionCycles(const TargetSpec& spec, const VertexClass& kind, const ContractionWork& w,
                         ConvGrains grains) {
  const bool units = hasUnits(w);
  if (w.groups * w.rows * w.inner * w.columns * w.kernelElements == 0) return 0;
  if (units && kind.name == std::string("poplin::ConvPartial1x1Out"))
    return oneByOne(spec, w, Units(spec, w, grains));
  if (units && kind.name == std::string("poplin::ConvPartialnx1"))
    return severalByOne(spec, w, Units(spec, w, grains));
  return kind.cycles(spec, w);
}

// As PopLibs' ReduceAdd. If n is a multiple of the accumulators' elements and the partial sums take
// little of the tile's memory: its vertex for partial sums that lie together.
Cycles reducePartials(const TargetSpec& spec, Cycles n, Cycles partials, poplar::Type sums,
                      poplar::Type result) {
  if (n == 0) return 0;
  const bool halfSums = sums.sizeInBytes() < 4, halfResult = result.sizeInBytes() < 4;
  const Cycles workers = spec.numWorkerContexts, width = vectorWidth(spec, sums),
               accumulators = 2 * width, loads = accumulators / width;
  const auto element = spec.memoryElementBytes;
  const auto gathered = ceilDiv((partials - 1) * n * sums.sizeInBytes(), element) * element;
  const bool together = n % accumulators == 0 && gathered < spec.memoryBytesPerTile / 16;
  if (together) {
    const auto rounds = ceilDiv(n / accumulators, workers);
    const Cycles each = loads * (partials - 1) + (halfSums ? 9 : 7) + !halfResult;
    return supervised(spec, 33, 20 + rounds * each);
  }
  auto loops = n / accumulators;
  for (Cycles bit = 1; bit < accumulators; bit *= 2) loops += (n & bit) != 0;
  auto rounds = loops / workers;
  Cycles worker = 32;
  if (loops % workers > 0) {
    if (n % accumulators > 0)
      worker += 2 * partials + (halfSums ? 11 : 13);
    else
      ++rounds;
  }
  worker += rounds * ((loads + 1) * partials + (halfSums ? 8 : 6) + !halfResult);
  return supervised(spec, 0, worker);
}

std::vector<VertexClass> contractionClasses() {
  const auto withUnits = [](const ContractionWork& w) {
    return hasUnits(w) ? Formula::Published : Formula::Guess;
  };
  const auto halves = [](const ContractionWork& w) {
    return w.type == poplar::HALF ? Formula::Published : Formula::Guess;
  };
  return {vertexClass<ContractionWork>("poplin::ConvPartial1x1Out", withUnits, convPartial1x1Out),
          vertexClass<ContractionWork>("poplin::ConvPartialnx1", withUnits, convPartialnx1),
          vertexClass<ContractionWork>("poplin::ConvPartialVerticalMac", halves,
                                       convPartialVerticalMac)};
}

}  // namespace popir
