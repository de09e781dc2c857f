// Base class of lowerings written in C++. Also declares PopOpx (SDK 2.3 to 3.1).
// After popart/popx/opx.hpp of PopART 3.
#ifndef popart_popx_opx_hpp
#define popart_popx_opx_hpp

#include <popart/popx/debugcontextx.hpp>
#include <popart/popx/opxbase.hpp>
#include <popart/popx/opxgraph.hpp>
#include <popart/popx/snapopx.hpp>
#include <popart/popx/viewchangers.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Type.hpp>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Lowers one operator. grow() reads inputs with getInTensor(), adds to the graph and the program,
/// and sets each output with setOutTensor().
class Opx : public OpxBase {
 public:
  Opx(Op* op, Devicex* devicex) : OpxBase(op, devicex) {}
  ~Opx() override;

  virtual void grow(poplar::program::Sequence& prog) const;

  /// Creates an input, if getInputCreatorType() says so, in the layout that the operator prefers.
  virtual poplar::Tensor createInput(InIndex index, const poplar::DebugNameAndId& dnai) const;
  /// The name of createInput() since SDK 2.3. Calls createInput() by default.
  virtual poplar::Tensor createInputTensor(InIndex index, const poplar::DebugNameAndId& dnai) const;
  /// Converts a tensor with the layout of output `out` to a tensor with the layout for input `in`.
  virtual poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const;
  /// True if this Opx creates input `index0` like `opx1` creates `index1`. popir does not call it.
  /// \throws error
  virtual bool createsEquiv(int index0, const Opx* opx1, int index1) const;

  /// Made when it is first asked for.
  OpxGraph& graph() const;
  poplar::Graph& topLevelGraph() const { return dv_p->graph(); }
  // The graphs of the IPUs of an input and an output. There is only one graph.
  poplar::Graph& inGraph(InIndex) const { return graph(); }
  poplar::Graph& outGraph(OutIndex) const { return graph(); }
  virtual poplar::Graph& srcGraph(InIndex index) const { return inGraph(index); }
  virtual poplar::Graph& dstGraph(OutIndex index) const { return outGraph(index); }
  poplar::Graph& srcVirtualGraph(InIndex) const { return graph(); }
  poplar::Graph& dstVirtualGraph(OutIndex) const { return graph(); }

  const poplar::Tensor& getInTensor(InIndex index) const { return get(inId(index)); }
  const poplar::Tensor& getOutTensor(OutIndex index) const { return get(outId(index)); }
  void setOutTensor(OutIndex index, const poplar::Tensor& tensor) const {
    insert(outId(index), tensor);
  }
  const poplar::Tensor& get(TensorId id) const { return dv_p->get(id); }
  void insert(TensorId id, const poplar::Tensor& tensor) const { dv_p->insert(id, tensor); }
  // Tensors with their shapes in the model.
  const poplar::Tensor& getInView(InIndex index) const { return getInTensor(index); }
  const poplar::Tensor& getOutView(OutIndex index) const { return getOutTensor(index); }
  const poplar::Tensor& getView(TensorId id) const { return get(id); }

  // Tensors are kept with their shapes in the model: none has a view.
  bool hasInViewChangers(InIndex) const { return false; }
  ViewChangers getInViewChangers(InIndex) const { return ViewChangers(); }
  /// \throws error unless there are no views
  void setOutViewChangers(OutIndex index, const ViewChangers& changers) const;
  /// True if createInputTensor() makes another shape than that of the input, and the view of it that
  /// has the input's.
  virtual bool hasCreatorViewChangers(InIndex) const { return false; }
  virtual ViewChangers getCreatorViewChangers(InIndex) const { return ViewChangers(); }

  /// Creates a variable of the same shape and layout, and copies the tensor to it.
  poplar::Tensor cloneNcopy(poplar::program::Sequence& prog, const poplar::Tensor& tensor,
                            const std::string& name = "") const;
  poplar::Tensor cloneNcopy(poplar::program::Sequence& prog, TensorId id) const;
  /// Broadcasts by numpy's rules: adds leading dimensions, and repeats dimensions of size 1.
  poplar::Tensor broadcast(const std::vector<int64_t>& shape, poplar::Tensor tensor) const;
  poplar::Tensor broadcast(const std::vector<int64_t>& shape, TensorId id) const;
  /// A constant with `value` in every element, on tile 0.
  poplar::Tensor getConst(const poplar::Type& type, const std::vector<std::size_t>& shape,
                          double value, const std::string& name) const;
  poplar::Tensor getScalarVariable(const poplar::Type& type, const std::string& name) const;
  /// A tensor of zeros: a single element on tile 0, broadcast to the shape.
  poplar::Tensor getZerosTensor(std::vector<std::size_t> shape, poplar::Type type,
                                std::string name) const;

  // Calls from the compiler, forwarded to the functions above.
  void growProgram(poplar::program::Sequence& prog) const override { grow(prog); }
  poplar::Tensor makeInput(InIndex index, const poplar::DebugNameAndId& dnai) const final {
    const poplar::Tensor made = createInputTensor(index, dnai);
    return hasCreatorViewChangers(index) ? getCreatorViewChangers(index).apply(made) : made;
  }
  poplar::Tensor makeUnwound(const poplar::Tensor& tensor, InIndex in, OutIndex out) const final {
    return unwindTensorLayout(tensor, in, out);
  }

 private:
  mutable std::unique_ptr<OpxGraph> graph_;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
