// Operators that move data to or from the host or streaming memory. After popart/op/exchange/exchange.hpp of PopART 3.
#ifndef popart_op_exchange_exchange_hpp
#define popart_op_exchange_exchange_hpp

#include <popart/basicoptionals.hpp>
#include <popart/graphid.hpp>
#include <popart/op.hpp>
#include <popart/tensorlocation.hpp>
#include <popart/vendored/optional.hpp>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

using OptionalGraphId = nonstd::optional<GraphId>;
using OptionalCodeMemoryType = BasicOptional<CodeMemoryType, 12>;

enum class ExchangeDirection { Load = 0, Store = 1, N = 2 };

std::ostream& operator<<(std::ostream& os, const ExchangeDirection& direction);

/// One movement of data: of a stream of the host, or of a remote buffer; or of the code of a graph.
class ExchangeDescriptor {
 public:
  ExchangeDescriptor(ExchangeDirection direction, TensorId id, OptionalVGraphId vgid,
                     TileSet tileSet, int numInputs, int numOutputs, bool inplace);
  ExchangeDescriptor(ExchangeDirection direction, RemoteBufferId id, OptionalVGraphId vgid,
                     TileSet tileSet, int numInputs, int numOutputs, bool inplace);

  /// The code of the graph `id`, which has no tensors, to `destination`.
  ExchangeDescriptor(ExchangeDirection direction, GraphId id, TileSet destination,
                     CodeMemoryType destinationType);

  const ExchangeDirection& getDirection() const { return direction_; }
  bool isHostExchange() const { return !stream_.empty(); }
  bool isRemoteExchange() const { return stream_.empty() && !isCodeCopy(); }
  bool isCodeCopy() const { return static_cast<bool>(graph_); }
  const OptionalGraphId& getGraphToLoadId() const { return graph_; }
  OptionalCodeMemoryType getDestinationCodeMemoryType() const { return code_; }
  const RemoteBufferId& getRemoteBufferId() const { return buffer_; }
  void setRemoteBufferId(RemoteBufferId id) { buffer_ = id; }
  const TensorId& getHostStreamTensorId() const { return stream_; }
  /// The stream's tensor, the number of the buffer or the id of the graph.
  const std::string getResourceId() const;
  OptionalVGraphId getVGraphID() const { return vgid_; }
  TileSet getTileSet() const { return tileSet_; }
  int getNumInputs() const { return inputs_; }
  int getNumOutputs() const { return outputs_; }
  bool isInplace() const { return inplace_; }

 private:
  ExchangeDirection direction_;
  RemoteBufferId buffer_ = -1;
  TensorId stream_;
  OptionalVGraphId vgid_;
  TileSet tileSet_;
  int inputs_;
  int outputs_;
  bool inplace_;
  OptionalGraphId graph_;
  OptionalCodeMemoryType code_;
};

std::ostream& operator<<(std::ostream& os, const ExchangeDescriptor& descriptor);

using ExchangeDescriptors = std::vector<ExchangeDescriptor>;

/// The compiler keeps streams beside its graph, and has operators of its own for streaming memory:
/// these are for graphs that a program makes.
class ExchangeBaseOp : public Op {
 public:
  ExchangeBaseOp(const OperatorIdentifier& opid, const Op::Settings& settings)
      : Op(opid, settings) {}
  ~ExchangeBaseOp() override;

  virtual int getNumExchanges() const { return 1; }
  /// \throws error for a number that there is not
  virtual ExchangeDescriptor getExchangeDescriptor(int index) const = 0;
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  bool isOutlineable() const final { return true; }
  /// The exchange of an input or output, and the place in it.
  /// \throws error for an index that no exchange has
  std::pair<int, int> inIndexToDescriptorIndex(InIndex index) const;
  std::pair<int, int> outIndexToDescriptorIndex(OutIndex index) const;
  /// The reverse.
  std::vector<InIndex> descriptorIndexToInIndices(int index) const;
  std::vector<OutIndex> descriptorIndexToOutIndices(int index) const;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
