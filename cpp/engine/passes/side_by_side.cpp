// Chains of small steps that need nothing of one another, such as the two directions of an LSTM, run
// at the same time, each on one thread. A small step gains little from a second thread: what the
// two write must go to the other's cache before the next step.
//
// A stretch of steps without control flow is read in order. Small steps that share data belong to one
// chain. A step that would join two long chains waits until both have ended, and so does what
// needs it; a large step that needs none of the long chains runs before them, with all that it needs.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "engine/passes/passes.hpp"

namespace popir {
namespace {

/// A chain of so many steps, and of so much work, is long: it is worth a thread.
constexpr std::size_t kLeastSteps = 16;
constexpr std::uint64_t kLeastWork = std::uint64_t{1} << 22;
/// A step of more work than this, or of more rows, is shared by threads: each has rows of its own from
/// step to step.
constexpr std::uint64_t kMostWork = std::uint64_t{1} << 23;
constexpr std::uint64_t kMostRows = 8;
/// The longest chain has at most so many times the work of the shortest.
constexpr std::uint64_t kMostUnequal = 2;
/// So many waiting steps end a search.
constexpr std::size_t kMostWaiting = 64;
/// So often a search begins anew behind what two chains have in common.
constexpr std::size_t kMostBranches = 8;
/// So many steps of a chain run before it waits for the others: what they make for one another lives
/// no longer.
constexpr std::size_t kMostTogether = 128;

/// The work of a step in operations, the rows that it writes, and whether it may be part of a chain, or
/// move before one.
struct Cost {
  std::uint64_t work = 0, rows = 0;
  bool moves = false;
  bool isSmall() const { return moves && work <= kMostWork && rows <= kMostRows; }
};

std::uint64_t rowsOf(const poplar::Tensor& t) {
  const auto& shape = t.view().shape();
  return shape.empty() || shape.back() == 0
             ? 0
             : t.numElements() / static_cast<std::uint64_t>(shape.back());
}

Cost costOf(const Step& step) {
  if (step.kind == Step::Kind::None) return {0, 0, true};
  if (step.kind == Step::Kind::Copy) return {step.dst.numElements(), rowsOf(step.dst), true};
  if (step.kind != Step::Kind::Run || step.draws() || step.vertex->kernel->hasEffects()) return {};
  std::vector<Layout> layouts;
  std::uint64_t rows = 0;
  for (const auto& operand : step.vertex->operands) {
    const auto& t = operand.tensor;
    layouts.push_back(Layout::rowMajor(t.elementType(), t.view().shape()));
    if (operand.access != Access::Read) rows = std::max(rows, rowsOf(t));
  }
  return {step.vertex->kernel->operations(layouts), rows, true};
}

class Stretch {
 public:
  Stretch(FlatProgram& program, std::size_t begin, std::size_t end, unsigned threads)
      : program_(program), begin_(begin), end_(end), threads_(threads) {}

  /// Reorders the steps and notes which run side by side. \returns how many chains these are.
  std::size_t run() {
    std::size_t found = 0;
    while (begin_ < end_) {
      read();
      found += arrange();
    }
    return found;
  }

 private:
  enum Group : int { kBefore = -1, kWaiting = -2 };  // else the number of a chain

  struct Chain {
    std::vector<std::size_t> steps;
    std::uint64_t work = 0;
    bool isLong() const { return steps.size() >= kLeastSteps && work >= kLeastWork; }
  };
  /// The elements of a variable from the first to the last one that a view shows, or more.
  struct Span {
    std::int64_t first = 0, last = std::numeric_limits<std::int64_t>::max();
    bool meets(const Span& other) const { return first <= other.last && other.first <= last; }
  };
  struct Use {
    std::size_t step;
    const poplar::Tensor* tensor;
    Span span;
    bool isWhole;  // the tensor is all of the variable
  };
  struct Uses {
    std::vector<Use> reads, writes;
  };

  /// Calls visit(variable, write, use) for each variable of each operand.
  template <class Visit>
  static void eachUse(const Step& step, std::size_t number, const Visit& visit) {
    const auto look = [&](const poplar::Tensor& t, bool write) {
      if (!t.valid()) return;
      const Use use{number, &t, spanOf(t.view()), t.view().wholeVariable().has_value()};
      t.view().eachVariable([&](unsigned v) { visit(v, write, use); });
    };
    look(step.src, false);
    look(step.dst, true);
    if (step.vertex)
      for (const auto& operand : step.vertex->operands) {
        if (operand.access != Access::Write) look(operand.tensor, false);
        if (operand.access != Access::Read) look(operand.tensor, true);
      }
  }

  static Span spanOf(const View& view) {
    const auto affine = view.affine();
    if (!affine) return {};
    Span span{affine->offset, affine->offset};
    for (std::size_t d = 0; d < affine->strides.size(); ++d)
      (affine->strides[d] < 0 ? span.first : span.last) +=
          affine->strides[d] * (view.shape()[d] - 1);
    return span;
  }

  int groupOf(std::size_t step) {
    int group = groups_[step - begin_];
    while (group >= 0 && joined_[static_cast<std::size_t>(group)] != group)
      group = joined_[static_cast<std::size_t>(group)];
    return group;
  }

  /// The groups of which the step needs something, or that need something of it, each with the last
  /// step that it has in common. What is before all chains is not among them.
  std::map<int, std::size_t> neighbours(const Step& step) {
    std::map<int, std::size_t> found;
    eachUse(step, next_, [&](unsigned v, bool write, const Use& own) {
      // From the last use on: those before it in its group tell nothing more.
      const auto look = [&](const std::vector<Use>& uses, bool areWrites) {
        for (auto use = uses.rbegin(); use != uses.rend(); ++use) {
          // What is written in parts counts as written when all parts are, wherever it is read.
          const bool isPart = areWrites && !write && !use->isWhole;
          if (!isPart && !use->span.meets(own.span)) continue;
          const int group = groupOf(use->step);
          const auto known = found.find(group);
          if (group == kBefore || (known != found.end() && known->second >= use->step)) continue;
          if (isPart || own.isWhole || use->isWhole || use->tensor->intersectsWith(*own.tensor))
            found[group] = use->step;
        }
      };
      look(uses_[v].writes, true);
      if (write) look(uses_[v].reads, false);
    });
    return found;
  }

  void put(std::size_t s, int group) {
    groups_.push_back(group);
    eachUse(program_.steps[s], s, [&](unsigned v, bool write, const Use& use) {
      (write ? uses_[v].writes : uses_[v].reads).push_back(use);
    });
  }

  int chainOf(const std::map<int, std::size_t>& neighbours) {
    if (neighbours.empty()) {
      chains_.emplace_back();
      joined_.push_back(static_cast<int>(chains_.size()) - 1);
      return joined_.back();
    }
    const int first = neighbours.begin()->first;
    for (const auto& [other, step] : neighbours) {
      if (other == first) continue;
      auto& from = chains_[static_cast<std::size_t>(other)];
      auto& to = chains_[static_cast<std::size_t>(first)];
      to.steps.insert(to.steps.end(), from.steps.begin(), from.steps.end());
      to.work += from.work;
      from = {};
      joined_[static_cast<std::size_t>(other)] = first;
    }
    return first;
  }

  /// A short chain is no chain, but goes before the others.
  void moveBefore(int group) {
    joined_[static_cast<std::size_t>(group)] = kBefore;
    chains_[static_cast<std::size_t>(group)] = {};
  }

  /// Whether a step that needs nothing of a chain behind step `last` begins another one beside what
  /// comes there. Both need the steps up to `last`, which are before both.
  bool branchesOff(int group, std::size_t last) const {
    Chain after;
    const auto& chain = chains_[static_cast<std::size_t>(group)];
    for (std::size_t i = 0; i < chain.steps.size(); ++i)
      if (chain.steps[i] > last) {
        after.steps.push_back(chain.steps[i]);
        after.work += works_[chain.steps[i] - begin_];
      }
    return after.isLong();
  }

  /// Gives each step from begin_ on its group, up to where a search ends.
  void read() {
    groups_.clear();
    works_.clear();
    chains_.clear();
    joined_.clear();
    uses_.clear();
    std::size_t waiting = 0;
    for (next_ = begin_; next_ < end_ && waiting < kMostWaiting; ++next_) {
      const Step& step = program_.steps[next_];
      const Cost cost = costOf(step);
      works_.push_back(cost.work);
      const auto near = neighbours(step);
      const auto longOnes = std::count_if(near.begin(), near.end(), [&](const auto& each) {
        return each.first >= 0 && chains_[static_cast<std::size_t>(each.first)].isLong();
      });
      if (cost.isSmall() && near.size() == 1 && longOnes == 1 && branches_ < kMostBranches &&
          branchesOff(near.begin()->first, near.begin()->second)) {
        ++branches_;
        next_ = near.begin()->second + 1;
        chains_.clear();
        return;
      }
      if (!cost.moves || near.count(kWaiting) != 0 || longOnes > (cost.isSmall() ? 1 : 0)) {
        put(next_, kWaiting);
        ++waiting;
        const bool isAnyLong = std::any_of(chains_.begin(), chains_.end(),
                                           [](const Chain& chain) { return chain.isLong(); });
        if (isAnyLong) continue;
        ++next_;
        return;  // there is nothing to wait for
      }
      if (!cost.isSmall()) {
        for (const auto& [group, last] : near) moveBefore(group);
        put(next_, kBefore);
        continue;
      }
      const int group = chainOf(near);
      auto& chain = chains_[static_cast<std::size_t>(group)];
      chain.steps.push_back(next_);
      chain.work += cost.work;
      put(next_, group);
    }
  }

  /// Brings the chains that were read side by side, if there are several long ones of like work, and
  /// goes on behind them. \returns how many there are.
  std::size_t arrange() {
    std::vector<Chain*> longOnes;
    for (auto& chain : chains_)
      if (chain.isLong()) longOnes.push_back(&chain);
    std::sort(longOnes.begin(), longOnes.end(),
              [](const Chain* a, const Chain* b) { return a->work > b->work; });
    if (longOnes.size() > threads_) longOnes.resize(threads_);
    while (!longOnes.empty() && longOnes.back()->work * kMostUnequal < longOnes.front()->work)
      longOnes.pop_back();
    if (longOnes.size() < 2) {
      begin_ = next_;
      return 0;
    }
    std::vector<int> numbers;
    for (const Chain* chain : longOnes) numbers.push_back(static_cast<int>(chain - chains_.data()));
    // In front of them is what goes before all chains, and the chains that are left over.
    std::vector<Step> before, after;
    std::vector<std::vector<Step>> parts(longOnes.size());
    for (std::size_t s = begin_; s < next_; ++s) {
      const int group = groupOf(s);
      const auto at = std::find(numbers.begin(), numbers.end(), group);
      auto& to = group == kWaiting     ? after
                 : at == numbers.end() ? before
                                       : parts[static_cast<std::size_t>(at - numbers.begin())];
      to.push_back(std::move(program_.steps[s]));
    }
    auto to = program_.steps.begin() + static_cast<std::ptrdiff_t>(begin_);
    const auto place = [&](std::vector<Step>& steps, std::size_t first, std::size_t last) {
      const auto from = steps.begin();
      to = std::move(from + static_cast<std::ptrdiff_t>(first),
                     from + static_cast<std::ptrdiff_t>(last), to);
      return static_cast<std::size_t>(to - program_.steps.begin());
    };
    begin_ = place(before, 0, before.size());
    const auto [least, most] =
        std::minmax_element(parts.begin(), parts.end(),
                            [](const auto& a, const auto& b) { return a.size() < b.size(); });
    const std::size_t pieces =
        std::min(least->size(), (most->size() + kMostTogether - 1) / kMostTogether);
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      SideBySideSteps aside{begin_};
      for (auto& part : parts)
        aside.push_back(
            place(part, part.size() * piece / pieces, part.size() * (piece + 1) / pieces));
      begin_ = aside.back();
      program_.sideBySide.push_back(std::move(aside));
    }
    place(after, 0, after.size());
    return parts.size();
  }

  FlatProgram& program_;
  std::size_t begin_, end_, next_ = 0;
  std::size_t threads_, branches_ = 0;
  std::vector<int> groups_;           // by step from begin_ on
  std::vector<std::uint64_t> works_;  // by step from begin_ on
  std::vector<Chain> chains_;
  std::vector<int> joined_;        // by chain: itself, or the one that has its steps
  std::map<unsigned, Uses> uses_;  // by variable
};

}  // namespace

std::string SideBySide::run(Plan& plan) const {
  if (plan.threads == 1) return "";
  std::size_t found = 0;
  for (std::size_t p = 0; p + 1 < plan.programs.size(); ++p) {
    auto& program = plan.programs[p];
    const auto sections = sectionsOf(program);
    const std::size_t before = found;
    for (std::size_t begin = 0, end = 0; begin < sections.size(); begin = end) {
      while (end < sections.size() && sections[end] == sections[begin]) ++end;
      if (end - begin >= 2 * kLeastSteps) found += Stretch(program, begin, end, plan.threads).run();
    }
    if (found != before) program.leaves.clear();  // steps have left their places in the program
  }
  return found == 0 ? "" : counted(found, "chain", "chains") + " of small steps beside others";
}

}  // namespace popir
