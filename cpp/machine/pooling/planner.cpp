#include "machine/pooling/planner.hpp"

#include <algorithm>
#include <limits>

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
      : spec_(spec), kind_(kind), whole_(whole), tiles_(tiles), sizes_{whole.batch, 0} {
    for (const auto& d : whole.field) sizes_.push_back(static_cast<Cycles>(whole.resultOf(d)));
    current_.part = whole;
    current_.parts.resize(sizes_.size());
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
      sizes_[1] = ceilDiv(whole_.channels, group);
      along(0, 1);
    }
    return best_;
  }

 private:
  /// Tries all parts of dimensions [d, end); those before make `used` parts.
  void along(std::size_t d, Cycles used) {
    if (d == sizes_.size()) return compare();
    for (Cycles parts = 1; parts <= std::min(sizes_[d], tiles_ / used);) {
      const auto each = ceilDiv(sizes_[d], parts);
      current_.parts[d] = each;
      along(d + 1, used * ceilDiv(sizes_[d], each));
      if (each == 1) break;
      parts = ceilDiv(sizes_[d], each - 1);
    }
  }

  void compare() {
    auto& part = current_.part;
    part.batch = current_.parts[0];
    part.channels = current_.parts[1] * part.groupChannels;
    Cycles points = part.batch, read = part.batch, operations = 1;
    for (std::size_t d = 0; d < part.field.size(); ++d) {
      auto& f = part.field[d];
      const auto n = static_cast<std::int64_t>(current_.parts[d + 2]);
      (part.gradient ? f.input : f.output) = n;
      points *= static_cast<Cycles>(n);
      operations *= static_cast<Cycles>(f.kernel);
      auto reads = pooledDim(part, d);
      reads.size = part.gradient ? whole_.field[d].output : whole_.field[d].input;
      // From the middle, where no window reaches beyond a side.
      const auto begin = (whole_.resultOf(whole_.field[d]) - n) / 2;
      read *= static_cast<Cycles>(reads.meets({begin, begin + n}, {0, f.kernel}).size());
    }
    const auto bytes = read * part.channels * part.type.sizeInBytes();
    const auto exchange =
        bytes / spec_.exchangeBytesPerCycle + (regroups_ ? bytes / kCopiedBytesPerCycle : 0);
    if (exchange >= least_) return;
    const auto cycles = kind_.cycles(spec_, part);
    if (cycles + exchange >= least_) return;
    least_ = cycles + exchange;
    best_ = current_;
    best_.parts[1] = std::min(whole_.channels, part.channels);
    best_.vertexCycles = cycles;
  }

  /// What PopLibs charges where channels are grouped otherwise than the input's.
  static constexpr Cycles kCopiedBytesPerCycle = 4;

  const TargetSpec& spec_;
  const VertexClass& kind_;
  const PoolingWork& whole_;
  const Cycles tiles_;
  std::vector<Cycles> sizes_;  // of [batch, channel groups, field...]
  bool regroups_ = false;
  PoolingPlan current_, best_;
  Cycles least_ = std::numeric_limits<Cycles>::max();
};

}  // namespace

PoolingPlan planPooling(const TargetSpec& spec, const VertexClass& kind, const PoolingWork& whole,
                        unsigned tiles) {
  return Planner(spec, kind, whole, tiles).plan();
}

Grid layoutOf(const PoolingPlan& plan, const PoolingWork& whole, unsigned first) {
  Grid grid;
  grid.first = first;
  grid.channels = 1;
  std::vector<Cycles> sizes{whole.batch, whole.channels};
  for (const auto& d : whole.field) sizes.push_back(static_cast<Cycles>(whole.resultOf(d)));
  // As in PopLibs, parts of the last dimension are on neighbouring tiles.
  unsigned stride = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    const auto size = static_cast<std::int64_t>(sizes[d]);
    const auto part = static_cast<std::int64_t>(plan.parts[d]);
    grid.dims.insert(grid.dims.begin(), {size, size, part, part, stride, 0});
    stride *= static_cast<unsigned>(ceilDiv(sizes[d], plan.parts[d]));
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
