// Exchange traffic: which bytes move between tiles in one phase, and how many cycles that takes.
#ifndef popir_machine_exchange_exchange_hpp
#define popir_machine_exchange_exchange_hpp

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

/// The tiles of a tensor's elements: runs in ascending order without overlaps.
struct TileRuns {
  std::vector<TileRun> runs;
  std::int64_t elements = 0;
  /// Distinct elements in memory, and how often each is repeated consecutively. E.g. the broadcast
  /// [a, a, a, b, b, b] has 6 elements, 2 distinct ones, and repeat 3.
  std::int64_t distinct = 0, repeat = 1;
  std::uint64_t elementBytes = 0;

  /// Appends a run, or extends the last one if it ends at `begin` on the same tile.
  void append(std::int64_t begin, std::int64_t end, unsigned tile);
  /// Makes one run of neighbours on the same tile.
  void join();
  /// The runs scaled to the positions of a tensor of another size: which of its elements each tile
  /// needs, in proportion. If that tensor is smaller, neighbouring runs may overlap.
  TileRuns scaledTo(const TileRuns& other) const;
  /// Removes overlaps: an element of several runs stays in the first of them.
  TileRuns withoutOverlaps() const;
  /// Number of elements on each tile.
  std::vector<std::int64_t> byTile(unsigned tiles) const;
};

/// The exchange traffic of one phase.
///
/// - A tile receives each byte that it needs and that is mapped to another tile, once for each
///   operand.
/// - A tile sends each byte once, however many tiles receive it: all of them can read a sent word.
/// - A span is a received piece that is contiguous at both its source and its destination. Each
///   span takes control slots in addition to its payload.
/// - Exchange code (docs/machine_model.md) is counted in instructions. Received words are written one
///   after another: of a message, the words that a tile sends to the same tiles, a receiver says
///   source and address, and a new address where the words do not follow one another in its memory.
///   A sender has an instruction for each piece that is contiguous in its memory.
/// - Contention on a chip is not modelled.
/// - Bytes from another IPU first cross the links (machine/links.hpp), each word once for all tiles
///   of the receiving IPU.
class Traffic {
 public:
  explicit Traffic(const TargetSpec& spec)
      : received_(spec.numTiles()),
        saved_(spec.numTiles()),
        spans_(spec.numTiles()),
        sent_(spec.numTiles()),
        receiveCode_(spec.numTiles()),
        sendCode_(spec.numTiles()),
        between_(spec.numIPUs),
        wordsPerSend_(spec.exchangeWordsPerSend),
        wordsPerAddress_(spec.exchangeWordsPerAddress),
        tilesPerIPU_(spec.tilesPerIPU) {}

  /// Adds the traffic that moves elements from their tiles in `held` to those in `needed`: runs over
  /// the same positions, or those of a tensor of another size, which are scaled to them.
  void add(const TileRuns& held, const TileRuns& needed);
  void add(const Traffic& other);
  /// The same, if `other` has nothing on tiles but these.
  void add(const Traffic& other, const std::vector<unsigned>& tiles);
  /// Adds received bytes of a tile. If `together` tiles of one exchange bus need the same bytes,
  /// each of them takes the cycles of bytes / together only.
  void receive(unsigned tile, std::uint64_t bytes, unsigned together = 1) {
    received_[tile] += bytes;
    saved_[tile] += bytes - bytes / together;
  }
  /// Adds a received span, which is a message.
  void span(unsigned tile, std::uint64_t bytes) {
    receive(tile, bytes);
    addMessages(tile, 1, bytes);
  }
  /// Adds spans that are a message each, of so many bytes.
  void addMessages(unsigned tile, std::uint64_t messages, std::uint64_t bytesEach) {
    spans_[tile] += messages;
    receiveCode_[tile] += receiveCode(messages, messages, messages * bytesEach);
  }
  void addSpans(unsigned tile, std::uint64_t spans) { spans_[tile] += spans; }
  /// Adds the instructions of a tile that receives, and of one that sends.
  void addReceiveCode(unsigned tile, std::uint64_t instructions) {
    receiveCode_[tile] += instructions;
  }
  void addSendCode(unsigned tile, std::uint64_t instructions) { sendCode_[tile] += instructions; }
  /// The instructions that receive messages, in pieces of the receiver's memory of which each
  /// message has one or more: the source and the address of a message, the address of each further
  /// piece, and a wait where that comes later than the instruction can say.
  std::uint64_t receiveCode(std::uint64_t messages, std::uint64_t pieces,
                            std::uint64_t bytes) const {
    const bool waits = isLonger(bytes, pieces, wordsPerAddress_);
    return 2 * messages + (pieces - messages) * (waits ? 2 : 1);
  }
  /// The instructions that send pieces of the sender's memory. The second one of a long piece is
  /// good for so many words more that none needs a third.
  std::uint64_t sendCode(std::uint64_t pieces, std::uint64_t bytes) const {
    return pieces * (isLonger(bytes, pieces, wordsPerSend_) ? 2 : 1);
  }
  void send(unsigned tile, std::uint64_t bytes) { sent_[tile] += bytes; }
  /// Adds bytes from one tile to another; only counts tiles on different IPUs.
  void linkTiles(unsigned from, unsigned to, std::uint64_t bytes) {
    link(from / tilesPerIPU_, to / tilesPerIPU_, bytes);
  }
  /// Adds bytes from one IPU to another.
  void link(unsigned from, unsigned to, std::uint64_t bytes) { between_.add(from, to, bytes); }

  /// Bytes, and number of received spans, by tile.
  const PerTile& received() const { return received_; }
  const PerTile& sent() const { return sent_; }
  const PerTile& spans() const { return spans_; }
  /// The exchange instructions of a tile. What is received or sent without saying how is a message,
  /// or a piece.
  std::uint64_t code(unsigned tile) const;
  /// Received bytes over all tiles.
  std::uint64_t bytes() const;
  /// Cycles on the chips, without links. The tile with most bytes or the tile with most spans
  /// determines them, whichever takes longer.
  std::uint64_t cycles(const TargetSpec& spec) const;
  std::uint64_t cyclesOn(const TargetSpec& spec, std::size_t tile) const;
  const LinkTraffic& links() const { return between_; }
  unsigned ipus() const { return static_cast<unsigned>(received_.size() / tilesPerIPU_); }

 private:
  void addTile(const Traffic& other, std::size_t tile);
  // Whether pieces of so many bytes together have more than so many words each.
  static bool isLonger(std::uint64_t bytes, std::uint64_t pieces, std::uint64_t words) {
    return bytes > pieces * words * kWordBytes;
  }

  static constexpr std::uint64_t kWordBytes = 4;
  // By tile. saved_: received bytes that take no cycles, because tiles of a bus share them.
  PerTile received_, saved_, spans_, sent_, receiveCode_, sendCode_;
  LinkTraffic between_;
  unsigned wordsPerSend_, wordsPerAddress_, tilesPerIPU_;
};

}  // namespace popir

#endif
