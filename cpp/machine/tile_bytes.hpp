// A number for each tile, mostly of bytes, run-length encoded. Neighbouring tiles mostly have equal
// numbers, and there may be thousands of such lists for thousands of tiles.
#ifndef popir_machine_tile_bytes_hpp
#define popir_machine_tile_bytes_hpp

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace popir {

/// One number for each tile, by tile number.
using PerTile = std::vector<std::uint64_t>;

class TileBytes {
 public:
  /// Tiles [begin, end) with `bytes` each.
  struct Stretch {
    unsigned begin = 0, end = 0;
    std::uint64_t bytes = 0;
    auto state() const { return std::tie(begin, end, bytes); }
  };

  TileBytes() = default;
  /// Of stretches in ascending order that do not overlap.
  explicit TileBytes(std::vector<Stretch> stretches) : stretches_(std::move(stretches)) {}
  explicit TileBytes(const PerTile& bytes) {
    for (unsigned t = 0; t < bytes.size(); ++t) append(t, t + 1, bytes[t]);
  }

  /// Appends tiles [begin, end) with `bytes` each. They are above all tiles appended so far.
  void append(unsigned begin, unsigned end, std::uint64_t bytes) {
    if (bytes == 0 || begin >= end) return;
    if (!stretches_.empty() && stretches_.back().end == begin && stretches_.back().bytes == bytes)
      stretches_.back().end = end;
    else
      stretches_.push_back({begin, end, bytes});
  }
  bool empty() const { return stretches_.empty(); }
  std::uint64_t on(unsigned tile) const {
    for (const auto& s : stretches_)
      if (s.begin <= tile && tile < s.end) return s.bytes;
    return 0;
  }
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const auto& s : stretches_) sum += s.bytes * (s.end - s.begin);
    return sum;
  }
  void addTo(PerTile& all, std::uint64_t times = 1) const {
    for (const auto& s : stretches_)
      for (unsigned t = s.begin; t < s.end; ++t) all[t] += times * s.bytes;
  }
  void takeFrom(PerTile& all) const {
    for (const auto& s : stretches_)
      for (unsigned t = s.begin; t < s.end; ++t) all[t] -= s.bytes;
  }
  /// Applies `f` to each number other than 0.
  template <class F>
  TileBytes map(const F& f) const {
    TileBytes mapped;
    for (const auto& s : stretches_) mapped.append(s.begin, s.end, f(s.bytes));
    return mapped;
  }

  const std::vector<Stretch>& stretches() const { return stretches_; }
  auto state() const { return std::tie(stretches_); }

 private:
  std::vector<Stretch> stretches_;
};

}  // namespace popir

#endif
