#include "machine/exchange/exchange.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace popir {

void TileRuns::append(std::int64_t begin, std::int64_t end, unsigned tile) {
  if (!runs.empty() && runs.back().end == begin && runs.back().tile == tile)
    runs.back().end = end;
  else
    runs.push_back({begin, end, tile});
}

void TileRuns::join() {
  std::size_t kept = 0;
  for (const auto& run : runs) {
    if (kept > 0 && runs[kept - 1].end == run.begin && runs[kept - 1].tile == run.tile)
      runs[kept - 1].end = run.end;
    else
      runs[kept++] = run;
  }
  runs.resize(kept);
}

namespace {

TileRun scaled(const TileRun& run, std::int64_t from, std::int64_t to) {
  return {run.begin * to / from, (run.end * to + from - 1) / from, run.tile};
}

}  // namespace

TileRuns TileRuns::scaledTo(const TileRuns& other) const {
  TileRuns scaled;
  const auto n = scaled.elements = scaled.distinct = other.elements;
  scaled.elementBytes = other.elementBytes;
  scaled.runs.reserve(runs.size());
  for (const auto& run : runs) scaled.runs.push_back(popir::scaled(run, elements, n));
  return scaled;
}

TileRuns TileRuns::withoutOverlaps() const {
  auto result = *this;
  result.runs.clear();
  for (const auto& run : runs) {
    const auto begin =
        result.runs.empty() ? run.begin : std::max(run.begin, result.runs.back().end);
    if (begin < run.end) result.append(begin, run.end, run.tile);
  }
  return result;
}

std::vector<std::int64_t> TileRuns::byTile(unsigned tiles) const {
  std::vector<std::int64_t> held(tiles);
  for (const auto& run : runs) held[run.tile] += run.end - run.begin;
  return held;
}

void Traffic::add(const TileRuns& held, const TileRuns& needed) {
  const bool scales = held.elements != needed.elements;
  if (!scales && held.runs == needed.runs) return;
  const auto tiles = static_cast<unsigned>(received_.size());
  constexpr unsigned kNone = ~0u;
  std::vector<std::int64_t> in(tiles), out(tiles), spans(tiles), sends(tiles), messages(tiles);
  std::vector<unsigned> last(tiles, kNone);  // by tile: the one it received from before
  bool any = false;
  std::map<std::pair<unsigned, unsigned>, std::int64_t> between;  // elements by {from, to} IPU
  for (const auto& run : needed.runs) {
    const auto need = scales ? scaled(run, needed.elements, held.elements) : run;
    auto at = std::upper_bound(held.runs.begin(), held.runs.end(), need.begin,
                               [](std::int64_t b, const TileRun& run) { return b < run.end; });
    for (; at != held.runs.end() && at->begin < need.end; ++at) {
      if (at->tile == need.tile) continue;
      const auto n = std::min(at->end, need.end) - std::max(at->begin, need.begin);
      in[need.tile] += n;
      ++spans[need.tile];
      if (last[need.tile] != at->tile) ++messages[need.tile];
      last[need.tile] = at->tile;
      out[at->tile] += n;
      ++sends[at->tile];
      any = true;
      const auto from = at->tile / tilesPerIPU_, to = need.tile / tilesPerIPU_;
      if (from != to) between[{from, to}] += n;
    }
  }
  if (!any) return;
  const auto holds = held.byTile(tiles);
  for (const auto& [ipus, n] : between) {
    const auto distinct = std::min((n + held.repeat - 1) / held.repeat, held.distinct);
    link(ipus.first, ipus.second, static_cast<std::uint64_t>(distinct) * held.elementBytes);
  }
  for (unsigned t = 0; t < tiles; ++t) {
    if (in[t] == 0 && out[t] == 0) continue;
    const auto distinct = std::min((in[t] + held.repeat - 1) / held.repeat, held.distinct);
    const auto bytesIn = static_cast<std::uint64_t>(distinct) * held.elementBytes;
    received_[t] += bytesIn;
    // A tile receives each distinct element of a broadcast tensor once, so the number of spans is
    // reduced by the same factor as the number of elements.
    const auto once = [](std::int64_t n, std::int64_t distinct, std::int64_t of) {
      return static_cast<std::uint64_t>((n * distinct + of - 1) / of);
    };
    if (in[t] > 0) {
      const auto pieces = once(spans[t], distinct, in[t]);
      spans_[t] += pieces;
      receiveCode_[t] += receiveCode(once(messages[t], distinct, in[t]), pieces, bytesIn);
    }
    const auto own = (holds[t] * held.distinct + held.elements - 1) / held.elements;
    const auto leaving = std::min(out[t], own);
    const auto bytesOut = static_cast<std::uint64_t>(leaving) * held.elementBytes;
    sent_[t] += bytesOut;
    if (leaving > 0) sendCode_[t] += sendCode(once(sends[t], leaving, out[t]), bytesOut);
  }
}

void Traffic::add(const Traffic& other) {
  for (std::size_t t = 0; t < received_.size(); ++t) addTile(other, t);
  between_.add(other.between_);
}

void Traffic::add(const Traffic& other, const std::vector<unsigned>& tiles) {
  for (const auto t : tiles) addTile(other, t);
  between_.add(other.between_);
}

void Traffic::addTile(const Traffic& other, std::size_t t) {
  received_[t] += other.received_[t];
  saved_[t] += other.saved_[t];
  spans_[t] += other.spans_[t];
  sent_[t] += other.sent_[t];
  receiveCode_[t] += other.receiveCode_[t];
  sendCode_[t] += other.sendCode_[t];
}

std::uint64_t Traffic::code(unsigned tile) const {
  std::uint64_t found = receiveCode_[tile] + sendCode_[tile];
  if (received_[tile] > 0 && receiveCode_[tile] == 0) found += receiveCode(1, 1, received_[tile]);
  if (sent_[tile] > 0 && sendCode_[tile] == 0) found += sendCode(1, sent_[tile]);
  return found;
}

std::uint64_t Traffic::bytes() const {
  return std::accumulate(received_.begin(), received_.end(), std::uint64_t{0});
}

std::uint64_t Traffic::cycles(const TargetSpec& spec) const {
  std::uint64_t most = 0;
  for (std::size_t t = 0; t < received_.size(); ++t) most = std::max(most, cyclesOn(spec, t));
  return most;
}

std::uint64_t Traffic::cyclesOn(const TargetSpec& spec, std::size_t tile) const {
  const auto bytes = std::max(received_[tile] - saved_[tile], sent_[tile]);
  return std::max((bytes + spec.exchangeBytesPerCycle - 1) / spec.exchangeBytesPerCycle,
                  spans_[tile] * spec.exchangeSlotsPerSpan);
}

}  // namespace popir
