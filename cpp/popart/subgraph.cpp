// What is repeated in a schedule.
#include <popart/subgraph/algo0.hpp>
#include <popart/subgraph/outliner.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace fwtools {
namespace subgraph {

// ---- Match ----

bool Match::setComparison(const Match& other) const {
  if (length != other.length) return length < other.length;
  if (starts.size() != other.starts.size()) return starts.size() < other.starts.size();
  return starts < other.starts;
}

bool Match::operator<(const Match& other) const {
  return value_ != other.value_ ? value_ < other.value_ : setComparison(other);
}

namespace {

bool overlap(int length0, int length1, Start s0, Start s1) {
  return s0 < s1 + length1 && s1 < s0 + length0;
}

bool liesIn(int outer, int inner, Start s0, Start s1) {
  return s1 >= s0 && s1 + inner <= s0 + outer;
}

/// The last of the ascending `starts` that is not behind `place`; -1 if all are.
int lastUpTo(const std::vector<Start>& starts, Start place) {
  return static_cast<int>(std::upper_bound(starts.begin(), starts.end(), place) - starts.begin()) -
         1;
}

}  // namespace

bool Match::intersects(const Match& other) const {
  for (const Start s1 : other.starts)
    if (areIntersecting(length, other.length, starts, s1)) return true;
  return false;
}

bool Match::contains(const Match& other) const {
  return std::all_of(other.starts.begin(), other.starts.end(), [&](Start s1) {
    const int at = lastUpTo(starts, s1);
    return at >= 0 && liesIn(length, other.length, starts[static_cast<std::size_t>(at)], s1);
  });
}

bool Match::containsStarts(const std::vector<Start>& other) const {
  return firstContainsSecond(starts, other);
}

bool Match::startsIntersect(const std::vector<Start>& other) const {
  return std::any_of(other.begin(), other.end(), [this](Start start) {
    return std::binary_search(starts.begin(), starts.end(), start);
  });
}

bool Match::subsumes(const Match& other) const {
  if (starts.size() != other.starts.size()) return false;
  for (std::size_t i = 0; i < starts.size(); ++i)
    if (!liesIn(length, other.length, starts[i], other.starts[i])) return false;
  return true;
}

bool Match::crosses(const Match& other) const {
  for (const Start s1 : other.starts)
    if (areCrossing(length, other.length, starts, s1)) return true;
  return false;
}

bool Match::fitsCleanly(const Match& other) const {
  if (other.length > length || crosses(other)) return false;
  // Where the others lie in each sequence.
  std::vector<std::vector<int>> inside(starts.size());
  for (const Start s1 : other.starts) {
    const int at = lastUpTo(starts, s1);
    if (at < 0) continue;
    const auto i = static_cast<std::size_t>(at);
    if (s1 < starts[i] + length) inside[i].push_back(s1 - starts[i]);
  }
  return std::all_of(inside.begin(), inside.end(),
                     [&](const std::vector<int>& each) { return each == inside.front(); });
}

bool firstContainsSecond(const std::vector<int>& first, const std::vector<int>& second) {
  return std::includes(first.begin(), first.end(), second.begin(), second.end());
}

std::ostream& operator<<(std::ostream& os, const Match& match) {
  os << match.length << ":[";
  for (std::size_t i = 0; i < match.starts.size(); ++i) os << (i ? ", " : "") << match.starts[i];
  return os << "]";
}

// ---- Parts ----

bool areIntersecting(int length0, int length1, const std::vector<Start>& s0s, Start s1) {
  return std::any_of(s0s.begin(), s0s.end(),
                     [&](Start s0) { return overlap(length0, length1, s0, s1); });
}

bool areCrossing(int length0, int length1, const std::vector<Start>& s0s, Start s1) {
  return std::any_of(s0s.begin(), s0s.end(), [&](Start s0) {
    return overlap(length0, length1, s0, s1) && !liesIn(length0, length1, s0, s1) &&
           !liesIn(length1, length0, s1, s0);
  });
}

std::vector<Match> separateSingleMatch(const Match& match, const Compatible& isCompatible) {
  std::vector<Match> groups;
  for (const Start start : match.starts) {
    const auto fits = [&](const Match& group) {
      return isCompatible(match.length, group.starts, start);
    };
    const auto group = std::find_if(groups.begin(), groups.end(), fits);
    if (group == groups.end())
      groups.push_back(Match({start}, match.length));
    else
      group->starts.push_back(start);
  }
  const auto isAlone = [](const Match& group) { return group.starts.size() < 2; };
  groups.erase(std::remove_if(groups.begin(), groups.end(), isAlone), groups.end());
  return groups;
}

std::vector<Match> separateMultipleMatches(const std::vector<Match>& matches,
                                           const Compatible& isCompatible) {
  std::vector<Match> all;
  for (const Match& match : matches) {
    const std::vector<Match> groups = separateSingleMatch(match, isCompatible);
    all.insert(all.end(), groups.begin(), groups.end());
  }
  return all;
}

std::vector<Match> separateByOverlaps(const std::vector<Match>& matches) {
  return separateMultipleMatches(matches, [](int length, const std::vector<Start>& s0s, Start s1) {
    return !areIntersecting(length, length, s0s, s1);
  });
}

std::vector<Match> applyIncrementalThreshold(const std::vector<Match>& ascending, int scheduleSize,
                                             double threshold) {
  // At the begin of each sequence that is not in a longer one: its value.
  std::vector<double> covered(static_cast<std::size_t>(scheduleSize), 0.0);
  std::vector<Match> kept;
  for (const Match& match : ascending) {
    const auto begin = covered.begin() + match.starts.at(0);
    double inside = 0;
    for (auto value = begin; value != begin + match.length; ++value) inside += *value;
    if (match.getDiscountedValue() - inside <= threshold) continue;
    kept.push_back(match);
    for (const Start start : match.starts) {
      std::fill_n(covered.begin() + start, match.length, 0.0);
      covered[static_cast<std::size_t>(start)] = match.getDiscountedValue();
    }
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

// ---- Search ----

namespace {

/// Whether `match` may be taken besides those that are worth more.
bool fitsAll(const std::vector<Match>& taken, const Match& match) {
  return std::none_of(taken.begin(), taken.end(), [&match](const Match& earlier) {
    return match.crosses(earlier) || earlier.subsumes(match) ||
           (earlier.intersects(match) && !earlier.fitsCleanly(match));
  });
}

/// Where the sequences of a schedule are: its suffixes in their order, with what each shares with
/// the one before.
class Suffixes {
 public:
  explicit Suffixes(const std::vector<int>& kinds)
      : kinds_(kinds), order_(kinds.size()), rank_(kinds.begin(), kinds.end()) {
    std::iota(order_.begin(), order_.end(), 0);
    std::vector<int> next(kinds.size());
    // Sorted by their first `width` nodes, then by twice as many.
    for (std::size_t width = 1;; width *= 2) {
      const auto key = [&](int at) {
        const std::size_t behind = static_cast<std::size_t>(at) + width;
        return std::make_pair(rank_[static_cast<std::size_t>(at)],
                              behind < rank_.size() ? rank_[behind] : -1);
      };
      std::sort(order_.begin(), order_.end(), [&](int a, int b) { return key(a) < key(b); });
      int rank = 0;
      for (std::size_t i = 0; i < order_.size(); ++i) {
        if (i > 0 && key(order_[i - 1]) < key(order_[i])) ++rank;
        next[static_cast<std::size_t>(order_[i])] = rank;
      }
      rank_ = next;
      if (static_cast<std::size_t>(rank) + 1 >= order_.size()) break;
    }
    shareWithPrevious();
  }

  /// All places of the sequence of `length` at `start`, ascending.
  std::vector<Start> placesOf(Start start, int length) const {
    std::size_t first = static_cast<std::size_t>(rank_[static_cast<std::size_t>(start)]);
    std::size_t last = first + 1;
    while (shared_[first] >= length) --first;
    while (last < order_.size() && shared_[last] >= length) ++last;
    std::vector<Start> places(order_.begin() + static_cast<std::ptrdiff_t>(first),
                              order_.begin() + static_cast<std::ptrdiff_t>(last));
    std::sort(places.begin(), places.end());
    return places;
  }

  /// The repeated sequences that have no longer one with as many places. There are no more of them
  /// than nodes; any other repeated sequence is a part, with as many places, of one of them.
  std::set<std::pair<int, std::vector<Start>>> longest() const {
    std::set<std::pair<int, std::vector<Start>>> found;
    for (std::size_t i = 1; i < order_.size(); ++i) {
      if (shared_[i] == 0) continue;
      std::vector<Start> places = placesOf(order_[i], shared_[i]);
      const auto before = [this](Start start) {
        return start == 0 ? -1 : kinds_[static_cast<std::size_t>(start - 1)];
      };
      const int first = before(places[0]);
      const bool isPreceded = first >= 0 && std::all_of(places.begin(), places.end(), [&](Start s) {
                                return before(s) == first;
                              });
      if (!isPreceded) found.emplace(shared_[i], std::move(places));
    }
    return found;
  }

 private:
  void shareWithPrevious() {
    shared_.assign(order_.size(), 0);
    std::size_t length = 0;
    for (std::size_t at = 0; at < kinds_.size(); ++at) {
      const auto place = static_cast<std::size_t>(rank_[at]);
      if (place == 0) {
        length = 0;
        continue;
      }
      const auto other = static_cast<std::size_t>(order_[place - 1]);
      while (at + length < kinds_.size() && other + length < kinds_.size() &&
             kinds_[at + length] == kinds_[other + length])
        ++length;
      shared_[place] = static_cast<int>(length);
      if (length > 0) --length;
    }
  }

  const std::vector<int>& kinds_;
  std::vector<Start> order_;
  std::vector<int> rank_, shared_;
};

/// Remembers what is connected in the same way: so are the parts of it.
class Alike {
 public:
  explicit Alike(const Isomorphic& isomorphic) : isomorphic_(isomorphic) {}

  bool operator()(int length, Start s0, Start s1) {
    auto& known = known_[s1 - s0];  // Begins and ends. None lies in another.
    const auto next = known.upper_bound(s0);
    if (next != known.begin() && std::prev(next)->second >= s0 + length) return true;
    if (!isomorphic_(length, s0, s1)) return false;
    auto inside = known.lower_bound(s0);
    while (inside != known.end() && inside->second <= s0 + length) inside = known.erase(inside);
    known[s0] = s0 + length;
    return true;
  }

 private:
  const Isomorphic& isomorphic_;
  std::map<int, std::map<Start, Start>> known_;
};

/// What is still to be looked at: all places of a sequence, and those of them that go together.
struct Candidate {
  Match match;
  bool isGroup;
  bool operator<(const Candidate& o) const {
    if (match < o.match) return true;
    return !(o.match < match) && isGroup && !o.isGroup;
  }
};

}  // namespace

std::vector<Match> findMatches(const std::vector<int>& kinds, const std::vector<double>& values,
                               const Isomorphic& isomorphic,
                               const std::function<void(Match&)>& discount, float threshold) {
  const Suffixes suffixes(kinds);
  Alike isAlike(isomorphic);
  const Compatible goesWith = [&](int length, const std::vector<Start>& group, Start start) {
    return group.empty() || isAlike(length, group[0], start);
  };
  const auto valued = [&](Match match) {
    const auto begin = values.begin() + match.starts[0];
    match.setValue(std::accumulate(begin, begin + match.length, 0.0));
    match.setDiscountedValue(match.getValue());
    return match;
  };
  // The most valuable is last. What is found later is a part of what was looked at, and so is worth
  // less.
  std::set<Candidate> waiting;
  for (const auto& each : suffixes.longest())
    waiting.insert({valued(Match(each.second, each.first)), false});
  std::vector<Match> taken;
  const auto take = [&](Match match) {
    discount(match);
    if (match.getDiscountedValue() < threshold || !fitsAll(taken, match)) return false;
    taken.push_back(std::move(match));
    return true;
  };
  while (!waiting.empty()) {
    const Candidate at = std::move(waiting.extract(std::prev(waiting.end())).value());
    if (at.isGroup) {
      take(at.match);
      continue;
    }
    const auto& starts = at.match.starts;
    const std::vector<Match> groups = separateByOverlaps(separateSingleMatch(at.match, goesWith));
    if (groups.size() == 1 && groups[0].starts.size() == starts.size()) {
      // No part of it that is in as many places would be taken besides.
      if (take(at.match)) continue;
    } else {
      for (const Match& group : groups) waiting.insert({valued(group), true});
    }
    const int shorter = at.match.length - 1;
    if (shorter == 0) continue;
    for (const int left : {0, 1}) {
      std::vector<Start> places = suffixes.placesOf(starts[0] + left, shorter);
      if (places.size() == starts.size())
        waiting.insert({valued(Match(std::move(places), shorter)), false});
    }
  }
  std::reverse(taken.begin(), taken.end());
  return applyIncrementalThreshold(taken, static_cast<int>(kinds.size()), threshold);
}

namespace algo0 {

std::vector<Match> getRepeatedIntSequences(const std::vector<int>& schedule) {
  const auto n = static_cast<int>(schedule.size());
  std::vector<Match> all;
  std::vector<std::vector<Start>> alike(1);
  for (Start start = 0; start < n; ++start) alike[0].push_back(start);
  // Those that are alike up to a length are divided by what follows.
  for (int length = 1; !alike.empty(); ++length) {
    std::vector<std::vector<Start>> longer;
    for (const std::vector<Start>& starts : alike) {
      std::map<int, std::vector<Start>> byLast;
      for (const Start start : starts)
        if (start + length <= n)
          byLast[schedule[static_cast<std::size_t>(start + length - 1)]].push_back(start);
      for (auto& each : byLast)
        if (each.second.size() > 1) longer.push_back(std::move(each.second));
    }
    std::sort(longer.begin(), longer.end());
    for (const std::vector<Start>& starts : longer) all.emplace_back(starts, length);
    alike = std::move(longer);
  }
  return all;
}

std::vector<Match> getFinalMatches(const std::vector<Match>& matches, float threshold,
                                   int scheduleSize) {
  std::vector<Match> taken;
  for (const Match& match : matches)
    if (match.getDiscountedValue() >= threshold && fitsAll(taken, match)) taken.push_back(match);
  std::reverse(taken.begin(), taken.end());
  return applyIncrementalThreshold(taken, scheduleSize, threshold);
}

}  // namespace algo0

OutlinerAlgorithm getDefaultOutlinerAlgorithm() { return OutlinerAlgorithm::ALGO1; }

void discountBroken(Match& match, const std::vector<std::pair<std::size_t, std::size_t>>& sequences,
                    float cost) {
  double broken = 0;
  for (const Start start : match.starts) {
    const auto begin = static_cast<std::size_t>(start);
    const std::size_t end = begin + static_cast<std::size_t>(match.length);
    std::set<std::pair<std::size_t, std::size_t>> met;
    for (std::size_t i = begin; i < end && i < sequences.size(); ++i) met.insert(sequences[i]);
    for (const auto& each : met)
      if (each.second - each.first > 1 && (each.first < begin || each.second > end)) broken += 1;
  }
  match.setDiscountedValue(match.getValue() -
                           cost * broken / static_cast<double>(match.starts.size()));
}

}  // namespace subgraph
}  // namespace fwtools
