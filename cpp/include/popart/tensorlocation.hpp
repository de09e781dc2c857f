// popart/tensorlocation.hpp: on which memory and which tiles a tensor is kept.
#ifndef popart_tensorlocation_hpp
#define popart_tensorlocation_hpp

namespace popart {

enum class TensorStorage { OffChip = 0, OnChip, N };
enum class TileSet { Compute = 0, IO, Undefined, N };
enum class ExchangeStrategy { JustInTime = 0, OverlapInnerLoop, OverlapLoops, OverlapStep, N };
enum class ReplicatedTensorSharding { Off = 0, On, N };

/// In popir every tensor is on chip, on the tiles that compute.
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
