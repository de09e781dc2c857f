#include "machine/pooling/planner.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "machine/estimators/formulas.hpp"

namespace popir {
namespace {

/// Where an element of the result finds what it reads along a field dimension.
OperandDim pooledDim(const PoolingWork& w, std::size_t d) {
  const auto& f = w.field[d];
  if (w.gradient) return {f.output, d, true, d, 1, -f.dilation, f.padLower, f.stride};
  return {f.input, d, true, d, f.stride, f.dilation, -f.padLower, 1};
}

class Planner {
 public:
  Planner(const TargetSpec& spec, const VertexClass& kind, const PoolingWork& whole, unsigned tiles)
      : spec_(spec), kind_(kind), whole_(whole), tiles_(std::min(tiles, spec.tilesPerIPU)) {
    current_.part = whole;
    current_.sizes = {static_cast<std::int64_t>(whole.batch),
                      static_cast<std::int64_t>(whole.channels)};
    for (const auto& d : whole.field) current_.sizes.push_back(whole.resultOf(d));
    current_.parts.resize(current_.sizes.size());
  }

  PoolingPlan plan() {
    // PopLibs takes groups of 8 bytes up to what the input is grouped by, which is
    // kChannelGroupBytes here.
    constexpr Cycles kGrainBytes = 8;
    const auto bytes = whole_.type.sizeInBytes();
    const auto most = std::max<Cycles>(1, kChannelGroupBytes / bytes);
    const auto grain = std::max<Cycles>(1, kGrainBytes / bytes);
    for (auto group = std::min(grain, most); group <= most; group += grain) {
      if (group > grain && group - grain >= whole_.channels) break;
      current_.part.groupChannels = group;
      regroups_ = group != most;
      along(0, 1);
    }
    return best_;
  }

 private:
  /// Tries all parts of dimensions d and up; the dimensions before it are in `used` parts.
  void along(std::size_t d, Cycles used) {
    if (d == current_.sizes.size()) return compare();
    const auto grain = d == kChannels ? current_.part.groupChannels : 1;
    const auto grains = ceilDiv(static_cast<Cycles>(current_.sizes[d]), grain);
    for (Cycles parts = 1; parts <= std::min(grains, tiles_ / used);) {
      const auto each = ceilDiv(grains, parts);
      current_.parts[d] = std::min(current_.sizes[d], static_cast<std::int64_t>(each * grain));
      along(d + 1, used * ceilDiv(grains, each));
      if (each == 1) break;
      parts = ceilDiv(grains, each - 1);
    }
  }

  void compare() {
    auto& part = current_.part;
    part.batch = static_cast<Cycles>(current_.parts[0]);
    part.channels = static_cast<Cycles>(current_.parts[kChannels]);
    Cycles points = part.batch, read = part.batch;
    for (std::size_t d = 0; d < part.field.size(); ++d) {
      const auto n = current_.parts[kField + d];
      (part.gradient ? part.field[d].input : part.field[d].output) = n;
      points *= static_cast<Cycles>(n);
      // Of a part in the middle: of those at the sides windows reach beyond.
      const auto begin = (current_.sizes[kField + d] - n) / 2;
      const auto reads = pooledDim(whole_, d).meets({begin, begin + n}, {0, part.field[d].kernel});
      read *= static_cast<Cycles>(reads.size());
    }
    // The gradient of a maximum reads the output too, and the input.
    if (kind_.name == std::string("popnn::MaxPoolingGradient")) read = 2 * read + points;
    const auto channels = ceilDiv(part.channels, part.groupChannels) * part.groupChannels;
    const auto bytes = read * channels * part.type.sizeInBytes();
    const auto exchange =
        bytes / spec_.exchangeBytesPerCycle + (regroups_ ? bytes / kCopiedBytesPerCycle : 0);
    if (exchange >= least_) return;
    current_.vertexCycles = kind_.cycles(spec_, part);
    if (current_.vertexCycles + exchange >= least_) return;
    least_ = current_.vertexCycles + exchange;
    best_ = current_;
  }

  // Dimensions of the result.
  static constexpr std::size_t kChannels = 1, kField = 2;
  /// What PopLibs charges where channels are grouped otherwise than the input's.
  static constexpr Cycles kCopiedBytesPerCycle = 4;

  const TargetSpec& spec_;
  const VertexClass& kind_;
  const PoolingWork& whole_;
  const Cycles tiles_;
  bool regroups_ = false;
  PoolingPlan current_, best_;
  Cycles least_ = std::numeric_limits<Cycles>::max();
};

}  // namespace

PoolingPlan planPooling(const TargetSpec& spec, const VertexClass& kind, const PoolingWork& whole,
                        unsigned tiles) {
  return Planner(spec, kind, whole, tiles).plan();
}

Grid layoutOf(const PoolingPlan& plan, unsigned first) {
  Grid grid;
  grid.first = first;
  grid.channels = 1;
  // As in PopLibs, parts of the last dimension are on neighbouring tiles.
  unsigned stride = 1;
  for (std::size_t d = plan.sizes.size(); d-- > 0;) {
    const auto size = plan.sizes[d], part = plan.parts[d];
    grid.dims.insert(grid.dims.begin(), {size, size, part, part, stride, 0});
    stride *= static_cast<unsigned>((size + part - 1) / part);
  }
  return grid;
}

BoxNeeds pooledNeeds(const Grid& result, const PoolingWork& whole) {
  std::vector<OperandDim> dims{{result.dims[0].size, 0}, {result.dims[1].size, 1}};
  std::vector<std::int64_t> taps{1, 1};
  for (std::size_t d = 0; d < whole.field.size(); ++d) {
    dims.push_back(pooledDim(whole, d));
    taps.push_back(whole.field[d].kernel);
  }
  return BoxNeeds(result, dims, taps);
}

}  // namespace popir
