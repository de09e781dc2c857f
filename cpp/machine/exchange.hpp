// Exchange: which bytes of an operand travel between tiles in one phase, and how long that takes.
#ifndef popir_machine_exchange_hpp
#define popir_machine_exchange_hpp

#include <cstdint>
#include <vector>

#include "machine/links.hpp"
#include "machine/target_spec.hpp"
#include "machine/tile_bytes.hpp"

namespace popir {

/// Elements [begin, end) of a flattened tensor, on one tile.
struct TileRun {
  std::int64_t begin, end;
  unsigned tile;

  friend bool operator==(const TileRun& a, const TileRun& b) {
    return a.begin == b.begin && a.end == b.end && a.tile == b.tile;
  }
};

/// Where the elements of an operand are: runs in ascending order without overlaps.
struct TileRuns {
  std::vector<TileRun> runs;
  std::int64_t elements = 0;
  /// Elements that differ from one another (others are broadcast), and how many neighbours are one.
  std::int64_t distinct = 0, repeat = 1;
  std::uint64_t elementBytes = 0;

  /// Adds elements after all others, joined to the last run where they can be.
  void append(std::int64_t begin, std::int64_t end, unsigned tile);
  /// Elements of another tensor where these ones are, in proportion: where it is smaller,
  /// neighbours have elements in common.
  TileRuns scaledTo(const TileRuns& other) const;
  /// Each element with the first that has it.
  TileRuns withoutOverlaps() const;
  /// Elements by tile.
  std::vector<std::int64_t> byTile(unsigned tiles) const;
};

/// Bytes that travel in one phase.
///
/// A tile receives every byte it needs and does not hold, once for each operand; what it sends is
/// counted once however many tiles receive it, since a word sent can be read by all of them.
/// Whatever arrives from one place to lie in one place is a span, whose control takes slots beside
/// the payload. Contention on a chip is not modelled. What comes from another IPU takes the links
/// first (machine/links.hpp), each word once for all tiles of an IPU.
class Traffic {
 public:
  explicit Traffic(const TargetSpec& spec)
      : received_(spec.numTiles()),
        saved_(spec.numTiles()),
        spans_(spec.numTiles()),
        sent_(spec.numTiles()),
        between_(spec.numIPUs),
        tilesPerIPU_(spec.tilesPerIPU) {}

  /// The tiles of `needed`, runs over the positions of `held`, get these elements.
  void add(const TileRuns& held, const TileRuns& needed);
  void add(const Traffic& other);
  /// `together`: as many tiles of one bus receive the same, each of them a part of it directly.
  void receive(unsigned tile, std::uint64_t bytes, unsigned together = 1) {
    received_[tile] += bytes;
    saved_[tile] += bytes - bytes / together;
  }
  /// What arrives from one place.
  void span(unsigned tile, std::uint64_t bytes) {
    receive(tile, bytes);
    ++spans_[tile];
  }
  void addSpans(unsigned tile, std::uint64_t spans) { spans_[tile] += spans; }
  void send(unsigned tile, std::uint64_t bytes) { sent_[tile] += bytes; }
  /// Bytes from a tile to another, if that is of another IPU.
  void linkTiles(unsigned from, unsigned to, std::uint64_t bytes) {
    link(from / tilesPerIPU_, to / tilesPerIPU_, bytes);
  }
  /// Bytes from one IPU to another.
  void link(unsigned from, unsigned to, std::uint64_t bytes) { between_.add(from, to, bytes); }

  /// By tile.
  const PerTile& received() const { return received_; }
  const PerTile& sent() const { return sent_; }
  const PerTile& spans() const { return spans_; }
  /// Over all tiles.
  std::uint64_t bytes() const;
  /// On the chips: of the tile that receives or sends longest, be it by bytes or by spans.
  std::uint64_t cycles(const TargetSpec& spec) const;
  const LinkTraffic& links() const { return between_; }
  unsigned ipus() const { return static_cast<unsigned>(received_.size() / tilesPerIPU_); }

 private:
  PerTile received_, saved_, spans_, sent_;
  LinkTraffic between_;
  unsigned tilesPerIPU_;
};

}  // namespace popir

#endif
