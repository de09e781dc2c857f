#include "machine/planner.hpp"

#include <algorithm>

#include "machine/formulas.hpp"

namespace popir {
namespace {

// Of all ways to cut n grains into equal parts, those that differ.
std::vector<Cycles> splits(Cycles grains, Cycles most) {
  std::vector<Cycles> found;
  for (Cycles parts = 1; parts <= std::min(grains, most); ++parts) {
    const auto each = ceilDiv(grains, parts), used = ceilDiv(grains, each);
    if (found.empty() || found.back() < used) found.push_back(used);
  }
  return found;
}

class Search {
 public:
  Search(const TargetSpec& spec, const Contraction& c) : spec_(spec), c_(c) {
    const auto type = c.whole.type;
    bytes_ = type.sizeInBytes();
    partialBytes_ = std::max<Cycles>(1, c.whole.size(5, 32) / 8);
    limit_ = c.whole.size(6, 600) * spec.memoryBytesPerTile / 1000;
    grains_ = convGrains(spec, type);
    depthwise_ = std::string(c.kind->name) == "poplin::ConvPartialVerticalMac";
  }

  ContractionPlan best() {
    const bool taps = c_.whole.size(4) > 1;
    for (Cycles serial = 1; serial <= kMostSerial; serial *= 2) {
      const auto before = best_.cycles;
      for (Cycles byRows = 1; byRows <= serial; byRows *= 2) {
        ContractionPlan plan;
        plan.serialRows = byRows;
        plan.serialColumns = serial / byRows;
        if (plan.serialRows > c_.whole.size(1) || plan.serialColumns > c_.whole.size(3)) continue;
        tryAll(plan);
        if (depthwise_) continue;
        plan.swapped = !taps;
        plan.expanded = taps;
        tryAll(plan);
      }
      if (found_ && serial > 1 && best_.cycles == before) break;
    }
    return best_;
  }

 private:
  static constexpr Cycles kMostSerial = 1024;

  void tryAll(ContractionPlan plan) {
    const auto groups = c_.whole.size(0);
    rows_ = ceilDiv(c_.whole.size(1), plan.serialRows);
    columns_ = ceilDiv(c_.whole.size(3), plan.serialColumns);
    inner_ = c_.whole.size(2) * (plan.expanded ? c_.whole.size(4) : 1);
    if (plan.swapped) std::swap(rows_, columns_);
    plan.kind = plan.expanded ? findVertexClass("poplin::ConvPartial1x1Out") : c_.kind;
    const auto innerGrains = depthwise_ ? 1 : ceilDiv(inner_, grains_.inner);
    const auto columnGrains = ceilDiv(columns_, grains_.columns);
    for (const auto g : splits(groups, c_.tiles))
      for (const auto k : splits(innerGrains, c_.tiles / g))
        for (const auto n : splits(columnGrains, c_.tiles / (g * k))) {
          plan.groupSplit = g;
          plan.innerSplit = k;
          plan.columnSplit = n;
          const auto m = std::min(rows_, c_.tiles / (g * k * n));
          plan.rowSplit = ceilDiv(rows_, ceilDiv(rows_, m));
          consider(plan);
        }
  }

  void consider(ContractionPlan& plan) {
    const auto g = ceilDiv(c_.whole.size(0), plan.groupSplit), r = ceilDiv(rows_, plan.rowSplit);
    const auto n = partOf(columns_, plan.columnSplit, grains_.columns);
    const auto k = depthwise_ ? inner_ : partOf(inner_, plan.innerSplit, grains_.inner);
    const auto taps = plan.expanded ? 1 : c_.whole.size(4);
    const auto out = g * r * n;
    plan.part = c_.whole;
    plan.part.sizes.resize(6, 8 * partialBytes_);
    plan.part.sizes[0] = g;
    plan.part.sizes[1] = r;
    plan.part.sizes[2] = k;
    plan.part.sizes[3] = n;
    plan.part.sizes[4] = taps;
    needs(plan, g, r, k, n);
    plan.partialBytes = out * partialBytes_;
    if (plan.innerSplit > 1)
      plan.partialBytes += plan.innerSplit * ceilDiv(out, plan.innerSplit) * partialBytes_;
    const auto bytes = plan.temporaryBytes();
    if (found_ && bytes > limit_) return;
    if (!found_ && bytes > limit_ && best_.kind && bytes >= best_.temporaryBytes()) return;

    const bool rowBlocks =
        plan.columnSplit == 1 && plan.serial() == 1 && !plan.swapped && c_.resultShare == out;
    plan.moves = c_.tiles > 1 && plan.innerSplit == 1 && !rowBlocks;
    price(plan);
    if (bytes > limit_ || !found_ || plan.cycles < best_.cycles) {
      found_ = bytes <= limit_;
      best_ = plan;
    }
  }

  static Cycles partOf(Cycles size, Cycles parts, Cycles grain) {
    return std::min(size, grain * ceilDiv(ceilDiv(size, grain), parts));
  }

  // What a tile wants of the operands: of all their elements the part of its groups, rows, columns.
  void needs(ContractionPlan& plan, Cycles g, Cycles r, Cycles k, Cycles n) const {
    auto ofRows = c_.rowElements, ofColumns = c_.columnElements;
    if (plan.swapped) std::swap(ofRows, ofColumns);
    const auto part = [](Cycles elements, double a, double b, double c) {
      return std::max<Cycles>(1, static_cast<Cycles>(static_cast<double>(elements) * a * b * c));
    };
    const auto of = [](Cycles a, Cycles b) {
      return static_cast<double>(a) / static_cast<double>(std::max<Cycles>(b, 1));
    };
    const auto allRows = plan.swapped ? c_.whole.size(3) : c_.whole.size(1);
    const auto allColumns = plan.swapped ? c_.whole.size(1) : c_.whole.size(3);
    const auto groups = of(g, c_.whole.size(0)), inner = of(k, inner_);
    const auto expandedRows = g * r * k * bytes_;
    plan.rowBytes = part(ofRows, groups, of(r, allRows), plan.expanded ? 1 : inner) * bytes_;
    plan.rowBytes = std::min(plan.rowBytes, expandedRows * (plan.expanded ? 1 : c_.whole.size(4)));
    plan.columnBytes = part(ofColumns, groups, of(n, allColumns), inner) * bytes_;
    plan.rearranged = plan.expanded  ? expandedRows
                      : plan.swapped ? plan.rowBytes + plan.columnBytes
                                     : 0;
    const bool buses = spec_.tilesPerSharedExchangeBus > 1;
    plan.sharesRows = buses && plan.columnSplit > 1;
    plan.sharesColumns = buses && plan.rowSplit > 1;
    if (plan.sharesRows && plan.sharesColumns)
      (plan.rowBytes >= plan.columnBytes ? plan.sharesColumns : plan.sharesRows) = false;
  }

  void price(ContractionPlan& plan) const {
    const auto rate = spec_.exchangeBytesPerCycle, bus = spec_.tilesPerSharedExchangeBus;
    const auto serial = plan.serial();
    plan.computeCycles = plan.kind->cycles(spec_, plan.part);
    if (plan.rearranged) plan.computeCycles += rearrangeCycles(spec_, plan.rearranged);
    plan.exchangeCycles =
        ceilDiv((plan.sharesRows ? plan.rowBytes / bus : plan.rowBytes) +
                    (plan.sharesColumns ? plan.columnBytes / bus : plan.columnBytes),
                rate);
    plan.phases = 1;
    const auto share = ceilDiv(c_.resultShare, serial);
    if (plan.innerSplit > 1) {
      ++plan.phases;
      const auto received = ceilDiv(share * plan.innerSplit * partialBytes_, rate);
      const auto sent = ceilDiv(
          plan.part.sizes[0] * plan.part.sizes[1] * plan.part.sizes[3] * partialBytes_, rate);
      plan.exchangeCycles += std::max(received, sent);
      plan.computeCycles += reducePartials(spec_, share, plan.innerSplit, partialBytes_);
    } else if (plan.moves) {
      ++plan.phases;
      plan.exchangeCycles += ceilDiv(share * c_.resultBytes, rate);
    }
    plan.sliceCycles = 0;
    if (serial > 1) {
      ++plan.phases;
      const auto cut = [&](Cycles elements) {
        return dynamicSlice(spec_, c_.whole.type, ceilDiv(elements, c_.tiles * serial));
      };
      if (plan.serialRows > 1) plan.sliceCycles += cut(c_.rowElements);
      if (plan.serialColumns > 1) plan.sliceCycles += cut(c_.columnElements);
      plan.sliceCycles += dynamicSlice(spec_, c_.whole.type, share);
      plan.computeCycles += plan.sliceCycles;
    }
    plan.cycles =
        serial * (plan.computeCycles + plan.exchangeCycles + plan.phases * spec_.phaseCycles);
  }

  const TargetSpec& spec_;
  const Contraction& c_;
  Cycles bytes_, partialBytes_, limit_;
  ConvGrains grains_;
  bool depthwise_;
  Cycles rows_ = 1, columns_ = 1, inner_ = 1;
  ContractionPlan best_;
  bool found_ = false;  // one that fits
};

}  // namespace

ContractionPlan planContraction(const TargetSpec& spec, const Contraction& contraction) {
  return Search(spec, contraction).best();
}

std::uint64_t rearrangeCycles(const TargetSpec&, std::uint64_t bytes) {
  // PopLibs' regression over its own runs, of pieces that are multiples of 8 bytes.
  return 587 + bytes * 44 / 100;
}

}  // namespace popir
