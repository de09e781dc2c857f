#include "machine/estimators/sorting.hpp"

namespace popir {
namespace {

unsigned ceilLog2(std::int64_t n) {
  unsigned log = 0;
  while ((std::int64_t{1} << log) < n) ++log;
  return log;
}

// Builds the list of steps, and follows how many elements of a row are left.
class Network {
 public:
  Network(std::int64_t elements, std::int64_t chosen)
      : left_(elements),
        chosen_(chosen),
        logChosen_(ceilLog2(chosen)),
        sequence_(std::int64_t{1} << logChosen_),
        oddSequences_(elements / sequence_ % 2 != 0),
        rounds_(ceilLog2(elements)) {}

  std::vector<SortStep> steps() {
    for (unsigned round = 0; round < rounds_; ++round) {
      const auto log = std::min(round, logChosen_);
      const auto distance = std::int64_t{1} << log;
      const bool sorts = round < logChosen_;
      auto active = left_;
      // What is left over of the last power of two may have to wait, to be in order later.
      const auto half = left_ % (2 * distance), whole = left_ % (4 * distance);
      if (round + 1 < logChosen_ && (half == 0 || half == whole)) active -= whole;
      add(active, distance, sorts ? distance : std::int64_t{1} << (rounds_ - 1));
      if (!sorts && left_ > sequence_) {
        dropUpperHalves();
        active = left_;
      }
      for (auto finer = log; finer-- > 0;) {
        const auto at = std::int64_t{1} << finer;
        add(active, at, std::min(distance, sequence_ / 2));
        if (log + 1 >= logChosen_ && drop(at, ascends(round))) active = left_;
      }
    }
    return std::move(steps_);
  }

 private:
  void add(std::int64_t active, std::int64_t distance, std::int64_t turn) {
    steps_.push_back({left_, active, distance, turn, {}});
  }

  void keep(std::vector<Stretch> kept) {
    left_ = 0;
    for (const auto& s : kept) left_ += s.size();
    steps_.back().kept = std::move(kept);
  }

  // Of each pair of sequences that were merged the first one is left.
  void dropUpperHalves() {
    std::vector<Stretch> kept;
    for (std::int64_t at = 0; at < left_; at += 2 * sequence_)
      kept.push_back({at, std::min(left_, at + sequence_)});
    keep(std::move(kept));
  }

  // The order in which a round sorts: that in which sequences can be merged, and in the end a
  // descending one.
  bool ascends(unsigned round) const {
    if (round + 1 == rounds_) return false;
    if (round + 1 >= logChosen_) return true;
    return logChosen_ != rounds_ ? oddSequences_ : true;
  }

  // Drops what is more than the chosen ones from the last sequence, as far as this step has shown
  // it: so many from where the lower ones are. Returns whether it did.
  bool drop(std::int64_t distance, bool ascending) {
    const auto last = (left_ - 1) % sequence_ + 1;
    const bool fromStart = ascending != ((left_ - last) / sequence_ % 2 != 0);
    const auto n = fromStart ? distance : (last - 1) % distance + 1;
    if (last < n + chosen_) return false;
    if (fromStart)
      keep({{0, left_ - last}, {left_ - last + n, left_}});
    else
      keep({{0, left_ - n}});
    return true;
  }

  std::int64_t left_;
  const std::int64_t chosen_;
  const unsigned logChosen_;
  const std::int64_t sequence_;  // elements of a sorted sequence
  const bool oddSequences_;
  const unsigned rounds_;
  std::vector<SortStep> steps_;
};

}  // namespace

std::int64_t SortStep::comparisons(std::int64_t rows) const {
  const auto pairs = active / (2 * distance), rest = active % (2 * distance);
  return rows * (pairs * distance + rest - std::min(rest, distance));
}

std::vector<SortStep> sortSteps(std::int64_t elements, std::int64_t chosen) {
  if (elements <= 1 || chosen <= 0) return {};
  return Network(elements, chosen).steps();
}

// PopLibs' vertex CompareAndSwapAtDistanceKeyVal, in assembly for floats, else compiled. A tile's
// comparisons are those up to the end of a line of `apart`, whole lines, and some of a last one; each
// of these is an entry of a worker's list, or of several workers'.
Cycles sortCycles(const TargetSpec& spec, poplar::Type key, const SortStep& step, std::int64_t rows,
                  Stretch comparisons) {
  if (comparisons.size() == 0) return 0;
  const bool isFloat = key == poplar::FLOAT || key == poplar::HALF;
  const Cycles start = isFloat ? 23 : 43, perEntry = isFloat ? 4 : 30, first = isFloat ? 8 : 17,
               each = isFloat ? 11 : 17, firstLine = isFloat ? 11 : 5, line = isFloat ? 11 : 22,
               perTurn = 2;
  const auto apart = step.distance * rows, turn = step.turn * rows;
  const auto ceilOf = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const auto mine = ceilOf(comparisons.size(), spec.numWorkerContexts);
  Cycles most = 0, worker = 0;
  std::int64_t left = mine, untilTurn = 0;
  const auto entry = [&](std::int64_t n, std::int64_t lineSize, std::int64_t inFirstLine) {
    worker += perEntry + first + static_cast<Cycles>(n - 1) * each + firstLine +
              static_cast<Cycles>(ceilOf(n - inFirstLine, lineSize)) * line +
              perTurn * static_cast<Cycles>(n >= untilTurn ? 1 + (n - untilTurn) / turn : 0);
  };
  for (auto at = comparisons.begin; at < comparisons.end;) {
    const auto inside = at % apart, rest = comparisons.end - at;
    const bool whole = at > comparisons.begin && inside == 0 && rest >= apart;
    const auto size = whole ? rest / apart * apart : std::min(apart - inside, rest);
    const auto lineSize = whole ? apart : size;
    for (std::int64_t done = 0; done < size;) {
      const auto n = std::min(size - done, left);
      const bool isFirst = left == mine;
      if (isFirst) {
        worker = start;
        untilTurn = turn - (at + done) % turn;
      }
      entry(n, lineSize, std::min(n, isFirst ? lineSize - done % lineSize : lineSize));
      most = std::max(most, worker);
      done += n;
      left = left > n ? left - n : mine;
    }
    at += size;
  }
  return supervised(spec, 19, most);
}

}  // namespace popir
