// Tensors from streaming memory and to it. After popart/op/exchange/remote.hpp of PopART 3.
#ifndef popart_op_exchange_remote_hpp
#define popart_op_exchange_remote_hpp

#include <popart/op/exchange/remotebase.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// The output is what the buffer has. The input has its type and shape.
class RemoteLoadOp : public RemoteBaseOp {
 public:
  using RemoteBaseOp::RemoteBaseOp;
  RemoteLoadOp(const RemoteLoadOp&) = default;
  ~RemoteLoadOp() override;

  static OutIndex getLocalTensorOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { outInfo(getLocalTensorOutIndex()) = inInfo(getLocalTensorInIndex()); }
  ExchangeDescriptor getExchangeDescriptor(int index) const override;
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override {
    return {{{getLocalTensorInIndex()}, {getLocalTensorOutIndex()}}};
  }
  /// \throws error for another one than RemoteLoadInplace
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
};

/// The same, written over the input.
class RemoteLoadInplaceOp : public RemoteLoadOp {
 public:
  using RemoteLoadOp::RemoteLoadOp;
  explicit RemoteLoadInplaceOp(const RemoteLoadOp& op);
  RemoteLoadInplaceOp(const RemoteLoadInplaceOp&) = default;
  ~RemoteLoadInplaceOp() override;

  std::unique_ptr<Op> clone() const override;
  view::Regions modifies(InIndex index) const override { return aliases(index, 0); }
  view::Regions aliases(InIndex in, OutIndex out) const override;
  ExchangeDescriptor getExchangeDescriptor(int index) const override;
};

/// Writes its input to the buffer.
class RemoteStoreOp : public RemoteBaseOp {
 public:
  using RemoteBaseOp::RemoteBaseOp;
  RemoteStoreOp(const RemoteStoreOp&) = default;
  ~RemoteStoreOp() override;

  std::unique_ptr<Op> clone() const override;
  void setup() override {}
  bool hasSideEffect() const override { return true; }
  ExchangeDescriptor getExchangeDescriptor(int index) const override;
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override {
    return {{{getLocalTensorInIndex()}, {}}};
  }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
