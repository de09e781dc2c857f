// Tensors from the host and to it. After popart/op/exchange/hostcopy.hpp of PopART 3.
#ifndef popart_op_exchange_hostcopy_hpp
#define popart_op_exchange_hostcopy_hpp

#include <popart/op/exchange/hostbase.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// The output is what the host sends. The input has its type and shape.
class HostLoadOp : public HostBaseOp {
 public:
  using HostBaseOp::HostBaseOp;
  HostLoadOp(const HostLoadOp&) = default;
  ~HostLoadOp() override;

  static OutIndex getLocalTensorOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { outInfo(getLocalTensorOutIndex()) = inInfo(getLocalTensorInIndex()); }
  std::tuple<ReplEqOutputMap, ReplEqModifiedInputMap> fwdPropagateIsReplicaEqual(
      const AliasModel& aliasModel, const ReplEqInputMap& inputs,
      ReplicaEqualAnalysisProxy& proxy) const override;
  ExchangeDescriptor getExchangeDescriptor(int index) const override;
};

/// The same, written over the input.
class HostLoadInplaceOp : public HostLoadOp {
 public:
  using HostLoadOp::HostLoadOp;
  explicit HostLoadInplaceOp(const HostLoadOp& op);
  HostLoadInplaceOp(const HostLoadInplaceOp&) = default;
  ~HostLoadInplaceOp() override;

  std::unique_ptr<Op> clone() const override;
  view::Regions modifies(InIndex index) const override;
  view::Regions aliases(InIndex in, OutIndex out) const override;
  ExchangeDescriptor getExchangeDescriptor(int index) const override;
};

/// Sends its input to the host.
class HostStoreOp : public HostBaseOp {
 public:
  using HostBaseOp::HostBaseOp;
  HostStoreOp(const HostStoreOp&) = default;
  ~HostStoreOp() override;

  std::unique_ptr<Op> clone() const override;
  void setup() override {}
  bool hasSideEffect() const override { return true; }
  ExchangeDescriptor getExchangeDescriptor(int index) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
