// popart/popx/opx.hpp: how an operator becomes a device program. The base class of lowerings
// written in C++; with it comes the other one, PopOpx, as in SDK 2.3 to 3.1.
#ifndef popart_popx_opx_hpp
#define popart_popx_opx_hpp

#include <popart/popx/opxbase.hpp>
#include <popart/popx/popopx.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Type.hpp>

#include <sstream>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Lowers one operator: grow() reads its inputs with getInTensor, extends the graph and the
/// program, and sets each output with setOutTensor.
class Opx : public OpxBase {
 public:
  Opx(Op* op, Devicex* devicex) : OpxBase(op, devicex) {}
  ~Opx() override;

  virtual void grow(poplar::program::Sequence& prog) const;

  /// Of an input that the Opx can create: the tensor, laid out as the operator wants it.
  virtual poplar::Tensor createInput(InIndex index, const poplar::DebugNameAndId& dnai) const;
  /// The same, under its name since SDK 2.3; by default createInput.
  virtual poplar::Tensor createInputTensor(InIndex index, const poplar::DebugNameAndId& dnai) const;
  /// From a tensor laid out as output `out`, one laid out as input `in` should be.
  virtual poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const;
  /// Whether this creates input `index0` as `opx1` does `index1`. \throws error; nobody asks.
  virtual bool createsEquiv(int index0, const Opx* opx1, int index1) const;

  poplar::Graph& graph() const { return dv_p->graph(); }
  poplar::Graph& topLevelGraph() const { return dv_p->graph(); }
  // The graphs of the IPUs that an input lies on and an output is to lie on: the one that there is.
  poplar::Graph& inGraph(InIndex) const { return dv_p->graph(); }
  poplar::Graph& outGraph(OutIndex) const { return dv_p->graph(); }
  virtual poplar::Graph& srcGraph(InIndex index) const { return inGraph(index); }
  virtual poplar::Graph& dstGraph(OutIndex index) const { return outGraph(index); }
  poplar::Graph& srcVirtualGraph(InIndex) const { return dv_p->graph(); }
  poplar::Graph& dstVirtualGraph(OutIndex) const { return dv_p->graph(); }

  const poplar::Tensor& getInTensor(InIndex index) const { return get(inId(index)); }
  const poplar::Tensor& getOutTensor(OutIndex index) const { return get(outId(index)); }
  void setOutTensor(OutIndex index, const poplar::Tensor& tensor) const {
    insert(outId(index), tensor);
  }
  const poplar::Tensor& get(TensorId id) const { return dv_p->get(id); }
  void insert(TensorId id, const poplar::Tensor& tensor) const { dv_p->insert(id, tensor); }
  // As the model sees them: every tensor has the shape that it has there.
  const poplar::Tensor& getInView(InIndex index) const { return getInTensor(index); }
  const poplar::Tensor& getOutView(OutIndex index) const { return getOutTensor(index); }
  const poplar::Tensor& getView(TensorId id) const { return get(id); }

  /// A new variable of the same shape and layout, and a copy into it.
  poplar::Tensor cloneNcopy(poplar::program::Sequence& prog, const poplar::Tensor& tensor,
                            const std::string& name = "") const;
  poplar::Tensor cloneNcopy(poplar::program::Sequence& prog, TensorId id) const;
  /// As numpy broadcasts: dimensions of 1 repeated, missing ones put in front.
  poplar::Tensor broadcast(const std::vector<int64_t>& shape, poplar::Tensor tensor) const;
  poplar::Tensor broadcast(const std::vector<int64_t>& shape, TensorId id) const;
  /// One value in every element; on tile 0.
  poplar::Tensor getConst(const poplar::Type& type, const std::vector<std::size_t>& shape,
                          double value, const std::string& name) const;
  poplar::Tensor getScalarVariable(const poplar::Type& type, const std::string& name) const;
  /// Zeros of a shape: one element of tile 0, repeated.
  poplar::Tensor getZerosTensor(std::vector<std::size_t> shape, poplar::Type type,
                                std::string name) const;

  // What the compiler calls; each goes on to its namesake above.
  void growProgram(poplar::program::Sequence& prog) const final { grow(prog); }
  poplar::Tensor makeInput(InIndex index, const poplar::DebugNameAndId& dnai) const final {
    return createInputTensor(index, dnai);
  }
  poplar::Tensor makeUnwound(const poplar::Tensor& tensor, InIndex in, OutIndex out) const final {
    return unwindTensorLayout(tensor, in, out);
  }
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
