// Base class of RemoteLoadOp and RemoteStoreOp. After popart/op/exchange/remotebase.hpp of PopART 3.
#ifndef popart_op_exchange_remotebase_hpp
#define popart_op_exchange_remotebase_hpp

#include <popart/op/exchange/exchange.hpp>

#pragma GCC visibility push(default)

namespace popart {

class RemoteBaseOp : public ExchangeBaseOp {
 public:
  RemoteBaseOp(const OperatorIdentifier& opid, const Op::Settings& settings,
               RemoteBufferId remoteBufferId = -1)
      : ExchangeBaseOp(opid, settings), buffer_(remoteBufferId) {}
  ~RemoteBaseOp() override;

  static InIndex getLocalTensorInIndex() { return 0; }
  /// The row of the buffer.
  static InIndex getRemoteBufferOffsetInIndex() { return 1; }
  RemoteBufferId getRemoteBufferId() const { return buffer_; }
  void setRemoteBufferId(RemoteBufferId id) { buffer_ = id; }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;

 private:
  RemoteBufferId buffer_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
