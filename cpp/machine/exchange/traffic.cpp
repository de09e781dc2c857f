#include "machine/exchange/traffic.hpp"

#include <algorithm>
#include <numeric>

namespace popir {
namespace {

Stretch meet(Stretch a, Stretch b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }

std::int64_t product(const Radix& sizes, std::size_t begin, std::size_t end) {
  std::int64_t n = 1;
  for (auto i = begin; i < end; ++i) n *= sizes[i];
  return n;
}

// Cuts a stretch of the flat order of dimensions [d, end) into boxes of these dimensions. Calls
// `visit` for each, with the box in `box`. E.g. sizes {3, 4}, stretch [2, 10): the boxes
// [0, 1) x [2, 4), [1, 2) x [0, 4) and [2, 3) x [0, 2).
void cut(const Radix& sizes, std::size_t d, std::size_t end, Stretch s, Box& box,
         const std::function<void()>& visit) {
  if (s.size() == 0) return;
  if (d + 1 >= end) {
    if (d < end) box[d] = s;
    return visit();
  }
  const auto below = product(sizes, d + 1, end);
  const auto first = s.begin / below, last = (s.end - 1) / below;
  const auto rest = [&](std::int64_t at, Stretch inside) {
    box[d] = {at, at + 1};
    cut(sizes, d + 1, end, inside, box, visit);
  };
  if (first == last) return rest(first, {s.begin - first * below, s.end - first * below});
  auto from = first, to = last + 1;
  if (s.begin > first * below) rest(from++, {s.begin - first * below, below});
  const bool tail = s.end < (last + 1) * below;
  if (tail) --to;
  if (from < to) {
    box[d] = {from, to};
    cut(sizes, d + 1, end, {0, below}, box, visit);
  }
  if (tail) rest(last, {0, s.end - last * below});
}

// A coarse dimension: the product of the fine dimensions [begin, end).
struct Group {
  std::size_t begin = 0, end = 0;
};

// The coarsest radix that refines `a` and has a dimension with each of `strides`; empty if there is
// none. E.g. a = {6, 4}, strides = {12}, 24 elements: {2, 3, 4}, whose dimensions have strides 12,
// 4 and 1.
Radix common(const Radix& a, std::vector<std::int64_t> strides, std::int64_t elements) {
  std::int64_t below = 1;
  for (auto d = a.rbegin(); d != a.rend(); ++d) strides.push_back(below *= *d);
  strides.push_back(1);
  strides.push_back(elements);
  std::sort(strides.rbegin(), strides.rend());
  strides.erase(std::unique(strides.begin(), strides.end()), strides.end());
  Radix sizes;
  for (std::size_t i = 0; i + 1 < strides.size(); ++i) {
    if (strides[i] % strides[i + 1] != 0) return {};
    sizes.push_back(strides[i] / strides[i + 1]);
  }
  if (sizes.empty()) sizes.push_back(1);
  return sizes;
}

// The fine dimensions of which a coarse dimension with this stride and size is the product.
Group groupOf(const Radix& fine, std::int64_t stride, std::int64_t size) {
  Group g{fine.size(), fine.size()};
  std::int64_t below = 1;
  for (auto d = fine.size(); d-- > 0; below *= fine[d]) {
    if (below >= stride * size) break;
    if (below < stride) g.end = d;
    g.begin = d;
  }
  if (size == 1) g.begin = g.end;
  return g;
}

// The computation of addBoxTraffic(). Operand and mapping cut the variable into different
// dimensions. Their common radix has fine dimensions; each dimension of the operand or of the
// mapping is a group of these. In fine dimensions both the mapped and the needed elements are
// boxes, which can be intersected dimension by dimension.
class BoxTraffic {
 public:
  BoxTraffic(Traffic& traffic, const BoxNeeds& needs, unsigned first, const TileRing& ring,
             const StridedOperand& operand, const BoxMapping& mapping, unsigned tilesPerIPU)
      : traffic_(traffic),
        needs_(needs),
        first_(first),
        ring_(ring),
        tiles_(needs.tiles()),
        operand_(operand),
        mapping_(mapping),
        tilesPerIPU_(tilesPerIPU) {}

  // Computes the fine dimensions. \returns false if operand and mapping do not nest.
  bool prepare() {
    std::vector<std::int64_t> strides;
    for (std::size_t d = 0; d < needs_.dims(); ++d)
      if (steps(d)) strides.push_back(std::abs(operand_.strides[d]));
    fine_ = common(mapping_.radix(), strides, operand_.elements);
    if (fine_.empty()) return false;
    std::sort(strides.rbegin(), strides.rend());
    if (std::adjacent_find(strides.begin(), strides.end()) != strides.end()) return false;
    base_.resize(fine_.size());
    auto rest = operand_.offset;
    for (auto d = fine_.size(); d-- > 0; rest /= fine_[d]) base_[d] = rest % fine_[d];
    dims_.resize(needs_.dims());
    std::vector<bool> shown(fine_.size());
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      auto& dim = dims_[d];
      dim.steps = steps(d);
      if (!dim.steps) continue;
      const auto stride = std::abs(operand_.strides[d]);
      const auto above = std::upper_bound(strides.rbegin(), strides.rend(), stride);
      const auto top = above == strides.rend() ? operand_.elements : *above;
      dim.group = groupOf(fine_, stride, top / stride);
      for (auto f = dim.group.begin; f < dim.group.end; ++f) {
        dim.from = dim.from * fine_[f] + base_[f];
        shown[f] = true;
      }
      dim.sign = operand_.strides[d] < 0 ? -1 : 1;
      dim.size = product(fine_, dim.group.begin, dim.group.end);
      const auto far = dim.from + dim.sign * (extent(d) - 1);
      if (far < 0 || far >= dim.size) return false;
    }
    for (std::size_t f = 0; f < fine_.size(); ++f)
      if (!shown[f]) hidden_.push_back(f);
    for (std::size_t d = 0; d < dims_.size(); ++d)
      if (dims_[d].steps) order_.push_back(d);
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return dims_[a].group.begin < dims_[b].group.begin;
    });
    inOrder_ = std::is_sorted(order_.begin(), order_.end());
    for (std::size_t d = 0; d < dims_.size(); ++d) atoms_.emplace_back(needs_.along(d));
    return true;
  }

  void add(std::uint64_t elementBytes, unsigned together) {
    bytes_ = elementBytes;
    own_.resize(tiles_);
    ownSpans_.resize(tiles_);
    ownCode_.resize(tiles_);
    spans_.resize(needs_.boxes());
    code_.resize(needs_.boxes());
    if (traffic_.ipus() > 1) {
      wanting_.resize(needs_.boxes());
      for (unsigned t = 0; t < tiles_; ++t)
        if (needs_.boxOf(t) < needs_.boxes())
          wanting_[needs_.boxOf(t)] |= std::uint64_t{1} << (ring_.tile(first_ + t) / tilesPerIPU_);
      wantedBy_.resize(traffic_.ipus());
      for (unsigned ipu = 0; ipu < wantedBy_.size(); ++ipu)
        for (const auto by : wanting_) wantedBy_[ipu] += by >> ipu & 1;
    }
    std::vector<Group> groups;
    std::int64_t below = 1;
    for (auto d = mapping_.radix().rbegin(); d != mapping_.radix().rend(); below *= *d++)
      groups.insert(groups.begin(), groupOf(fine_, below, *d));
    grains_.assign(dims_.size(), 1);
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (std::size_t d = 0; d < dims_.size(); ++d)
        if (dims_[d].steps && dims_[d].group.begin == groups[g].begin &&
            dims_[d].group.end == groups[g].end)
          grains_[d] = mapping_.group(g);
    Box box(fine_.size());
    mapping_.forEach(wantedOf(groups), [&](const Box& mapped, unsigned tile) {
      for (std::size_t f = 0; f < fine_.size(); ++f) box[f] = {0, fine_[f]};
      refine(mapped, groups, 0, box, tile);
    });
    for (unsigned t = 0; t < tiles_; ++t) {
      const auto b = needs_.boxOf(t);
      if (b == needs_.boxes()) continue;
      const auto need = static_cast<std::uint64_t>(volume(b));
      const auto lacking = needed(need - std::min(need, own_[t])) * bytes_;
      if (lacking == 0) continue;
      const auto spans = spans_[b] + everywhere_ / needs_.boxes();
      const auto code = code_[b] + codeEverywhere_ / needs_.boxes();
      const auto each = [&](std::uint64_t all, std::uint64_t own) {
        return (all - std::min(all, own) + together - 1) / together;
      };
      const auto tile = ring_.tile(first_ + t);
      traffic_.receive(tile, lacking, together);
      traffic_.addSpans(tile, each(spans, ownSpans_[t]));
      traffic_.addReceiveCode(tile, each(code, ownCode_[t]));
    }
  }

 private:
  // A dimension of the operand. If it steps, i.e. if it has several elements at different
  // positions, its element i is element from + sign * i of its group, which has `size` elements.
  struct Dim {
    bool steps = false;
    Group group;
    std::int64_t from = 0, sign = 1, size = 1;
  };

  // The stretches into which the begins and ends of all needed stretches of a dimension cut it: the
  // elements of one of them go to the same tiles.
  class Atoms {
   public:
    explicit Atoms(const std::vector<Stretch>& needed) {
      for (const auto& s : needed)
        if (s.size() > 0) cuts_.insert(cuts_.end(), {s.begin, s.end});
      std::sort(cuts_.begin(), cuts_.end());
      cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
    }
    /// How many of them a stretch meets.
    std::int64_t meeting(Stretch s) const {
      return 1 + (std::lower_bound(cuts_.begin(), cuts_.end(), s.end) -
                  std::upper_bound(cuts_.begin(), cuts_.end(), s.begin));
    }

   private:
    std::vector<std::int64_t> cuts_;
  };

  // What a box has along a dimension of some needed elements: how many, how many atoms of them, how
  // many there are in the memory that they are in pieces of, and the elements of a group.
  struct Along {
    std::int64_t elements, atoms, whole, grain;
  };

  std::int64_t extent(std::size_t d) const { return needs_.extent(d); }
  bool steps(std::size_t d) const { return extent(d) > 1 && operand_.strides[d] != 0; }

  // The number of distinct elements in a needed box.
  std::int64_t volume(std::size_t box) const {
    std::int64_t n = 1;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      const auto size = needs_.stretch(box, d).size();
      n *= dims_[d].steps ? size : std::min<std::int64_t>(size, 1);
    }
    return n;
  }

  // A stretch of an operand's dimension, as a stretch of the elements of its group.
  Stretch inGroup(std::size_t d, Stretch s) const {
    const auto& dim = dims_[d];
    return dim.sign > 0 ? Stretch{dim.from + s.begin, dim.from + s.end}
                        : Stretch{dim.from - s.end + 1, dim.from - s.begin + 1};
  }

  // The inverse.
  Stretch inOperand(std::size_t d, Stretch s) const {
    const auto& dim = dims_[d];
    return dim.sign > 0 ? Stretch{s.begin - dim.from, s.end - dim.from}
                        : Stretch{dim.from - s.end + 1, dim.from - s.begin + 1};
  }

  // The smallest stretch of operand dimension d that contains what a box has of it.
  Stretch reach(std::size_t d, const Box& box) const {
    const auto& g = dims_[d].group;
    Stretch there{0, 1};
    for (auto f = g.begin; f < g.end; ++f)
      there = {there.begin * fine_[f] + box[f].begin, (there.end - 1) * fine_[f] + box[f].end};
    return inOperand(d, there);
  }

  // A box in the mapping's dimensions that contains all elements that any tile needs.
  Box wantedOf(const std::vector<Group>& groups) const {
    Box fine(fine_.size());
    for (std::size_t f = 0; f < fine_.size(); ++f) fine[f] = {0, fine_[f]};
    for (const auto f : hidden_) fine[f] = {base_[f], base_[f] + 1};
    for (const auto d : order_)
      if (dims_[d].group.end - dims_[d].group.begin == 1)
        fine[dims_[d].group.begin] = inGroup(d, needs_.all(d));
    Box wanted;
    for (const auto& g : groups) {
      Stretch s{0, 1};
      for (auto f = g.begin; f < g.end; ++f)
        s = {s.begin * fine_[f] + fine[f].begin, (s.end - 1) * fine_[f] + fine[f].end};
      wanted.push_back(s);
    }
    return wanted;
  }

  // Cuts a box of the mapping into boxes of fine dimensions, and passes them to meetBox().
  void refine(const Box& mapped, const std::vector<Group>& groups, std::size_t d, Box& box,
              unsigned tile) {
    if (d == groups.size()) return meetBox(box, tile);
    const auto& g = groups[d];
    if (g.begin == g.end) return refine(mapped, groups, d + 1, box, tile);
    cut(fine_, g.begin, g.end, mapped[d], box, [&] { refine(mapped, groups, d + 1, box, tile); });
  }

  // The number of elements of a stretch of operand dimension d that are in a box.
  std::int64_t meeting(std::size_t d, Stretch s, const Box& box) const {
    if (!dims_[d].steps) return s.size() > 0;
    const auto& g = dims_[d].group;
    const auto there = inGroup(d, s);
    if (g.end - g.begin == 1) return std::max<std::int64_t>(0, meet(there, box[g.begin]).size());
    std::int64_t n = 0;
    auto part = scratch_;
    part.resize(fine_.size());
    cut(fine_, g.begin, g.end, there, part, [&] {
      std::int64_t both = 1;
      for (auto f = g.begin; f < g.end; ++f) both *= meet(part[f], box[f]).size();
      n += both;
    });
    return n;
  }

  // Adds the traffic of one box of fine dimensions, which is mapped to `tile`.
  void meetBox(const Box& box, unsigned tile) {
    for (const auto f : hidden_)
      if (meet(box[f], {base_[f], base_[f] + 1}).size() == 0) return;
    std::int64_t all = 1;
    std::size_t combinations = 1;
    ranges_.resize(dims_.size());
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      Stretch of{0, extent(d)};
      if (dims_[d].steps) {
        of = meet(of, reach(d, box));
      }
      if (of.size() == 0) return;
      all *= meeting(d, needs_.all(d), box);
      ranges_[d] = needs_.meeting(d, of);
      if (ranges_[d].size() == 0) return;
      combinations *= static_cast<std::size_t>(ranges_[d].size());
    }
    if (all == 0) return;
    std::uint64_t own = 0;
    const auto at = ring_.after(first_, tile);
    if (at < tiles_) {
      const auto b = needs_.boxOf(at);
      own = b < needs_.boxes();
      for (std::size_t d = 0; d < dims_.size() && own > 0; ++d)
        own *= static_cast<std::uint64_t>(meeting(d, needs_.stretch(b, d), box));
      own_[at] += own;
      if (own > 0) ++ownSpans_[at];
    }
    // If each box is needed by one tile only, the elements that this tile needs itself are not
    // sent. That other tiles may need them too, as a halo, is neglected.
    const auto stays = needs_.shared() ? 0 : std::min(own, static_cast<std::uint64_t>(all));
    const auto leaving = needed(static_cast<std::uint64_t>(all) - stays);
    traffic_.send(tile, leaving * bytes_);
    if (leaving > 0)
      traffic_.addSendCode(tile, traffic_.sendCode(sent(box, leaving), leaving * bytes_));
    // With more combinations of stretches than this, spans and link bytes are divided evenly over
    // all needed boxes.
    constexpr std::size_t kMany = 64;
    if (combinations > kMany) {
      everywhere_ += combinations;
      codeEverywhere_ += traffic_.receiveCode(combinations, combinations,
                                              static_cast<std::uint64_t>(all) * bytes_);
      for (unsigned to = 0; to < wantedBy_.size(); ++to)
        if (to != tile / tilesPerIPU_)
          link(tile, to, static_cast<std::uint64_t>(all) * wantedBy_[to] / needs_.boxes());
      return;
    }
    chosen_.resize(dims_.size());
    combine(0, 1, box, tile);
  }

  // Adds spans and link traffic of each needed box that has elements in `box`. Recursive over
  // dimensions: chosen_ has the stretches of dimensions [0, d), of which `elements` are in `box`.
  void combine(std::size_t d, std::int64_t elements, const Box& box, unsigned tile) {
    if (d < dims_.size()) {
      for (auto at = ranges_[d].begin; at < ranges_[d].end; ++at) {
        chosen_[d] = static_cast<std::size_t>(at);
        const auto n = meeting(d, needs_.along(d)[chosen_[d]], box);
        if (n > 0) combine(d + 1, elements * n, box, tile);
      }
      return;
    }
    const auto b = needs_.boxOf(chosen_);
    spans_[b] += static_cast<std::uint64_t>(pieces(box));
    const auto code = received(box, elements);
    code_[b] += code;
    const auto at = ring_.after(first_, tile);
    if (at < tiles_ && needs_.boxOf(at) == b) ownCode_[at] += code;
    if (wanting_.empty()) return;
    for (unsigned to = 0; to < wantedBy_.size(); ++to)
      if ((wanting_[b] >> to & 1) != 0) link(tile, to, static_cast<std::uint64_t>(elements));
  }

  void link(unsigned tile, unsigned ipu, std::uint64_t elements) {
    if (tile / tilesPerIPU_ != ipu) traffic_.link(tile / tilesPerIPU_, ipu, elements * bytes_);
  }

  // Elements of `box` along each dimension that steps, outermost first: those that all stretches of
  // needs_ need, or the chosen ones; in the memory of the sender, or of the receiver.
  std::vector<Along> along(const Box& box, bool chosen, bool receiver) const {
    std::vector<Along> found;
    for (const auto d : order_) {
      const auto& g = dims_[d].group;
      const auto wanted = chosen ? needs_.along(d)[chosen_[d]] : needs_.all(d);
      Along a{meeting(d, wanted, box), atoms_[d].meeting(meet(wanted, reach(d, box))),
              wanted.size(), grains_[d]};
      if (receiver) {
        a.atoms = std::max(a.atoms, rows(g, box, a.elements));
      } else {
        a.whole = 1;
        for (auto f = g.begin; f < g.end; ++f) a.whole *= box[f].size();
      }
      found.push_back(a);
    }
    return found;
  }

  // The stretches of a dimension that `elements` of the elements in a box lie in. E.g. of rows of 8
  // columns a box has columns [2, 6): 8 of its elements are in two stretches.
  std::int64_t rows(const Group& g, const Box& box, std::int64_t elements) const {
    std::int64_t row = 1;
    for (auto f = g.end; f-- > g.begin;) {
      row *= box[f].size();
      if (box[f].size() < fine_[f]) break;
    }
    return g.end - g.begin > 1 ? (elements + row - 1) / row : 1;
  }

  // The contiguous pieces, in a memory with these elements, of what is sent atom by atom. Groups lie
  // inside of groups of all other dimensions. From the innermost dimension on, pieces are as long as
  // one atom is all that there is along a dimension. E.g. of 4 x 8 elements without groups, 2 x 3 are
  // two pieces, 2 x 8 one piece.
  static std::int64_t piecesOf(const std::vector<Along>& all) {
    std::int64_t found = 1;
    bool broken = false;
    const auto goOn = [&](std::int64_t elements, std::int64_t whole, std::int64_t atoms) {
      if (broken) {
        found *= elements;
      } else if (atoms > 1 || elements < whole) {
        found = atoms;
        broken = true;
      }
    };
    for (auto a = all.rbegin(); a != all.rend(); ++a)
      if (a->grain > 1)
        goOn(std::min(a->elements, a->grain), std::min(a->whole, a->grain),
             a->elements < a->grain ? a->atoms : 1);
    for (auto a = all.rbegin(); a != all.rend(); ++a)
      goOn((a->elements + a->grain - 1) / a->grain, (a->whole + a->grain - 1) / a->grain,
           a->elements < a->grain ? 1 : a->atoms);
    return found;
  }

  // The contiguous pieces of the sender's memory that the chosen stretches need.
  std::int64_t pieces(const Box& box) const {
    auto all = along(box, true, false);
    for (auto& a : all) a.atoms = 1;
    return piecesOf(all);
  }

  // The pieces of the sender's memory that leave it, with so many elements. Where some between them
  // are not needed each group is a piece.
  std::uint64_t sent(const Box& box, std::uint64_t elements) const {
    const auto pieces = static_cast<std::uint64_t>(piecesOf(along(box, false, false)));
    if (needs_.density() == 1) return pieces;
    std::uint64_t group = 1;
    for (const auto grain : grains_) group *= static_cast<std::uint64_t>(grain);
    return std::max(pieces, (elements + group - 1) / group);
  }

  // Of so many elements, those that are needed.
  std::uint64_t needed(std::uint64_t elements) const {
    return static_cast<std::uint64_t>(static_cast<double>(elements) * needs_.density() + 0.5);
  }

  // The instructions that receive the elements of `box` that the chosen stretches need. What comes
  // in another order than the operand's is put in order after it has arrived.
  std::uint64_t received(const Box& box, std::int64_t elements) const {
    const auto all = along(box, true, true);
    std::int64_t messages = 1;
    for (const auto& a : all) messages *= a.atoms;
    const auto pieces = inOrder_ ? std::max(messages, piecesOf(all)) : messages;
    return traffic_.receiveCode(static_cast<std::uint64_t>(messages),
                                static_cast<std::uint64_t>(pieces),
                                static_cast<std::uint64_t>(elements) * bytes_);
  }

  Traffic& traffic_;
  const BoxNeeds& needs_;
  const unsigned first_;
  const TileRing ring_;
  const unsigned tiles_;
  const StridedOperand& operand_;
  const BoxMapping& mapping_;
  const unsigned tilesPerIPU_;
  std::uint64_t bytes_ = 1;
  Radix fine_;
  std::vector<std::int64_t> base_;  // fine coordinates of the operand's first element
  // Fine dimensions in no group of the operand; the operand's stepping dimensions, outermost first.
  std::vector<std::size_t> hidden_, order_;
  std::vector<Dim> dims_;
  std::vector<Atoms> atoms_;  // by dimension
  bool inOrder_ = false;      // the operand's dimensions lie in the sender's memory in their order
  std::vector<std::int64_t> grains_;  // by dimension: the elements of a group
  // By tile: elements that it needs and that are mapped to it; fine boxes with such elements.
  std::vector<std::uint64_t> own_, ownSpans_;
  std::vector<std::uint64_t> ownCode_;  // instructions to receive these
  // By needed box: its spans; the instructions to receive it; the IPUs that need it, one bit each.
  std::vector<std::uint64_t> spans_, code_, wanting_;
  std::vector<std::uint64_t> wantedBy_;  // by IPU: number of boxes that it needs
  // Spans and instructions that are divided evenly over all needed boxes.
  std::uint64_t everywhere_ = 0, codeEverywhere_ = 0;
  // By dimension: the stretches of needs_ that may intersect the current box, and the chosen one.
  std::vector<Stretch> ranges_;
  std::vector<std::size_t> chosen_;
  const Box scratch_;
};

}  // namespace

BoxMapping BoxMapping::of(const Grid& grid) {
  BoxMapping h;
  h.grid_ = grid;
  for (const auto& d : grid.dims) h.radix_.push_back(d.size);
  return h;
}

BoxMapping BoxMapping::of(std::vector<TileRun> runs, std::int64_t elements) {
  BoxMapping h;
  h.radix_ = {elements};
  h.runs_ = std::move(runs);
  return h;
}

void BoxMapping::forEach(const Box& wanted,
                         const std::function<void(const Box&, unsigned)>& visit) const {
  Box box(radix_.size());
  if (grid_.dims.empty()) {
    auto run = std::partition_point(runs_.begin(), runs_.end(),
                                    [&](const TileRun& r) { return r.end <= wanted[0].begin; });
    for (; run != runs_.end() && run->begin < wanted[0].end; ++run) {
      box[0] = {run->begin, run->end};
      visit(box, run->tile);
    }
    return;
  }
  const std::function<void(std::size_t, unsigned)> along = [&](std::size_t d, unsigned tile) {
    if (d == radix_.size()) return visit(box, grid_.ring.tile(tile));
    const auto& dim = grid_.dims[d];
    for (auto i = wanted[d].begin; i < wanted[d].end;) {
      // A visited box is a whole piece: it may begin before `wanted`.
      const auto next = dim.boundary(i);
      const auto start = !dim.split()     ? 0
                         : dim.shares > 0 ? dim.shared().begin(dim.shared().of(i))
                                          : i - i % dim.period % dim.part % dim.sub;
      box[d] = {start, next};
      along(d + 1, tile + dim.tile(i));
      i = next;
    }
  };
  along(0, grid_.first);
}

bool addBoxTraffic(Traffic& traffic, const BoxNeeds& needs, unsigned first,
                   const StridedOperand& operand, const BoxMapping& mapping,
                   std::uint64_t elementBytes, unsigned together, unsigned tilesPerIPU,
                   const TileRing& ring) {
  BoxTraffic all(traffic, needs, first, ring, operand, mapping, tilesPerIPU);
  if (!all.prepare()) return false;
  all.add(elementBytes, together);
  return true;
}

}  // namespace popir
