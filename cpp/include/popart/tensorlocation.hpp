// The memory and the tiles that hold a tensor. After popart/tensorlocation.hpp of PopART 3.
#ifndef popart_tensorlocation_hpp
#define popart_tensorlocation_hpp

namespace popart {

enum class TensorStorage { OffChip = 0, OnChip, N };
enum class TileSet { Compute = 0, IO, Undefined, N };
enum class ExchangeStrategy { JustInTime = 0, OverlapInnerLoop, OverlapLoops, OverlapStep, N };
enum class ReplicatedTensorSharding { Off = 0, On, N };

/// Only stored: in popir every tensor is in the memory of the compute tiles.
class TensorLocation {
 public:
  TensorLocation() = default;
  explicit TensorLocation(TensorStorage storage_) : storage(storage_) {}

  TensorStorage storage = TensorStorage::OnChip;
  TileSet loadTileSet = TileSet::Compute;
  TileSet storageTileSet = TileSet::Compute;
  ReplicatedTensorSharding replicatedTensorSharding = ReplicatedTensorSharding::Off;
};

}  // namespace popart

#endif
