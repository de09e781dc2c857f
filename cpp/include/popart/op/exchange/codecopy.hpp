// Copies of the code of graphs. After popart/op/exchange/codecopy.hpp of PopART 3.
#ifndef popart_op_exchange_codecopy_hpp
#define popart_op_exchange_codecopy_hpp

#include <popart/graphid.hpp>
#include <popart/op/exchange/exchange.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// Loads the code of a graph from streaming memory to the tiles of its settings. The compiler keeps
/// all code on the tiles, and refuses to lower it.
class RemoteCodeLoadOp : public ExchangeBaseOp {
 public:
  /// \throws error if the Ir has no such graph
  RemoteCodeLoadOp(const OperatorIdentifier& opid, const GraphId& gid,
                   const CodeMemoryType destinationType, const Op::Settings& settings);
  ~RemoteCodeLoadOp() override;

  ExchangeDescriptor getExchangeDescriptor(int index) const override;
  std::unique_ptr<Op> clone() const override;
  /// \throws error for another destination than executable memory of the tiles that compute
  void setup() override;
  bool hasSideEffect() const override { return true; }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;

 private:
  GraphId graph_;
  CodeMemoryType destination_;
};

/// Copies the code of a graph from one memory of the tiles to another: for programs that look for
/// it. It cannot be set up, in PopART neither.
class InternalCodeCopyOp : public Op {
 public:
  InternalCodeCopyOp(const OperatorIdentifier& opid, const GraphId& gid, const TileSet source,
                     const CodeMemoryType sourceType, const CodeMemoryType destinationType,
                     const Op::Settings& settings);
  ~InternalCodeCopyOp() override;

  std::unique_ptr<Op> clone() const override;
  /// \throws error
  void setup() override;
  bool hasSideEffect() const override { return true; }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getHighSubgraphValue(); }

 private:
  GraphId graph_;
  TileSet source_;
  CodeMemoryType sourceType_;
  CodeMemoryType destination_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
