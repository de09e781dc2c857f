// Several movements of data at once. After popart/op/exchange/multiexchange.hpp of PopART 3.
#ifndef popart_op_exchange_multiexchange_hpp
#define popart_op_exchange_multiexchange_hpp

#include <popart/op/exchange/exchange.hpp>

#include <memory>
#include <set>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The inputs and outputs of its exchanges, one after another.
class MultiExchangeOp : public ExchangeBaseOp {
 public:
  MultiExchangeOp(const OperatorIdentifier& opid, const Op::Settings& settings,
                  const std::vector<ExchangeDescriptor> descriptors)
      : ExchangeBaseOp(opid, settings), descriptors_(descriptors) {}
  MultiExchangeOp(const MultiExchangeOp&) = default;
  ~MultiExchangeOp() override;

  std::unique_ptr<Op> clone() const override;
  /// An output of a load is like the first input of the load.
  void setup() override;
  view::Regions modifies(InIndex index) const override;
  view::Regions aliases(InIndex in, OutIndex out) const override;
  bool hasSideEffect() const override { return numStores() != 0; }
  std::tuple<ReplEqOutputMap, ReplEqModifiedInputMap> fwdPropagateIsReplicaEqual(
      const AliasModel& aliasModel, const ReplEqInputMap& inputs,
      ReplicaEqualAnalysisProxy& proxy) const override;
  int numLoads() const;
  int numStores() const;
  int getNumExchanges() const override { return static_cast<int>(descriptors_.size()); }
  ExchangeDescriptor getExchangeDescriptor(int index) const override;
  bool isRemote(int index) const { return getExchangeDescriptor(index).isRemoteExchange(); }
  RemoteBufferId getRemoteBufferId(int index) const {
    return getExchangeDescriptor(index).getRemoteBufferId();
  }
  void setRemoteBufferId(int index, RemoteBufferId id) {
    descriptors_.at(static_cast<std::size_t>(index)).setRemoteBufferId(id);
  }
  /// A group for each exchange: what it loads into or stores, and the output of a load.
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  using Op::getIntrospectionInVirtualGraphId;
  using Op::getIntrospectionOutVirtualGraphId;
  /// Those of the exchange.
  VGraphIdAndTileSet getIntrospectionInVirtualGraphId(InIndex index,
                                                      std::set<OpId>& visited) const override;
  VGraphIdAndTileSet getIntrospectionOutVirtualGraphId(OutIndex index,
                                                       std::set<OpId>& visited) const override;

 private:
  ExchangeDescriptors descriptors_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
