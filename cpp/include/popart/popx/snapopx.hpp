// The class of popart/popx/popopx.hpp, which popart/popx/opx.hpp has too. popir's own.
#ifndef popart_popx_snapopx_hpp
#define popart_popx_snapopx_hpp

#include <popart/popx/opxbase.hpp>
#include <popart/popx/viewchangers.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Type.hpp>
#include <snap/Graph.hpp>
#include <snap/Program.hpp>
#include <snap/Tensor.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class Opx;

/// Each function does what Opx's function of the same name does.
class PopOpx : public OpxBase {
 public:
  PopOpx(Op* op, Devicex* devicex);
  ~PopOpx() override;

  virtual void grow(snap::program::Sequence& prog) const;
  virtual snap::Tensor createInputTensor(InIndex index, const poplar::DebugNameAndId& dnai) const;
  virtual snap::Tensor unwindTensorLayout(snap::Tensor tensor, InIndex in, OutIndex out) const;

  snap::Graph& graph() const { return graph_; }
  snap::Graph& topLevelGraph() const { return graph_; }
  // There is one graph, as in Opx.
  virtual snap::Graph& inGraph(InIndex) const { return graph_; }
  virtual snap::Graph& outGraph(OutIndex) const { return graph_; }
  virtual snap::Graph& srcVirtualGraph(InIndex) const { return graph_; }
  virtual snap::Graph& dstVirtualGraph(OutIndex) const { return graph_; }

  const snap::Tensor& getInTensor(InIndex index) const { return get(inId(index)); }
  const snap::Tensor& getOutTensor(OutIndex index) const { return get(outId(index)); }
  void setOutTensor(OutIndex index, const snap::Tensor& tensor) const {
    insert(outId(index), tensor);
  }
  /// The reference is valid as long as this object. The next call overwrites the tensor.
  const snap::Tensor& get(TensorId id) const;
  void insert(TensorId id, const snap::Tensor& tensor) const;
  const snap::Tensor& getInView(InIndex index) const { return getInTensor(index); }
  const snap::Tensor& getOutView(OutIndex index) const { return getOutTensor(index); }
  const snap::Tensor& getView(TensorId id) const { return get(id); }

  virtual bool hasCreatorViewChangers(InIndex) const { return false; }
  virtual ViewChangers getCreatorViewChangers(InIndex) const { return ViewChangers(); }
  bool hasInViewChangers(InIndex) const { return false; }
  ViewChangers getInViewChangers(InIndex) const { return ViewChangers(); }
  void setOutViewChangers(OutIndex index, const ViewChangers& changers) const;

  snap::Tensor cloneNcopy(snap::program::Sequence& prog, const snap::Tensor& tensor,
                          const std::string& name = "") const;
  snap::Tensor cloneNcopy(snap::program::Sequence& prog, TensorId id) const;
  snap::Tensor getConst(const poplar::Type& type, const std::vector<std::size_t>& shape,
                        double value, const std::string& name) const;
  snap::Tensor getScalarVariable(const poplar::Type& type, const std::string& name) const;
  snap::Tensor getZerosTensor(std::vector<std::size_t> shape, poplar::Type type,
                              std::string name) const;

  // Calls from the compiler, forwarded to the functions above.
  void growProgram(poplar::program::Sequence& prog) const final;
  poplar::Tensor makeInput(InIndex index, const poplar::DebugNameAndId& dnai) const final;
  poplar::Tensor makeUnwound(const poplar::Tensor& tensor, InIndex in, OutIndex out) const final;

 private:
  snap::Tensor wrapped(const poplar::Tensor& tensor) const { return {tensor, graph_}; }

  /// An Opx of the same operator, to which this class forwards.
  const std::unique_ptr<const Opx> opx_;
  mutable snap::Graph graph_;
  mutable std::map<TensorId, snap::Tensor> tensors_;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
