// The tensors that a session returns (anchors), and how often.
// After popart/dataflow.hpp of PopART 3.
#ifndef popart_dataflow_hpp
#define popart_dataflow_hpp

#include <popart/names.hpp>
#include <popart/replicatedstreammode.hpp>
#include <popart/tensorlocation.hpp>

#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

enum class AnchorReturnTypeId { Final = 0, EveryN, All, Sum };
std::ostream& operator<<(std::ostream& os, const AnchorReturnTypeId& kind);

/// How often an anchor is returned: "Final", "EveryN", "All" or "Sum", in any case.
class AnchorReturnType {
 public:
  /// "All".
  AnchorReturnType();
  /// \throws error for another name, and for "EveryN", which takes a period
  AnchorReturnType(std::string art, TileSet tileSet = TileSet::Compute,
                   ExchangeStrategy strategy = ExchangeStrategy::JustInTime);
  /// `art` is "EveryN": returns the tensor every `returnPeriod` batches.
  /// \throws error for another name, and for a period below 1
  AnchorReturnType(std::string art, int returnPeriod, TileSet tileSet = TileSet::Compute,
                   ExchangeStrategy strategy = ExchangeStrategy::JustInTime);

  AnchorReturnTypeId id() const { return id_; }
  const std::string& str() const { return text_; }
  /// The period of EveryN.
  /// \throws error for another kind
  int rp() const;
  const TileSet& tileSet() const { return tileSet_; }
  const ExchangeStrategy& exchangeStrategy() const { return strategy_; }

 private:
  std::string text_;
  AnchorReturnTypeId id_;
  int period_ = 1;
  TileSet tileSet_;
  ExchangeStrategy strategy_;
};

using AnchorReturnTypeMap = std::map<TensorId, AnchorReturnType>;

/// How an input is streamed: by which tiles, and when.
class InputSettings {
 public:
  InputSettings() = default;
  InputSettings(TileSet tileSet, ExchangeStrategy strategy)
      : tileSet_(tileSet), strategy_(strategy) {}
  InputSettings(ReplicatedStreamMode mode) : mode_(mode) {}

  const TileSet& tileSet() const { return tileSet_; }
  const ExchangeStrategy& exchangeStrategy() const { return strategy_; }
  ReplicatedStreamMode replicatedStreamMode() const { return mode_; }
  void setTileSet(TileSet tileSet) { tileSet_ = tileSet; }
  void setExchangeStrategy(ExchangeStrategy strategy) { strategy_ = strategy; }
  void setReplicatedStreamMode(ReplicatedStreamMode mode) { mode_ = mode; }

 private:
  TileSet tileSet_ = TileSet::Compute;
  ExchangeStrategy strategy_ = ExchangeStrategy::JustInTime;
  ReplicatedStreamMode mode_ = ReplicatedStreamMode::Replicate;
};
std::ostream& operator<<(std::ostream& os, const InputSettings& settings);

/// The number of batches per step, and the anchors.
class DataFlow {
 public:
  DataFlow() = default;
  DataFlow(int batchesPerStep) : batchesPerStep_(batchesPerStep) {}
  DataFlow(int batchesPerStep, const AnchorReturnTypeMap& anchors);
  DataFlow(int batchesPerStep, const std::vector<TensorId> anchorIds,
           const AnchorReturnType& anchorReturnType = AnchorReturnType("All"));

  bool isAnchored(const TensorId& id) const { return anchors_.count(id) != 0; }
  const std::vector<TensorId>& anchors() const { return ids_; }
  int nAnchors() const { return static_cast<int>(ids_.size()); }
  int batchesPerStep() const { return batchesPerStep_; }
  void setBatchesPerStep(const int batchesPerStep) { batchesPerStep_ = batchesPerStep; }
  /// \throws error for a tensor that is no anchor
  AnchorReturnType art(const TensorId& id) const;
  const AnchorReturnTypeMap& getAnchorReturnTypeMap() const { return anchors_; }

 private:
  int batchesPerStep_ = 0;
  AnchorReturnTypeMap anchors_;
  std::vector<TensorId> ids_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
