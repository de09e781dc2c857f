// Sequences of a schedule that are alike. After popart/subgraph/match.hpp of PopART 3.
#ifndef popart_subgraph_match_hpp
#define popart_subgraph_match_hpp

#include <popart/subgraph/subgraphnames.hpp>

#include <ostream>
#include <vector>

#pragma GCC visibility push(default)

namespace fwtools {
namespace subgraph {

/// Sequences of one length, which begin at several places. `starts` ascend.
class Match {
 public:
  Match(const std::vector<Start>& s, int l) : starts(s), length(l) {}

  /// The order of their length, then of the number of places, then of these.
  bool setComparison(const Match& other) const;
  /// By value, and where that is equal as setComparison().
  bool operator<(const Match& other) const;
  bool operator==(const Match& other) const {
    return length == other.length && starts == other.starts;
  }
  /// Whether a node lies in both.
  bool intersects(const Match& other) const;
  /// Whether each sequence of `other` lies in one of these.
  bool contains(const Match& other) const;
  bool containsStarts(const std::vector<Start>& other) const;
  bool startsIntersect(const std::vector<Start>& other) const;
  /// Whether both have as many sequences, and each of `other` lies in that of its place here.
  bool subsumes(const Match& other) const;
  /// Whether a sequence of each overlap, and neither lies in the other.
  bool crosses(const Match& other) const;
  /// Whether those of `other` that lie in a sequence lie in the same places of each sequence here.
  bool fitsCleanly(const Match& other) const;
  /// What one sequence is worth; discounted by what is lost if it is outlined.
  void setValue(double value) { value_ = value; }
  double getValue() const { return value_; }
  void setDiscountedValue(double value) { discounted_ = value; }
  double getDiscountedValue() const { return discounted_; }

  std::vector<Start> starts;
  int length;

 private:
  double value_ = -1;
  double discounted_ = -1;
};

/// Whether all of `second` is in `first`. Both ascend.
bool firstContainsSecond(const std::vector<int>& first, const std::vector<int>& second);

/// Writes "4:[0, 6]": the length, and the places.
std::ostream& operator<<(std::ostream& os, const Match& match);

}  // namespace subgraph
}  // namespace fwtools

#pragma GCC visibility pop

#endif
