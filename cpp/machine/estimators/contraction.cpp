// Estimators of contractions on the accumulating matrix-product units (AMP), as in PopLibs'
// convolution vertices: one pass for each kernel element and each group of input channels. Those of
// its other methods are in convolution_methods.cpp.
#include "machine/estimators/convolution.hpp"

namespace popir {
namespace {

bool sumsAreFloats(const ContractionWork& w) {
  return w.type != poplar::QUARTER && (w.type != poplar::HALF || w.partialsBits != 16);
}

struct Units {
  Cycles units, channels;  // output channels, input channels of one pass
  Cycles height;           // kernel elements of the outermost dimension, of one pass
  Cycles group;            // output channels that lie together, in passes of `units`
  Cycles load;             // cycles to load the weights of a pass
  Cycles zeroing;          // cycles to zero a row of partial sums
  bool floatSums;
  bool inPassing;  // halves: the first pass sets the partial sums, without zeroing them before

  Units(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains)
      : units(grains.units),
        channels(grains.inner),
        group(grains.columns),
        floatSums(sumsAreFloats(w)) {
    const bool half = w.type == poplar::HALF;
    const auto weights = weightsPerUnit(spec, w.type);
    height = weights / channels;
    // By default PopLibs loads weights at the width of the data path. The figure of the machine is
    // the maximum, for wideWeightLoads, which four kernel elements at a time cannot use.
    auto rate = spec.convUnitCoeffLoadBytesPerCycle;
    if (!w.wideWeightLoads || height == 4) rate = std::min(rate, spec.dataPathWidth / 8);
    load = units * weights * w.type.sizeInBytes() / rate;
    zeroing = ceilDiv(units, vectorWidth(spec, floatSums ? poplar::FLOAT : poplar::HALF));
    inPassing = half && (units == 16 || floatSums);
  }
};

Cycles unitsOf(const TargetSpec& spec, const ContractionWork& w) {
  return w.type == poplar::QUARTER ? spec.fp8InFp16OutConvUnitsPerTile
         : w.type != poplar::HALF  ? spec.fp32InFp32OutConvUnitsPerTile
         : w.partialsBits == 16    ? spec.fp16InFp16OutConvUnitsPerTile
                                   : spec.fp16InFp32OutConvUnitsPerTile;
}

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
bool hasUnits(const TargetSpec& spec, const ContractionWork& w) {
  return w.type == poplar::HALF || w.type == poplar::FLOAT ||
         (w.type == poplar::QUARTER && spec.fp8InFp16OutConvUnitsPerTile > 0);
}

// Other element types, of which nothing is published: a worker multiplies 4 bytes in each cycle.
Cycles withoutUnits(const TargetSpec& spec, const ContractionWork& w) {
  const auto products = w.results() * w.inner * w.kernelElements;
  const Cycles words = std::max<Cycles>(1, w.type.sizeInBytes() / 4);
  return supervised(spec, kSupervisorCall, 26 + words * ceilDiv(products, spec.numWorkerContexts));
}

// The cheapest of the vertices that PopLibs has of a class.
template <class Is>
Cycles cheapest(const TargetSpec& spec, const ContractionWork& w, const Is& is) {
  if (!hasUnits(spec, w)) return withoutUnits(spec, w);
  Cycles least = 0;
  for (const auto& grains : convGrains(spec, w)) {
    if (!is(grains)) continue;
    const auto cycles = contractionCycles(spec, w, grains);
    if (least == 0 || cycles < least) least = cycles;
  }
  return least > 0 ? least : withoutUnits(spec, w);
}

// Worker cycles of 8-bit floats for `rows` rows.
Cycles quarterRows(Cycles rows) {
  return rows == 0 ? 4 : rows == 1 ? 18 : rows == 2 ? 23 : 27 + 4 * (rows - 3);
}

// PopLibs' vertices of 8-bit floats have another structure.
Cycles quarterOneByOne(const TargetSpec& spec, const ContractionWork& w, const Units& u) {
  const Cycles workers = spec.numWorkerContexts;
  const auto in = ceilDiv(w.inner, u.channels) * w.kernelElements,
             out = ceilDiv(w.columns, u.group);
  FieldRows all(w);
  all.length *= all.rows;
  all.rows = 1;
  const auto over = [&](bool isFirst) {
    const auto worker = overWorkers(spec, all, [&](Cycles rows) {
      return 17 + quarterRows(rows) - (isFirst && rows > 0 ? 5 : 0);
    });
    const auto least = worker.least == 0 ? 17 : worker.least;
    return std::max(workers * std::max(worker.most, least), workers * least + 14);
  };
  const auto firstIn = 20 * workers + 11 + u.load + over(true),
             laterIn = 17 * workers + 6 + u.load + over(false);
  return 46 +
         w.groups * (2 * workers + 9 + out * (6 * workers + 10 + firstIn + (in - 1) * laterIn));
}

Cycles quarterSeveralByOne(const TargetSpec& spec, const ContractionWork& w, const Units& u,
                           Cycles zeroing) {
  const Cycles workers = spec.numWorkerContexts;
  const auto in = ceilDiv(w.inner, u.channels), out = ceilDiv(w.columns, u.group);
  const auto outermost =
      w.field.empty() ? w.kernelElements : static_cast<Cycles>(w.field.front().kernel);
  const auto outer = ceilDiv(outermost, u.height), inner = w.kernelElements / outermost;
  const auto worker = overWorkers(spec, FieldRows(w), [](Cycles n) { return 16 + quarterRows(n); });
  const auto pass = std::max(workers * (18 + worker.most), workers * (18 + worker.least) + 9);
  const auto kernel = outer * (5 * workers + 3 + 15 * workers + 13 + u.load +
                               (inner - 1) * (13 * workers + 8) + u.load) +
                      outer * inner * pass;
  return 83 + zeroing +
         w.groups * (5 * workers + 7 + out * (8 * workers + 10 + in * (8 * workers + 13 + kernel)));
}

Cycles oneByOne(const TargetSpec& spec, const ContractionWork& w, const Units& u) {
  const Cycles workers = spec.numWorkerContexts, groups = w.groups;
  const Cycles in = ceilDiv(w.inner, u.channels) * w.kernelElements,
               out = ceilDiv(w.columns, u.group), passes = ceilDiv(u.group, u.units);
  // With inPassing, workers keep their state between passes: `kept` cycles of set-up are spent once
  // and not in each pass; `keptIn` of them again for each group of input channels.
  const Cycles kept = u.inPassing ? 7 : 0, keptIn = u.inPassing ? 3 : 0;
  FieldRows all(w);
  all.length *= all.rows;
  all.rows = 1;
  const auto over = [&](bool isFirst) {
    const auto worker =
        overWorkers(spec, all, [&](Cycles rows) { return pass(u, w.type, rows, isFirst) - kept; });
    return std::max(workers * worker.most, workers * worker.least + 14);
  };
  const auto later = over(false), first = over(true);
  // Halves without inPassing take another branch of the supervisor's code.
  const Cycles other = w.type == poplar::HALF && !u.inPassing;
  const Cycles laterIn = 15 + other + out * (19 + passes * (6 + u.load + later));
  const Cycles firstIn = 11 + out * (18 + other + passes * (7 + u.load + first));
  return supervised(spec, 50, kept + keptIn * (in * groups - 1)) +
         groups * (13 - other + (in - 1) * laterIn + firstIn);
}
Cycles convPartial1x1Out(const TargetSpec& spec, const ContractionWork& w) {
  return cheapest(spec, w, [&](const ConvGrains& grains) {
    return grains.method == ConvMethod::Amp && grains.groups == 1 &&
           grains.inner == weightsPerUnit(spec, w.type);
  });
}

// A kernel's outermost dimension, in steps of what the units have weights of.
Cycles severalByOne(const TargetSpec& spec, const ContractionWork& w, const Units& u,
                    Cycles zeroing) {
  const Cycles workers = spec.numWorkerContexts;
  const bool half = w.type == poplar::HALF;
  const auto in = ceilDiv(w.inner, u.channels), out = ceilDiv(w.columns, u.group),
             passes = ceilDiv(u.group, u.units);
  const auto outermost =
      w.field.empty() ? w.kernelElements : static_cast<Cycles>(w.field.front().kernel);
  const auto outer = ceilDiv(outermost, u.height), inner = w.kernelElements / outermost;
  const auto worker = overWorkers(spec, FieldRows(w), [&](Cycles n) -> Cycles {
    const auto more = n - std::min<Cycles>(n, 3);
    if (half) return 3 - 9 + (n == 1 ? 29 : n == 2 ? 33 + u.inPassing : 34 + 4 * more);
    return 3 - 9 + (n == 1 ? 33 : n == 2 ? 44 : 45 + 8 * more);
  });
  const Cycles before = 17 + !u.floatSums;
  const auto pass =
      std::max(workers * (before + worker.most), workers * (before + worker.least) + 9);
  const Cycles loaded = u.height == 4   ? 60
                        : u.height == 2 ? 46
                        : u.height == 1 ? 15
                                        : 20 * u.height;
  const auto kernel =
      outer * (14 + inner * (12 + passes * (u.load + loaded + 3))) + outer * inner * passes * pass;
  return 109 + workers * (9 + (u.floatSums ? 9 : 10)) + w.groups * (out * 17 + (out - 1) * 6 + 1) +
         (w.groups - 1) * 6 + 1 + w.groups * (16 + in * (14 + out * (14 + kernel))) + zeroing;
}
Cycles convPartialnx1(const TargetSpec& spec, const ContractionWork& w) {
  return cheapest(spec, w, [](const ConvGrains& grains) {
    return grains.method == ConvMethod::Amp && grains.groups == 1;
  });
}

// A vertex has one group of channels, if there are no more than that can lie together.
Cycles convPartial1xNSlic(const TargetSpec& spec, const ContractionWork& w) {
  return cheapest(spec, w, [&](const ConvGrains& grains) {
    return grains.method == ConvMethod::Slic && grains.inner >= std::min<Cycles>(w.inner, 4) &&
           grains.columns >= std::min<Cycles>(w.columns, 4);
  });
}

template <ConvMethod method>
Cycles withMethod(const TargetSpec& spec, const ContractionWork& w) {
  return cheapest(spec, w, [](const ConvGrains& grains) { return grains.method == method; });
}

}  // namespace

Cycles weightsPerUnit(const TargetSpec& spec, poplar::Type type) {
  return spec.convUnitMaxPipelineDepth *
         (type == poplar::QUARTER ? spec.fp8ConvUnitInputLoadElemsPerCycle
          : type == poplar::HALF  ? spec.fp16ConvUnitInputLoadElemsPerCycle
                                  : spec.fp32ConvUnitInputLoadElemsPerCycle);
}

std::vector<ConvGrains> convGrains(const TargetSpec& spec, const ContractionWork& w) {
  if (!hasUnits(spec, w)) return {{}};
  const auto weights = weightsPerUnit(spec, w.type);
  const auto together = weights / spec.convUnitMaxPipelineDepth;
  const auto units = unitsOf(spec, w);
  std::vector<ConvGrains> found;
  const auto add = [&](Cycles groups, Cycles channels) {
    found.push_back({ConvMethod::Amp, groups, channels, units, units});
    if (w.type == poplar::QUARTER) return;  // as many columns as units, always
    if (weights > units) found.push_back({ConvMethod::Amp, groups, channels, weights, units});
    if (units > 8) found.push_back({ConvMethod::Amp, groups, channels, 8, 8});
  };
  for (auto channels = weights; channels >= together; channels -= together)
    if (weights % channels == 0) add(1, channels);
  // Several groups of one channel, or of two halves, as one.
  if (w.type != poplar::QUARTER && w.groups > 1 && w.inner <= (w.type == poplar::HALF ? 2u : 1u))
    for (auto groups = together / w.inner; groups * w.inner <= weights; groups *= 2)
      add(groups, groups * w.inner);
  for (const auto& other : otherGrains(spec, w, sumsAreFloats(w))) found.push_back(other);
  return found;
}

Cycles peakProducts(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains) {
  const auto width = vectorWidth(spec, w.type);
  if (grains.method == ConvMethod::Amp)
    return grains.units * (weightsPerUnit(spec, w.type) / spec.convUnitMaxPipelineDepth);
  if (grains.method == ConvMethod::Slic)
    return 4 * grains.groups * grains.inner * grains.columns * grains.units / 2;
  return width * (grains.method == ConvMethod::OuterProduct ? grains.columns : 1);
}

const char* convVertexClass(const ContractionWork& w, ConvGrains grains) {
  switch (grains.method) {
    case ConvMethod::Slic: return "poplin::ConvPartial1xNSLIC";
    case ConvMethod::Hmac: return "poplin::ConvPartialHorizontalMac";
    case ConvMethod::Vmac: return "poplin::ConvPartialVerticalMac";
    case ConvMethod::OuterProduct: return "poplin::OuterProduct";
    case ConvMethod::Amp: break;
  }
  return isOneByOne(w) ? "poplin::ConvPartial1x1Out" : "poplin::ConvPartialnx1";
}

Cycles contractionCycles(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains,
                         Estimate estimate) {
  if (w.groups * w.rows * w.inner * w.columns * w.kernelElements == 0) return 0;
  if (!hasUnits(spec, w)) return withoutUnits(spec, w);
  const bool floatSums = sumsAreFloats(w);
  switch (grains.method) {
    case ConvMethod::Slic: return slidingWindow(spec, w, grains, floatSums);
    case ConvMethod::Hmac: return horizontalMac(spec, w, grains, floatSums, estimate);
    case ConvMethod::Vmac: return verticalMac(spec, w, grains, floatSums);
    case ConvMethod::OuterProduct: return outerProduct(spec, w, grains);
    case ConvMethod::Amp: break;
  }
  auto as = w;
  if (grains.groups > 1) {
    as.groups = ceilDiv(w.groups, grains.groups);
    as.inner *= grains.groups;
    as.columns *= grains.groups;
  }
  const Units units(spec, as, grains);
  if (w.type == poplar::QUARTER)
    return units.height == 1 && isOneByOne(as)
               ? quarterOneByOne(spec, as, units)
               : quarterSeveralByOne(spec, as, units,
                                     zeroingSums(spec, as, grains, floatSums, estimate));
  if (units.height == 1 && isOneByOne(as)) return oneByOne(spec, as, units);
  return severalByOne(spec, as, units, zeroingSums(spec, as, grains, floatSums, estimate));
}

// As PopLibs' ReduceAdd. If n is a multiple of the accumulators' elements and the partial sums take
// little of the tile's memory: its vertex for partial sums that lie together.
Cycles reducePartials(const TargetSpec& spec, Cycles n, Cycles partials, poplar::Type sums,
                      poplar::Type result, bool fast) {
  if (n == 0) return 0;
  const bool halfSums = sums.sizeInBytes() < 4, halfResult = result.sizeInBytes() < 4;
  const Cycles workers = spec.numWorkerContexts, width = vectorWidth(spec, sums),
               accumulators = 2 * width, loads = accumulators / width;
  const auto element = spec.memoryElementBytes;
  const auto gathered = ceilDiv((partials - 1) * n * sums.sizeInBytes(), element) * element;
  const bool together = n % accumulators == 0 && (fast || gathered < spec.memoryBytesPerTile / 16);
  if (together) {
    const auto rounds = ceilDiv(n / accumulators, workers);
    const Cycles each =
        (fast ? ceilDiv(loads, 2) : loads) * (partials - 1) + (halfSums ? 9 : 7) + !halfResult;
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
    const bool quarter = w.type == poplar::QUARTER;
    return quarter || hasUnits(TargetSpec::cpu(), w) ? Formula::Published : Formula::Guess;
  };
  const auto halves = [](const ContractionWork& w) {
    return w.type == poplar::HALF ? Formula::Published : Formula::Guess;
  };
  const auto windows = [](const ContractionWork& w) {
    const bool known = w.type == poplar::HALF || w.type == poplar::QUARTER;
    return known ? Formula::Published : Formula::Guess;
  };
  return {vertexClass<ContractionWork>("poplin::ConvPartial1x1Out", withUnits, convPartial1x1Out),
          vertexClass<ContractionWork>("poplin::ConvPartialnx1", withUnits, convPartialnx1),
          vertexClass<ContractionWork>("poplin::ConvPartial1xNSLIC", windows, convPartial1xNSlic),
          vertexClass<ContractionWork>("poplin::ConvPartialHorizontalMac", withUnits,
                                       withMethod<ConvMethod::Hmac>),
          vertexClass<ContractionWork>("poplin::ConvPartialVerticalMac", halves,
                                       withMethod<ConvMethod::Vmac>),
          vertexClass<ContractionWork>("poplin::OuterProduct", withUnits,
                                       withMethod<ConvMethod::OuterProduct>)};
}

}  // namespace popir
