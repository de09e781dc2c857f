// The lowering of a model, as seen by operators. After popart/popx/irlowering.hpp of PopART 3.
#ifndef popart_popx_irlowering_hpp
#define popart_popx_irlowering_hpp

#include <popart/names.hpp>
#include <popart/popx/exchangebundle.hpp>
#include <popart/popx/opxgraph.hpp>
#include <popart/popx/poptensors.hpp>
#include <popart/tensorinfo.hpp>
#include <popart/tensorlocation.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Type.hpp>
#include <snap/Graph.hpp>
#include <snap/Tensor.hpp>

#include <map>
#include <memory>
#include <utility>

#pragma GCC visibility push(default)

namespace popart {

class DeviceInfo;

namespace popx {

/// The device's element type.
/// \throws error if the device has no such type
poplar::Type popType(DataType type);
poplar::Type popType(const TensorInfo& info);

/// Distributes tensors evenly over the tiles of a graph. A tensor begins at the tile after the last
/// one of the tensor before; after the last tile comes the first one. So small tensors, which take
/// few tiles each, do not all lie on the same ones. Of a graph of several IPUs these take the first
/// one, where contractions are, too.
class LinearMapper {
 public:
  void mapTensor(poplar::Graph& graph, const poplar::Tensor& tensor);
  void mapTensor(snap::Graph& graph, const snap::Tensor& tensor) {
    mapTensor(graph.getPoplarGraph(), tensor.getPoplarTensor());
  }

 private:
  /// The next tile, for each virtual graph: by its first tile and the number of its tiles.
  std::map<std::pair<unsigned, unsigned>, unsigned> next_;
};

/// The Poplar graph to which operators are lowered, its replicas, and options for library
/// functions. The options of matrix products and LSTMs come from the SessionOptions; the others are
/// empty.
class IrLowering {
 public:
  explicit IrLowering(poplar::Graph& graph) : graph_(graph) {}
  /// Of the graphs of a program, on a device: an empty Poplar graph. A session lowers them
  /// (createFromIr in popart/session.hpp). `ir` must outlive this object.
  IrLowering(const Ir& ir, std::shared_ptr<DeviceInfo> deviceInfo);

  /// \throws error if it was made of a Poplar graph
  const Ir& ir() const;

  poplar::Graph& graph() const { return graph_; }
  unsigned getReplicationFactor() const { return graph_.getReplicationFactor(); }
  unsigned getGlobalReplicationFactor() const { return getReplicationFactor(); }
  bool isReplicatedGraph() const { return getReplicationFactor() > 1; }
  /// The graph of an IPU: one graph contains all IPUs and all their tiles.
  OpxGraph& getVirtualGraph(VGraphId, TileSet = TileSet::Compute) const;
  LinearMapper& getLinearMapper() { return mapper_; }
  /// The remote buffers and streams of lowerings of one's own, for the Ir; made when it is first
  /// asked for.
  /// \throws error if it was made of a Poplar graph: make an ExchangeBundle of the operator's Ir
  ExchangeBundle& getExchangeBundle() const;
  PopTensors& tensors() { return tensors_; }
  const PopTensors& tensors() const { return tensors_; }

  poplar::OptionFlags pooling_options;
  poplar::OptionFlags lstmOptions;
  poplar::OptionFlags matmulOptions;
  poplar::OptionFlags gclOptions;

 private:
  std::shared_ptr<poplar::Graph> own_;
  poplar::Graph& graph_;
  const Ir* ir_ = nullptr;
  mutable std::unique_ptr<OpxGraph> virtualGraph_;
  LinearMapper mapper_;
  PopTensors tensors_;
  mutable std::unique_ptr<ExchangeBundle> exchange_;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
