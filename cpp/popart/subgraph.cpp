// What is repeated in a schedule.
#include <popart/subgraph/algo0.hpp>
#include <popart/subgraph/outliner.hpp>

#include <algorithm>
#include <map>
#include <set>

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
  for (const Match& match : matches) {
    if (match.getDiscountedValue() < threshold) continue;
    const auto forbids = [&match](const Match& earlier) {
      return match.crosses(earlier) || earlier.subsumes(match) ||
             (earlier.intersects(match) && !earlier.fitsCleanly(match));
    };
    if (std::none_of(taken.begin(), taken.end(), forbids)) taken.push_back(match);
  }
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
