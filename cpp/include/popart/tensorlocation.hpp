// The memory and the tiles that hold a tensor. After popart/tensorlocation.hpp of PopART 3.
#ifndef popart_tensorlocation_hpp
#define popart_tensorlocation_hpp

#include <popart/commgroup.hpp>
#include <popart/names.hpp>

#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

enum class TensorStorage { OnChip = 0, OffChip, N };
enum class TileSet { Compute = 0, IO, Undefined, N };

/// Where an operator computes, or a tensor is: an IPU, and which of its tiles.
using VGraphIdAndTileSet = std::pair<VGraphId, TileSet>;
/// Where code is: in memory from which it runs, or in a buffer from which it is copied there.
enum class CodeMemoryType { Buffer = 0, ExecutableMemory, N };
enum class ExchangeStrategy { JustInTime = 0, OverlapInnerLoop, OverlapLoops, OverlapStep, N };
enum class ReplicatedTensorSharding { Off = 0, On, N };

/// Where a tensor is stored: see popir.TensorLocation in Python.
class TensorLocation {
 public:
  TensorLocation() = default;
  TensorLocation(TensorStorage storage_) : storage(storage_) {}
  TensorLocation(TensorStorage storage_, ReplicatedTensorSharding sharding,
                 CommGroup domain = CommGroup())
      : storage(storage_), replicatedTensorSharding(sharding), shardingDomain(domain) {}
  TensorLocation(TensorStorage storage_, TileSet loads, TileSet stores,
                 ReplicatedTensorSharding sharding, CommGroup domain = CommGroup())
      : storage(storage_),
        loadTileSet(loads),
        storageTileSet(stores),
        replicatedTensorSharding(sharding),
        shardingDomain(domain) {}

  /// What serialize() gives.
  /// \throws error unless there are six numbers, each of one of the values
  explicit TensorLocation(const std::vector<int64_t>& serialized);
  /// Storage, tiles of loads, tiles of stores, sharding, and kind and size of the domain of shards.
  std::vector<int64_t> serialize() const;
  bool isRemote() const { return storage == TensorStorage::OffChip; }
  bool operator==(const TensorLocation& o) const {
    return storage == o.storage && loadTileSet == o.loadTileSet &&
           storageTileSet == o.storageTileSet &&
           replicatedTensorSharding == o.replicatedTensorSharding &&
           shardingDomain == o.shardingDomain;
  }
  bool operator!=(const TensorLocation& o) const { return !(*this == o); }

  TensorStorage storage = TensorStorage::OnChip;
  TileSet loadTileSet = TileSet::Compute;
  TileSet storageTileSet = TileSet::Compute;
  ReplicatedTensorSharding replicatedTensorSharding = ReplicatedTensorSharding::Off;
  CommGroup shardingDomain;
};

// Values by their names; a location as all of its parts.
std::ostream& operator<<(std::ostream& os, const TensorStorage& storage);
std::ostream& operator<<(std::ostream& os, const TileSet& tileSet);
std::ostream& operator<<(std::ostream& os, const ExchangeStrategy& strategy);
std::ostream& operator<<(std::ostream& os, const ReplicatedTensorSharding& sharding);
std::ostream& operator<<(std::ostream& os, const TensorLocation& location);

}  // namespace popart

#pragma GCC visibility pop

#endif
