// The tensors that a session returns (anchors), and how often.
// After popart/dataflow.hpp of PopART 3.
#ifndef popart_dataflow_hpp
#define popart_dataflow_hpp

#include <popart/names.hpp>
#include <popart/tensorlocation.hpp>

#include <map>
#include <string>
#include <utility>

namespace popart {

enum class AnchorReturnTypeId { Final = 0, EveryN, Sum, All };

/// How often an anchor is returned.
class AnchorReturnType {
 public:
  /// `art` is "All", "Final" or "Sum".
  AnchorReturnType(std::string art, TileSet tileSet = TileSet::Compute,
                   ExchangeStrategy strategy = ExchangeStrategy::JustInTime)
      : text_(std::move(art)), tileSet_(tileSet), strategy_(strategy) {}
  /// `art` is "EveryN": returns the tensor every `returnPeriod` batches.
  AnchorReturnType(std::string art, int returnPeriod, TileSet tileSet = TileSet::Compute,
                   ExchangeStrategy strategy = ExchangeStrategy::JustInTime)
      : AnchorReturnType(std::move(art), tileSet, strategy) {
    period_ = returnPeriod;
  }

  const std::string& text() const { return text_; }
  int rp() const { return period_; }
  TileSet tileSet() const { return tileSet_; }
  ExchangeStrategy exchangeStrategy() const { return strategy_; }

 private:
  std::string text_;
  int period_ = -1;
  TileSet tileSet_;
  ExchangeStrategy strategy_;
};

using AnchorReturnTypeMap = std::map<TensorId, AnchorReturnType>;

/// The number of batches per step, and the anchors.
class DataFlow {
 public:
  DataFlow() = default;
  explicit DataFlow(int batchesPerStep) : batchesPerStep_(batchesPerStep) {}
  DataFlow(int batchesPerStep, const AnchorReturnTypeMap& anchors)
      : batchesPerStep_(batchesPerStep), anchors_(anchors) {}

  int batchesPerStep() const { return batchesPerStep_; }
  const AnchorReturnTypeMap& getAnchorReturnTypeMap() const { return anchors_; }

 private:
  int batchesPerStep_ = 0;
  AnchorReturnTypeMap anchors_;
};

}  // namespace popart

#endif
