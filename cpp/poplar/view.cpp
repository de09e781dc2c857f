// This file is long because all operations on views belong together.
#include "poplar/view.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <set>
#include <tuple>

#include "poplar/tangle.hpp"
#include "support/budget.hpp"

namespace popir {

std::string shapeText(const Dims& shape) {
  std::string s = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) s += (i ? "," : "") + std::to_string(shape[i]);
  return s + "]";
}

std::int64_t product(const Dims& shape) {
  std::int64_t n = 1;
  for (auto d : shape) n *= d;
  return n;
}

Dims rowMajorStrides(const Dims& shape) {
  Dims strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= shape[i];
  }
  return strides;
}

std::optional<Dims> reshapeStrides(const Dims& shape, const Dims& strides, const Dims& newShape) {
  // Dimensions of size 1 are dropped. The others are matched in groups, from the left.
  Dims oldSizes, oldStrides;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return rowMajorStrides(newShape);
    if (shape[i] == 1) continue;
    oldSizes.push_back(shape[i]);
    oldStrides.push_back(strides[i]);
  }
  Dims result(newShape.size(), 0);
  std::size_t o = 0, n = 0;
  while (n < newShape.size()) {
    if (newShape[n] == 1) {
      ++n;
      continue;
    }
    if (o == oldSizes.size()) return std::nullopt;
    std::size_t oEnd = o + 1, nEnd = n + 1;
    std::int64_t oSize = oldSizes[o], nSize = newShape[n];
    while (oSize != nSize) {
      if (oSize < nSize) {
        if (oEnd == oldSizes.size()) return std::nullopt;
        oSize *= oldSizes[oEnd++];
      } else {
        if (nEnd == newShape.size()) return std::nullopt;
        nSize *= newShape[nEnd++];
      }
    }
    for (std::size_t i = o; i + 1 < oEnd; ++i)
      if (oldStrides[i] != oldStrides[i + 1] * oldSizes[i + 1]) return std::nullopt;
    std::int64_t step = oldStrides[oEnd - 1];
    for (std::size_t i = nEnd; i-- > n;) {
      result[i] = step;
      step *= newShape[i];
    }
    o = oEnd;
    n = nEnd;
  }
  return o == oldSizes.size() ? std::optional<Dims>(result) : std::nullopt;
}

std::int64_t Nest::elements() const {
  std::int64_t n = 1;
  for (const auto& d : dims) n *= d.n;
  return n;
}

void Nest::coalesce() {
  std::vector<NestDim> out;
  for (const auto& d : dims) {
    if (d.n == 1) continue;
    if (!out.empty() && out.back().from == d.from * d.n && out.back().to == d.to * d.n)
      out.back() = {out.back().n * d.n, d.from, d.to};
    else
      out.push_back(d);
  }
  dims = std::move(out);
}

struct View::Base {
  // The base is a variable (`parts` empty), another view, flattened (one part), or several
  // concatenated views. `constant` is true if any part of it is constant.
  unsigned variable = 0;
  bool constant = false;
  std::int64_t variableElements = 0;
  std::vector<ViewPtr> parts;
  // Concatenated parts: the index space is [outer, starts.back(), inner], and part p has the range
  // [starts[p], starts[p + 1]) of the middle dimension.
  std::int64_t outer = 1, inner = 1;
  Dims starts;
  // Whether all parts show `variable` alone.
  bool isOfOne = true;

  void add(ViewPtr part) {
    const Base& of = *part->base_;
    if (parts.empty()) variable = of.variable;
    isOfOne = isOfOne && of.isOfOne && of.variable == variable;
    constant = constant || of.constant;
    parts.push_back(std::move(part));
  }
};

// Views share bases, so each base is replaced once. An unchanged base is kept.
class View::Replacement {
 public:
  explicit Replacement(const std::map<unsigned, ViewPtr>& by) : by_(by) {}

  std::shared_ptr<const Base> of(const std::shared_ptr<const Base>& base) {
    if (base->parts.empty()) return made(base);
    const auto known = known_.find(base.get());
    return known != known_.end() ? known->second : known_[base.get()] = made(base);
  }

 private:
  std::shared_ptr<const Base> made(const std::shared_ptr<const Base>& base) {
    if (base->parts.empty()) {
      const auto by = by_.find(base->variable);
      if (by == by_.end()) return base;
      if (by->second->wholeVariable()) return by->second->base_;
      auto changed = std::make_shared<Base>();
      changed->add(by->second);
      return changed;
    }
    auto changed = std::make_shared<Base>(*base);
    changed->constant = false;
    changed->isOfOne = true;
    changed->parts.clear();
    bool any = false;
    for (const auto& part : base->parts) {
      auto inner = of(part->base_);
      if (inner == part->base_) {
        changed->add(part);
        continue;
      }
      any = true;
      auto v = part->copy();
      v->base_ = std::move(inner);
      changed->add(finished(std::move(v)));
    }
    return any ? changed : base;
  }

  const std::map<unsigned, ViewPtr>& by_;
  std::map<const Base*, std::shared_ptr<const Base>> known_;
};

ViewPtr View::ofVariable(const GraphImpl* graph, unsigned variable, bool constant,
                         poplar::Type type, Dims shape) {
  auto base = std::make_shared<Base>();
  base->variable = variable;
  base->constant = constant;
  base->variableElements = product(shape);
  auto v = std::make_shared<View>(View());
  v->graph_ = graph;
  v->type_ = type;
  v->strides_ = rowMajorStrides(shape);
  v->shape_ = std::move(shape);
  v->base_ = std::move(base);
  return finished(std::move(v));
}

ViewPtr View::concat(const std::vector<ViewPtr>& parts, unsigned dimension) {
  auto base = std::make_shared<Base>();
  auto shape = parts.front()->shape_;
  for (unsigned i = 0; i < shape.size(); ++i)
    (i < dimension ? base->outer : base->inner) *= i == dimension ? 1 : shape[i];
  base->starts.push_back(0);
  for (const auto& part : parts) {
    if (part->elements() == 0) continue;
    base->add(part);
    base->starts.push_back(base->starts.back() + part->shape_[dimension]);
  }
  if (base->parts.size() == 1) return base->parts.front();
  shape[dimension] = 0;
  for (const auto& part : parts) shape[dimension] += part->shape_[dimension];
  auto v = parts.front()->copy();
  v->shape_ = std::move(shape);
  v->strides_ = rowMajorStrides(v->shape_);
  if (base->parts.empty()) return finished(std::move(v));
  for (const auto& part : base->parts)
    if (v->metadata_ != nullptr && part->metadata_ != v->metadata_ &&
        (part->metadata_ == nullptr || !part->metadata_->sameElements(*v->metadata_)))
      v->metadata_ = nullptr;
  v->offset_ = 0;
  v->base_ = std::move(base);
  return finished(std::move(v));
}

View::State View::state() const {
  return {type_,
          shape_,
          strides_,
          offset_,
          base_->variable,
          base_->constant,
          base_->variableElements,
          base_->outer,
          base_->inner,
          base_->starts,
          base_->parts};
}

ViewPtr View::ofState(const GraphImpl* graph, State state) {
  auto base = std::make_shared<Base>();
  base->variable = state.variable;
  base->constant = state.constant;
  base->variableElements = state.variableElements;
  for (auto& part : state.parts) base->add(std::move(part));
  base->outer = state.outer;
  base->inner = state.inner;
  base->starts = std::move(state.starts);
  auto v = std::make_shared<View>(View());
  v->graph_ = graph;
  v->type_ = state.type;
  v->shape_ = std::move(state.shape);
  v->strides_ = std::move(state.strides);
  v->offset_ = state.offset;
  v->base_ = std::move(base);
  return finished(std::move(v));
}

std::int64_t View::elements() const { return product(shape_); }

ViewPtr View::slice(unsigned dimension, std::int64_t begin, std::int64_t end) const {
  auto v = copy();
  v->offset_ += begin * strides_[dimension];
  v->shape_[dimension] = end - begin;
  return finished(std::move(v));
}

ViewPtr View::subSample(unsigned dimension, std::int64_t stride) const {
  auto v = copy();
  v->shape_[dimension] = (shape_[dimension] + stride - 1) / stride;
  v->strides_[dimension] *= stride;
  return finished(std::move(v));
}

ViewPtr View::reverse(unsigned dimension) const {
  if (shape_[dimension] == 0) return copy();
  auto v = copy();
  v->offset_ += (shape_[dimension] - 1) * strides_[dimension];
  v->strides_[dimension] = -strides_[dimension];
  return finished(std::move(v));
}

ViewPtr View::permute(const std::vector<unsigned>& permutation) const {
  auto v = copy();
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    v->shape_[i] = shape_[permutation[i]];
    v->strides_[i] = strides_[permutation[i]];
  }
  return finished(std::move(v));
}

ViewPtr View::repeatBefore(unsigned dimension, std::int64_t n) const {
  auto v = copy();
  v->shape_.insert(v->shape_.begin() + dimension, n);
  v->strides_.insert(v->strides_.begin() + dimension, 0);
  return finished(std::move(v));
}

ViewPtr View::reinterpret(poplar::Type type) const {
  auto v = copy();
  if (type != type_) v->metadata_ = nullptr;
  v->type_ = type;
  return finished(std::move(v));
}

ViewPtr View::withMetadata(ViewPtr metadata) const {
  auto v = copy();
  v->metadata_ = std::move(metadata);
  return v;
}

/// Compares views. Bases that many views share are compared once.
class View::Likeness {
 public:
  using IsLike = std::function<bool(unsigned, unsigned)>;

  explicit Likeness(const IsLike& isLike) : isLike_(isLike) {}

  bool of(const View& a, const View& b) {
    return a.type_ == b.type_ && a.shape_ == b.shape_ && a.strides_ == b.strides_ &&
           a.offset_ == b.offset_ && of(*a.base_, *b.base_);
  }

 private:
  bool of(const Base& a, const Base& b) {
    if (a.parts.size() != b.parts.size()) return false;
    if (a.parts.empty()) return isLike_(a.variable, b.variable);
    if (a.outer != b.outer || a.inner != b.inner || a.starts != b.starts) return false;
    // Where one comparison fails all do, so that only those that succeed are met again.
    if (!known_.emplace(&a, &b).second) return true;
    for (std::size_t i = 0; i < a.parts.size(); ++i)
      if (!of(*a.parts[i], *b.parts[i])) return false;
    return true;
  }

  const IsLike& isLike_;
  std::set<std::pair<const Base*, const Base*>> known_;
};

bool View::isLike(const View& other, const std::function<bool(unsigned, unsigned)>& isLike) const {
  return Likeness(isLike).of(*this, other);
}

ViewPtr View::replaced(const std::map<unsigned, ViewPtr>& by) const {
  auto base = Replacement(by).of(base_);
  if (base->parts.empty()) {
    const auto found = by.find(base_->variable);
    const bool isSame = found != by.end() && found->second->base_ == base &&
                        found->second->type_ == type_ && found->second->offset_ == offset_ &&
                        found->second->shape_ == shape_ && found->second->strides_ == strides_;
    if (isSame) return found->second;
  }
  auto v = copy();
  v->base_ = std::move(base);
  return finished(std::move(v));
}

ViewPtr View::reshape(Dims shape) const {
  auto v = copy();
  if (auto strides = reshapeStrides(shape_, strides_, shape)) {
    v->strides_ = std::move(*strides);
  } else {
    auto base = std::make_shared<Base>();
    base->add(copy());
    v->base_ = std::move(base);
    v->offset_ = 0;
    v->strides_ = rowMajorStrides(shape);
  }
  v->shape_ = std::move(shape);
  return finished(std::move(v));
}

namespace {

// Splits a nest over the flat order of a shape, so that each dimension of a resulting nest moves
// along one dimension of the shape, without carry into the next. For example, in the flat order of
// a [2, 3] shape, 4 steps from position 1 visit 1, 2 | 3, 4. The row ends after position 2, so this
// becomes two nests of 2 steps.
class Separator {
 public:
  using Emit = std::function<void(const Nest&, const std::vector<int>& along, const Dims& at)>;

  Separator(const Dims& sizes, const Emit& emit)
      : sizes_(sizes), flat_(rowMajorStrides(sizes)), emit_(emit) {}

  void separate(Nest nest) const {
    for (auto& d : nest.dims) {
      if (d.from >= 0) continue;
      nest.from += (d.n - 1) * d.from;
      nest.to += (d.n - 1) * d.to;
      d.from = -d.from;
      d.to = -d.to;
    }
    while (cutFirst(nest)) spend(1);
  }

 private:
  /// Handles the first part of a nest. Returns true if a rest remains, in `nest`.
  bool cutFirst(Nest& nest) const {
    const std::size_t rank = sizes_.size();
    Dims at(rank);
    std::int64_t rest = nest.from;
    for (std::size_t i = 0; i < rank; ++i) {
      at[i] = rest / flat_[i];
      rest %= flat_[i];
    }
    std::vector<int> along(nest.dims.size(), -1);
    Dims last = at;  // the largest index reached in each dimension
    for (std::size_t k = 0; k < nest.dims.size(); ++k) {
      const auto& d = nest.dims[k];
      if (d.from == 0 || d.n == 1) continue;
      std::size_t i = 0;
      while (i + 1 < rank && (flat_[i] > d.from || sizes_[i] == 1)) ++i;
      if (d.from % flat_[i] != 0) return each(nest, k), false;
      along[k] = static_cast<int>(i);
      last[i] += (d.n - 1) * (d.from / flat_[i]);
    }
    for (std::size_t i = 1; i < rank; ++i)
      if (last[i] >= sizes_[i]) return cut(nest, along, at, last, i);
    emit_(nest, along, at);
    return false;
  }

  // Splits dimension k of the nest into single steps.
  void each(const Nest& nest, std::size_t k) const {
    Nest one = nest;
    one.dims.erase(one.dims.begin() + static_cast<std::ptrdiff_t>(k));
    for (std::int64_t j = 0; j < nest.dims[k].n; ++j) {
      spend(1);
      separate(one);
      one.from += nest.dims[k].from;
      one.to += nest.dims[k].to;
    }
  }

  // Index i of the shape overflows: splits the loop with the largest step along it.
  bool cut(Nest& nest, const std::vector<int>& along, const Dims& at, const Dims& last,
           std::size_t i) const {
    std::size_t k = nest.dims.size();
    for (std::size_t j = 0; j < nest.dims.size(); ++j)
      if (along[j] == static_cast<int>(i) &&
          (k == nest.dims.size() || nest.dims[j].from > nest.dims[k].from))
        k = j;
    const NestDim d = nest.dims[k];
    const std::int64_t step = d.from / flat_[i];
    const std::int64_t others = last[i] - (d.n - 1) * step;  // the largest index without this loop
    const std::int64_t perRow = sizes_[i] % step == 0 ? sizes_[i] / step : 0;
    if (perRow > 0 && at[i] < step && others < step && d.n > perRow) {
      const std::int64_t rows = d.n / perRow;
      Nest whole = nest;
      whole.dims[k] = {perRow, d.from, d.to};
      whole.dims.insert(whole.dims.begin() + static_cast<std::ptrdiff_t>(k),
                        {rows, d.from * perRow, d.to * perRow});
      separate(whole);
      return tail(nest, k, rows * perRow);
    }
    const std::int64_t fit = others < sizes_[i] ? (sizes_[i] - 1 - others) / step + 1 : 0;
    if (fit < 1) return each(nest, k), false;
    Nest head = nest;
    head.dims[k].n = std::min(fit, d.n);
    separate(head);
    return tail(nest, k, head.dims[k].n);
  }

  static bool tail(Nest& nest, std::size_t k, std::int64_t done) {
    auto& d = nest.dims[k];
    if (done >= d.n) return false;
    nest.from += done * d.from;
    nest.to += done * d.to;
    d.n -= done;
    return true;
  }

  const Dims& sizes_;
  const Dims flat_;
  const Emit& emit_;
};

// State of the expansion on this thread: nesting depth of views, and number of views visited.
struct Expansion {
  unsigned level = 0, mostLevels = 1000;
  std::uint64_t views = 0, mostViews = ~std::uint64_t{0};
};
thread_local Expansion now;

struct Enough {};

struct Level {
  Level() {
    spend(1);
    if (++now.level <= now.mostLevels && ++now.views <= now.mostViews) return;
    --now.level;
    if (now.mostViews != Expansion().mostViews) throw Enough();
    throw poplar::graph_connection_error("Tensor: views of views, more than " +
                                         std::to_string(now.mostLevels) +
                                         " deep; copy one of them");
  }
  ~Level() { --now.level; }
};

}  // namespace

bool isTangled(const View& view) {
  if (view.wholeVariable()) return false;  // most views are
  struct Bounds {
    const Expansion before = now;
    Bounds() { now = {0, kMostLevels, 0, kMostPieces}; }
    ~Bounds() { now = before; }
  } bounds;
  try {
    view.expand(Nest{0, 0, {{view.elements(), 1, 1}}}, [](unsigned, const Nest&) {
      if (++now.views > kMostPieces) throw Enough();
    });
  } catch (const Enough&) {
    return true;
  }
  return false;
}

void View::expand(Nest nest, const std::function<void(unsigned, Nest)>& emit) const {
  if (nest.elements() == 0) return;
  const Level level;
  // Map flat positions of this view to flat positions of the base.
  Dims sizes, strides;
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    if (!sizes.empty() && strides.back() == strides_[i] * shape_[i]) {
      sizes.back() *= shape_[i];
      strides.back() = strides_[i];
    } else if (shape_[i] != 1 || shape_.size() == 1) {
      sizes.push_back(shape_[i]);
      strides.push_back(strides_[i]);
    }
  }
  if (sizes.empty()) {
    sizes = {1};
    strides = {1};
  }
  const Separator::Emit toBase = [&](const Nest& n, const std::vector<int>& along, const Dims& at) {
    Nest b = n;
    b.from = offset_;
    for (std::size_t i = 0; i < at.size(); ++i) b.from += at[i] * strides[i];
    const auto flat = rowMajorStrides(sizes);
    for (std::size_t k = 0; k < b.dims.size(); ++k)
      if (along[k] >= 0) {
        const auto i = static_cast<std::size_t>(along[k]);
        b.dims[k].from = b.dims[k].from / flat[i] * strides[i];
      }
    if (base_->parts.empty()) return emit(base_->variable, std::move(b));
    if (base_->parts.size() == 1) return base_->parts[0]->expand(std::move(b), emit);
    const Dims space{base_->outer, base_->starts.back(), base_->inner};
    std::function<void(const Nest&, const std::vector<int>&, const Dims&)> toParts;
    toParts = [&](const Nest& m, const std::vector<int>& alongSpace, const Dims& place) {
      int joined = -1;  // the loop along the concatenated dimension
      for (std::size_t k = 0; k < m.dims.size(); ++k) {
        if (alongSpace[k] != 1) continue;
        if (joined < 0) {
          joined = static_cast<int>(k);
          continue;
        }
        Nest one = m;  // two such loops: unroll the first
        const auto d = m.dims[static_cast<std::size_t>(joined)];
        one.dims.erase(one.dims.begin() + joined);
        for (std::int64_t j = 0; j < d.n; ++j) {
          spend(1);
          Separator(space, toParts).separate(one);
          one.from += d.from;
          one.to += d.to;
        }
        return;
      }
      // Visit the parts from the first row's to the last row's.
      const auto& starts = base_->starts;
      const auto after = std::upper_bound(starts.begin(), starts.end(), place[1]);
      const auto* loop = joined < 0 ? nullptr : &m.dims[static_cast<std::size_t>(joined)];
      const auto last = place[1] + (loop ? (loop->n - 1) * (loop->from / base_->inner) : 0);
      for (auto p = static_cast<std::size_t>(after - starts.begin()) - 1;
           p < base_->parts.size() && starts[p] <= last; ++p) {
        const std::int64_t begin = base_->starts[p], end = base_->starts[p + 1];
        const std::int64_t length = end - begin;
        Nest part = m;
        std::int64_t row = place[1];
        if (joined < 0) {
          if (row < begin || row >= end) continue;
        } else {
          auto& d = part.dims[static_cast<std::size_t>(joined)];
          const std::int64_t step = d.from / base_->inner;
          const std::int64_t first = row >= begin ? 0 : (begin - row + step - 1) / step;
          const std::int64_t stop = row >= end ? 0 : std::min(d.n, (end - row + step - 1) / step);
          if (first >= stop) continue;
          part.to += first * d.to;
          row += first * step;
          d.n = stop - first;
        }
        part.from = (place[0] * length + (row - begin)) * base_->inner + place[2];
        for (std::size_t k = 0; k < part.dims.size(); ++k)
          if (alongSpace[k] == 0) {
            auto& from = part.dims[k].from;
            from = from / (space[1] * space[2]) * (length * space[2]);
          }
        base_->parts[p]->expand(std::move(part), emit);
      }
    };
    Separator(space, toParts).separate(std::move(b));
  };
  Separator(sizes, toBase).separate(std::move(nest));
}

namespace {

/// Makes one nest of two if the second goes on where the first ends, along one of its loops: parts of
/// a variable that were taken apart and joined again. False if it does not.
bool goesOn(Nest& first, const Nest& second) {
  if (first.dims.size() != second.dims.size()) return false;
  std::optional<std::size_t> along;
  for (std::size_t d = 0; d < first.dims.size(); ++d) {
    const NestDim &x = first.dims[d], &y = second.dims[d];
    if (x.from != y.from || x.to != y.to) return false;
    const bool follows =
        second.from == first.from + x.n * x.from && second.to == first.to + x.n * x.to;
    if (follows && !along) along = d;
    if (x.n != y.n && along != d) return false;
  }
  if (!along) return false;
  first.dims[*along].n += second.dims[*along].n;
  first.coalesce();
  return true;
}

}  // namespace

std::vector<Piece> View::pieces() const {
  std::vector<Piece> result;
  expand(Nest{0, 0, {{elements(), 1, 1}}}, [&](unsigned variable, Nest nest) {
    nest.coalesce();
    if (!result.empty() && result.back().variable == variable && goesOn(result.back().nest, nest))
      return;
    result.push_back({variable, std::move(nest)});
  });
  return result;
}

std::optional<View::Affine> View::affine() const {
  if (base_->parts.empty()) return Affine{base_->variable, offset_, strides_};
  if (elements() == 0) return std::nullopt;
  auto all = pieces();
  if (all.size() != 1) return std::nullopt;
  auto& nest = all[0].nest;
  std::sort(nest.dims.begin(), nest.dims.end(),
            [](const NestDim& a, const NestDim& b) { return a.to > b.to; });
  Dims sizes, strides;
  std::int64_t step = 1;
  for (std::size_t i = nest.dims.size(); i-- > 0;) {
    if (nest.dims[i].to != step) return std::nullopt;
    step *= nest.dims[i].n;
  }
  for (const auto& d : nest.dims) {
    sizes.push_back(d.n);
    strides.push_back(d.from);
  }
  auto fitted = reshapeStrides(sizes, strides, shape_);
  if (!fitted) return std::nullopt;
  return Affine{all[0].variable, nest.from, std::move(*fitted)};
}

std::vector<unsigned> View::variables() const {
  if (base_->parts.empty()) return {base_->variable};
  if (base_->isOfOne && elements() > 0) return {base_->variable};
  std::set<unsigned> found;
  for (const auto& piece : pieces()) found.insert(piece.variable);
  return {found.begin(), found.end()};
}

bool View::sameElements(const View& other) const {
  if (shape_ != other.shape_) return false;
  const auto alike = [&](unsigned v, std::int64_t offset, const Dims& strides, unsigned otherV,
                         std::int64_t otherOffset, const Dims& otherStrides) {
    if (v != otherV || offset != otherOffset) return false;
    for (std::size_t d = 0; d < shape_.size(); ++d)
      if (shape_[d] > 1 && strides[d] != otherStrides[d]) return false;
    return true;
  };
  if (base_->parts.empty() && other.base_->parts.empty())
    return alike(base_->variable, offset_, strides_, other.base_->variable, other.offset_,
                 other.strides_);
  const auto x = affine(), y = other.affine();
  if (!x && !y) return isLike(other, [](unsigned v, unsigned otherV) { return v == otherV; });
  return x && y && alike(x->variable, x->offset, x->strides, y->variable, y->offset, y->strides);
}

bool View::containsConstant() const { return base_->constant; }

bool View::containsAliases() const {
  if (wholeVariable()) return false;  // most views are
  // Usually the ranges of positions already show whether nests overlap. Otherwise count elements.
  const auto all = pieces();
  std::vector<std::pair<unsigned, std::pair<std::int64_t, std::int64_t>>> spans;
  for (const auto& piece : all) {
    auto dims = piece.nest.dims;
    std::sort(dims.begin(), dims.end(), [](const NestDim& a, const NestDim& b) {
      return std::abs(a.from) < std::abs(b.from);
    });
    std::int64_t reach = 0, low = piece.nest.from, high = piece.nest.from;
    for (const auto& d : dims) {
      if (d.n > 1 && std::abs(d.from) <= reach) return true;
      reach += (d.n - 1) * std::abs(d.from);
      (d.from < 0 ? low : high) += (d.n - 1) * d.from;
    }
    spans.push_back({piece.variable, {low, high}});
  }
  std::sort(spans.begin(), spans.end());
  bool apart = true;
  for (std::size_t i = 1; i < spans.size(); ++i)
    if (spans[i].first == spans[i - 1].first && spans[i].second.first <= spans[i - 1].second.second)
      apart = false;
  if (apart) return false;
  std::set<std::pair<unsigned, std::int64_t>> seen;
  for (const auto& piece : all) {
    bool twice = false;
    std::function<void(std::size_t, std::int64_t)> walk = [&](std::size_t k, std::int64_t at) {
      if (k == piece.nest.dims.size()) {
        twice = twice || !seen.insert({piece.variable, at}).second;
        return;
      }
      for (std::int64_t j = 0; j < piece.nest.dims[k].n && !twice; ++j)
        walk(k + 1, at + j * piece.nest.dims[k].from);
    };
    walk(0, piece.nest.from);
    if (twice) return true;
  }
  return false;
}

namespace {

// Elements of a variable, [begin, end).
struct Run {
  unsigned variable;
  std::int64_t begin, end;
  bool operator<(const Run& o) const {
    return std::tie(variable, begin, end) < std::tie(o.variable, o.begin, o.end);
  }
};

// What a piece visits as a set: no loop stands still or goes backwards, loops with one step and
// loops that go on where an inner one ends are one, the smallest step comes last.
Nest visited(Nest nest) {
  auto& dims = nest.dims;
  dims.erase(std::remove_if(dims.begin(), dims.end(), [](const NestDim& d) { return d.from == 0; }),
             dims.end());
  for (auto& d : dims) {
    if (d.from < 0) nest.from += (d.n - 1) * d.from;
    d = {d.n, std::abs(d.from), 0};
  }
  std::sort(dims.begin(), dims.end(),
            [](const NestDim& a, const NestDim& b) { return a.from > b.from; });
  std::vector<NestDim> apart;
  for (const auto& d : dims)
    if (!apart.empty() && apart.back().from == d.from)
      apart.back().n += d.n - 1;
    else
      apart.push_back(d);
  dims = std::move(apart);
  nest.coalesce();
  return nest;
}

// The sets that pieces visit, each once: views repeat pieces, as broadcasts do.
std::vector<Piece> visited(std::vector<Piece> pieces) {
  for (auto& piece : pieces) piece.nest = visited(std::move(piece.nest));
  const auto before = [](const Piece& a, const Piece& b) {
    if (a.variable != b.variable) return a.variable < b.variable;
    if (a.nest.from != b.nest.from) return a.nest.from < b.nest.from;
    return std::lexicographical_compare(a.nest.dims.begin(), a.nest.dims.end(), b.nest.dims.begin(),
                                        b.nest.dims.end(), [](const NestDim& x, const NestDim& y) {
                                          return std::tie(x.n, x.from) < std::tie(y.n, y.from);
                                        });
  };
  std::sort(pieces.begin(), pieces.end(), before);
  const auto alike = [&](const Piece& a, const Piece& b) { return !before(a, b); };  // sorted
  pieces.erase(std::unique(pieces.begin(), pieces.end(), alike), pieces.end());
  return pieces;
}

// All that lies between the first and the last element of each piece.
std::vector<Run> spans(const std::vector<Piece>& pieces) {
  std::vector<Run> out;
  for (const auto& [variable, nest] : pieces) {
    auto end = nest.from + 1;
    for (const auto& d : nest.dims) end += (d.n - 1) * d.from;
    out.push_back({variable, nest.from, end});
  }
  return out;
}

// The same elements as sorted runs that are apart.
std::vector<Run> joined(std::vector<Run> runs) {
  std::sort(runs.begin(), runs.end());
  std::vector<Run> out;
  for (const auto& run : runs)
    if (!out.empty() && out.back().variable == run.variable && run.begin <= out.back().end)
      out.back().end = std::max(out.back().end, run.end);
    else
      out.push_back(run);
  return out;
}

// Whether a run has elements of one of the sorted `others`, which are apart.
bool meets(const Run& run, const std::vector<Run>& others) {
  const auto behind =
      std::lower_bound(others.begin(), others.end(), Run{run.variable, run.end, run.end});
  if (behind == others.begin()) return false;
  const auto& before = *(behind - 1);
  return before.variable == run.variable && before.end > run.begin;
}

void addRuns(const Piece& piece, std::size_t d, std::int64_t from, std::vector<Run>& out) {
  const auto& dims = piece.nest.dims;
  if (d == dims.size()) return out.push_back({piece.variable, from, from + 1});
  const auto& dim = dims[d];
  if (dim.from == 1) return out.push_back({piece.variable, from, from + dim.n});
  for (std::int64_t i = 0; i < dim.n; ++i) addRuns(piece, d + 1, from + i * dim.from, out);
}

}  // namespace

bool View::intersects(const View& other) const {
  const Base &own = *base_, &its = *other.base_;
  if (own.isOfOne && its.isOfOne && own.variable != its.variable) return false;  // as most do
  const auto mine = visited(pieces()), theirs = visited(other.pieces());
  // Of most views the ranges are apart already. Of others the elements of those that meet count.
  const auto runs = [](const std::vector<Piece>& all, const std::vector<Run>& own,
                       const std::vector<Run>& others) {
    std::vector<Run> out;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (meets(own[i], others)) addRuns(all[i], 0, all[i].nest.from, out);
    return out;
  };
  const auto a = spans(mine), b = spans(theirs);
  const auto found = runs(mine, a, joined(b));
  if (found.empty()) return false;
  const auto sorted = joined(runs(theirs, b, joined(a)));
  return std::any_of(found.begin(), found.end(),
                     [&](const Run& run) { return meets(run, sorted); });
}

ViewPtr View::finished(std::shared_ptr<View> v) {
  const auto isWhole = [&] {
    if (!v->base_->parts.empty() || v->offset_ != 0) return false;
    std::int64_t dense = 1;  // the stride in row-major order
    for (std::size_t i = v->shape_.size(); i-- > 0;) {
      if (v->shape_[i] != 1 && v->strides_[i] != dense) return false;
      dense *= v->shape_[i];
    }
    return dense == v->base_->variableElements;
  };
  v->whole_ = isWhole() ? std::optional(v->base_->variable) : std::nullopt;
  return v;
}

}  // namespace popir
