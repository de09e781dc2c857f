// Remote buffers and streams of a lowering. After popart/popx/exchangebundle.hpp of PopART 3.
#ifndef popart_popx_exchangebundle_hpp
#define popart_popx_exchangebundle_hpp

#include <popart/names.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Ir;

namespace popx {

/// For lowerings of one's own that exchange rows of the remote buffers of an Ir, each with the
/// tensors that its rows are copied to and from; and tensors that streams are copied to, by id.
/// popir's own lowerings do not use it.
class ExchangeBundle {
 public:
  using Buffer = std::pair<poplar::RemoteBuffer, std::vector<poplar::Tensor>>;

  /// The Ir must outlive it.
  explicit ExchangeBundle(const Ir& ir);

  /// "RB_n", the handle of the buffer `id`.
  static const std::string getRemoteBufferName(RemoteBufferId id);
  /// Adds a buffer to a graph: rows like the first of `tensors`, as many as
  /// Ir::getRemoteBufferInfo() says. The host may copy them.
  /// \throws error without tensors, and for a buffer that there is already
  void createRemoteBuffer(poplar::Graph& graph, RemoteBufferId id,
                          const std::vector<poplar::Tensor>& tensors);
  bool hasRemoteBuffer(RemoteBufferId id) const { return buffers_.count(id) != 0; }
  /// \throws error if it was not created
  const Buffer& getRemoteBuffer(RemoteBufferId id) const;
  /// Whether one operator of the Ir, when this object was made, loads and stores rows of the buffer.
  /// \throws error if no operator exchanged any
  bool getRemoteBufferSeparateLoadStorePadsRequired(RemoteBufferId id) const;

  bool hasStreamTensor(TensorId tid) const { return streams_.count(tid) != 0; }
  /// \throws error if none was set
  poplar::Tensor getStreamTensor(TensorId tid) const;
  void setStreamTensor(TensorId tid, poplar::Tensor t) { streams_[tid] = t; }

 private:
  const Ir& ir_;
  std::map<RemoteBufferId, bool> loadsAndStores_;
  std::map<RemoteBufferId, Buffer> buffers_;
  std::map<TensorId, poplar::Tensor> streams_;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
