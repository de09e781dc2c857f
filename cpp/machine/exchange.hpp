// Exchange: which bytes of an operand travel between tiles in one phase, and how long that takes.
#ifndef popir_machine_exchange_hpp
#define popir_machine_exchange_hpp

#include <cstdint>
#include <vector>

#include "machine/target_spec.hpp"

namespace popir {

/// Elements [begin, end) of a flattened tensor, on one tile.
struct TileRun {
  std::int64_t begin, end;
  unsigned tile;
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
/// the payload; of planned contractions and partial sums spans are not known. Contention and links
/// between IPUs are not modelled.
class Traffic {
 public:
  explicit Traffic(unsigned tiles) : received_(tiles), saved_(tiles), spans_(tiles), sent_(tiles) {}

  /// The tiles of `needed`, runs over the positions of `held`, get these elements.
  void add(const TileRuns& held, const TileRuns& needed);
  void add(const Traffic& other);
  /// `together`: as many tiles of one bus receive the same, each of them a part of it directly.
  void receive(unsigned tile, std::uint64_t bytes, unsigned together = 1) {
    received_[tile] += bytes;
    saved_[tile] += bytes - bytes / together;
  }
  void send(unsigned tile, std::uint64_t bytes) { sent_[tile] += bytes; }

  /// Bytes by tile.
  const std::vector<std::uint64_t>& received() const { return received_; }
  /// Over all tiles.
  std::uint64_t bytes() const;
  /// Of the tile that receives or sends longest, be it by bytes or by spans.
  std::uint64_t cycles(const TargetSpec& spec) const;

 private:
  std::vector<std::uint64_t> received_, saved_, spans_, sent_;
};

}  // namespace popir

#endif
