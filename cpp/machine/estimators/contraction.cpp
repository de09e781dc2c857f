// Estimators of contractions, as in PopLibs' convolution vertices. These run on the accumulating
// matrix-product units (AMP), in one pass for each kernel element and each group of input channels.
// PopLibs' vertices for few channels (HMAC, SLIC) are not modelled, except for the depthwise one.
// In all other contractions the number of channels is rounded up to whole groups.
#include "machine/estimators/formulas.hpp"

namespace popir {
namespace {

struct Units {
  Cycles units, channels;  // output channels, input channels of one pass
  Cycles load;             // cycles to load the weights of a pass, units x channels
  Cycles zeroing;          // cycles to zero a row of partial sums
  poplar::Type partials;
  bool inPassing;  // halves: the first pass sets the partial sums, without zeroing them before

  Units(const TargetSpec& spec, const ContractionWork& w) {
    const bool half = w.type == poplar::HALF;
    partials = half && w.partialsBits == 16 ? poplar::HALF : poplar::FLOAT;
    units = !half                      ? spec.fp32InFp32OutConvUnitsPerTile
            : partials == poplar::HALF ? spec.fp16InFp16OutConvUnitsPerTile
                                       : spec.fp16InFp32OutConvUnitsPerTile;
    channels = spec.convUnitMaxPipelineDepth * (half ? spec.fp16ConvUnitInputLoadElemsPerCycle
                                                     : spec.fp32ConvUnitInputLoadElemsPerCycle);
    // By default PopLibs loads weights at the width of the data path. The figure of the machine is
    // the maximum, for wideWeightLoads.
    auto rate = spec.convUnitCoeffLoadBytesPerCycle;
    if (!w.wideWeightLoads) rate = std::min(rate, spec.dataPathWidth / 8);
    load = units * channels * w.type.sizeInBytes() / rate;
    zeroing = ceilDiv(units, vectorWidth(spec, partials));
    inPassing = half && (units == 16 || partials == poplar::FLOAT);
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

// Element types that the AMP units do not support: a worker multiplies 4 bytes in each cycle.
Cycles withoutUnits(const TargetSpec& spec, const ContractionWork& w) {
  const auto products = w.results() * w.inner * w.kernelElements;
  const Cycles words = std::max<Cycles>(1, w.type.sizeInBytes() / 4);
  return supervised(spec, kSupervisorCall, 26 + words * ceilDiv(products, spec.numWorkerContexts));
}

Cycles convPartial1x1Out(const TargetSpec& spec, const ContractionWork& w) {
  if (w.type != poplar::HALF && w.type != poplar::FLOAT) return withoutUnits(spec, w);
  const Units u(spec, w);
  const Cycles workers = spec.numWorkerContexts, groups = w.groups, rows = ceilDiv(w.rows, workers);
  const Cycles in = ceilDiv(w.inner, u.channels) * w.kernelElements,
               out = ceilDiv(w.columns, u.units);
  if (groups * in * out * rows == 0) return 0;
  // With inPassing, workers keep their state between passes: `kept` cycles of set-up are spent once
  // and not in each pass; `keptIn` of them again for each group of input channels.
  const Cycles kept = u.inPassing ? 7 : 0, keptIn = u.inPassing ? 3 : 0;
  const auto later = pass(u, w.type, rows, false) - kept;
  const auto first = pass(u, w.type, rows, true) - kept;
  // Halves without inPassing take another branch of the supervisor's code.
  const Cycles other = w.type == poplar::HALF && !u.inPassing;
  const Cycles laterIn = 15 + other + out * (19 + 6 + u.load + workers * later);
  const Cycles firstIn = 11 + out * (18 + other + 7 + u.load + workers * first);
  return supervised(spec, 50, kept + keptIn * (in * groups - 1)) +
         groups * (13 - other + (in - 1) * laterIn + firstIn);
}

// PopLibs divides the rows of each kernel element into partial rows; here there is one per worker.
Cycles convPartialnx1(const TargetSpec& spec, const ContractionWork& w) {
  if (w.type != poplar::HALF && w.type != poplar::FLOAT) return withoutUnits(spec, w);
  const Units u(spec, w);
  const Cycles workers = spec.numWorkerContexts, rows = ceilDiv(w.rows, workers);
  const Cycles in = ceilDiv(w.inner, u.channels), out = ceilDiv(w.columns, u.units);
  if (w.groups * in * out * w.kernelElements * rows == 0) return 0;
  const Cycles length = w.type == poplar::HALF ? rows == 1 ? 29
                                                 : rows == 2
                                                     ? 34
                                                     : 34 + 4 * (rows - std::min<Cycles>(rows, 3))
                        : rows == 1 ? 33
                        : rows == 2            ? 44
                                               : 45 + 8 * (rows - std::min<Cycles>(rows, 3));
  const Cycles worker = 18 + 3 + length - 9;
  const Cycles kernel = w.kernelElements * (14 + 12 + u.load + 15 + 3 + workers * worker);
  const Cycles zeroing = ceilDiv(w.rows * out * u.units, vectorWidth(spec, u.partials)) + 30;
  return 109 + w.groups * (16 + zeroing + in * (14 + out * (14 + kernel)));
}

// Depthwise convolutions: eight groups at a time. Rows are divided among workers, and the workers'
// sums are added up.
Cycles convPartialVerticalMac(const TargetSpec& spec, const ContractionWork& w) {
  const Cycles rows = ceilDiv(w.rows, spec.numWorkerContexts);
  const Cycles words = std::max<Cycles>(1, w.type.sizeInBytes() / 4);
  const Cycles products = w.kernelElements * w.inner * w.columns * words;
  return supervised(spec, 50, rows * (3 + 3 * products * ceilDiv(w.groups, 8) + 7 + 15));
}

}  // namespace

ConvGrains convGrains(const TargetSpec& spec, poplar::Type type) {
  if (type != poplar::HALF && type != poplar::FLOAT) return {};
  const Units u(spec, {type});
  return {u.channels, u.units};
}

// As PopLibs' ReduceAdd. If n is a multiple of the accumulators' elements: its fast path, with
// partial sums in interleaved memory.
Cycles reducePartials(const TargetSpec& spec, Cycles n, Cycles partials, Cycles bytes) {
  if (n == 0) return 0;
  const Cycles vector = std::max<Cycles>(1, spec.dataPathWidth / 8 / bytes), accumulators = 2;
  const auto rounds = ceilDiv(ceilDiv(n, vector * accumulators), spec.numWorkerContexts);
  if (n % (vector * accumulators) == 0) return supervised(spec, 33, 20 + rounds * (partials + 9));
  return supervised(spec, 0, 32 + rounds * ((accumulators + 1) * partials + 8));
}

std::vector<VertexClass> contractionClasses() {
  return {vertexClass("poplin::ConvPartial1x1Out", convPartial1x1Out),
          vertexClass("poplin::ConvPartialnx1", convPartialnx1),
          vertexClass("poplin::ConvPartialVerticalMac", convPartialVerticalMac)};
}

}  // namespace popir
