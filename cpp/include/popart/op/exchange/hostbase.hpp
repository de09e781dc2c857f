// Base class of HostLoadOp and HostStoreOp. After popart/op/exchange/hostbase.hpp of PopART 3.
#ifndef popart_op_exchange_hostbase_hpp
#define popart_op_exchange_hostbase_hpp

#include <popart/op/exchange/exchange.hpp>

#include <string>

#pragma GCC visibility push(default)

namespace popart {

class HostBaseOp : public ExchangeBaseOp {
 public:
  HostBaseOp(const OperatorIdentifier& opid, const Op::Settings& settings,
             TensorId hostStreamTensorId)
      : ExchangeBaseOp(opid, settings), stream_(hostStreamTensorId) {}
  ~HostBaseOp() override;

  static InIndex getLocalTensorInIndex() { return 0; }
  /// The tensor of the host.
  TensorId getHostStreamTensorId() const { return stream_; }
  void setHostStreamTensorId(TensorId id) { stream_ = id; }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;

 private:
  TensorId stream_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
