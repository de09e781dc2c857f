// popart/popx/irlowering.hpp: from a model to the device's graph, as operators see it.
#ifndef popart_popx_irlowering_hpp
#define popart_popx_irlowering_hpp

#include <popart/tensorinfo.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Type.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// The element type on the device. \throws error for a type that no device tensor has.
poplar::Type popType(DataType type);
poplar::Type popType(const TensorInfo& info);

/// The graph that operators are lowered to, one replica of it, and options for libraries'
/// functions: those of products and LSTMs are the session's, of its SessionOptions; the others are
/// empty.
class IrLowering {
 public:
  explicit IrLowering(poplar::Graph& graph) : graph_(graph) {}

  poplar::Graph& graph() const { return graph_; }
  unsigned getReplicationFactor() const { return 1; }
  bool isReplicatedGraph() const { return false; }

  poplar::OptionFlags pooling_options;
  poplar::OptionFlags lstmOptions;
  poplar::OptionFlags matmulOptions;
  poplar::OptionFlags gclOptions;

 private:
  poplar::Graph& graph_;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
