// popart/popx/opx.hpp: how an operator becomes a device program. The base class of lowerings
// written in C++.
#ifndef popart_popx_opx_hpp
#define popart_popx_opx_hpp

#include <popart/error.hpp>
#include <popart/names.hpp>
#include <popart/op.hpp>
#include <popart/popx/devicex.hpp>
#include <popart/popx/inputcreatortype.hpp>
#include <popart/region.hpp>
#include <popart/tensor.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Lowers one operator: grow() reads its inputs with getInTensor, extends the graph and the
/// program, and sets each output with setOutTensor.
class Opx {
 public:
  Opx(Op* op, Devicex* devicex);
  Opx(const Opx&) = delete;
  Opx& operator=(const Opx&) = delete;
  virtual ~Opx();

  Op* op_p;
  /// Where several operators can make one input, the highest does.
  double inputCreatorPriority = 0.0;

  virtual void grow(poplar::program::Sequence& prog) const;

  // The layout of inputs.
  virtual InputCreatorType getInputCreatorType(InIndex index) const;
  /// Of an input that the Opx can create: the tensor, laid out as the operator wants it.
  virtual poplar::Tensor createInput(InIndex index, const poplar::DebugNameAndId& dnai) const;
  virtual poplar::Tensor createInputTensor(InIndex index, const poplar::DebugNameAndId& dnai) const;
  /// The tensors that have to be there before an input can be created.
  virtual std::set<TensorId> mustExistBeforeCreate(int index) const;
  /// From a tensor laid out as output `out`, one laid out as input `in` should be.
  virtual poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const;
  virtual view::RegMap unwindRegion(InIndex in, OutIndex out) const;
  /// Whether grow() writes an output that is there already, getOutTensor(index), and sets none.
  /// Such an output is made before, spread evenly over the tiles.
  virtual bool outputCreatedExternally(OutIndex index) const;

  /// \throws error unless the operator is an OP.
  template <class OP>
  OP& getOp() const {
    if (OP* op = dynamic_cast<OP*>(op_p)) return *op;
    throw error("The Opx of {} asked for an operator of another class", op_p->debugName());
  }
  /// Whether the operator has this domain and name; the version does not matter.
  template <class OP>
  void verifyOp(Op* op, const OperatorIdentifier& opid) const {
    if (op->opid.domain != opid.domain || op->opid.type != opid.type) refuse(op, {opid});
  }
  /// Whether the operator is one of these.
  template <class OP>
  void verifyOp(Op* op, const std::vector<OperatorIdentifier>& opids) const {
    for (const OperatorIdentifier& opid : opids)
      if (op->opid == opid) return;
    refuse(op, opids);
  }
  /// Whether the operator is an OP.
  template <class OP>
  void verifyOp(Op* op) const {
    if (!op->isConvertibleTo<OP>())
      throw error("The Opx of {} was given an operator of another class", op->debugName());
  }

  poplar::Graph& graph() const { return dv_p->graph(); }
  poplar::Graph& topLevelGraph() const { return dv_p->graph(); }
  /// The graphs of the IPUs that an input lies on and an output is to lie on: the one that there
  /// is.
  poplar::Graph& srcVirtualGraph(InIndex) const { return dv_p->graph(); }
  poplar::Graph& dstVirtualGraph(OutIndex) const { return dv_p->graph(); }
  const Devicex* getDevicex() const { return dv_p; }

  bool hasInput(InIndex index) const { return op_p->hasInput(index); }
  bool hasOutput(OutIndex index) const { return op_p->hasOutput(index); }
  TensorId inId(InIndex index) const { return op_p->inId(index); }
  TensorId outId(OutIndex index) const { return op_p->outId(index); }
  Tensor* inTensor(InIndex index) const { return op_p->inTensor(index); }
  Tensor* outTensor(OutIndex index) const { return op_p->outTensor(index); }
  const TensorInfo& inInfo(InIndex index) const;
  const TensorInfo& outInfo(OutIndex index) const;
  const Shape& inShape(InIndex index) const { return inInfo(index).shape(); }
  const Shape& outShape(OutIndex index) const { return outInfo(index).shape(); }

  const poplar::Tensor& getInTensor(InIndex index) const;
  const poplar::Tensor& getOutTensor(OutIndex index) const;
  void setOutTensor(OutIndex index, const poplar::Tensor& tensor) const;
  const poplar::Tensor& get(TensorId id) const { return dv_p->get(id); }
  void insert(TensorId id, const poplar::Tensor& tensor) const { dv_p->insert(id, tensor); }

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

  /// What the compiler calls before grow(): makes the outputs that are created externally.
  void makeOutputs() const;

  poplar::DebugNameAndId getDebugNameAndId(
      const std::string& name = "",
      poplar::SourceLocation loc = poplar::SourceLocation::Current()) const;
  poplar::DebugContext debugContext(
      const std::string& name = "",
      poplar::SourceLocation loc = poplar::SourceLocation::Current()) const;

 protected:
  Devicex* dv_p;

 private:
  [[noreturn]] void refuse(const Op* op, const std::vector<OperatorIdentifier>& valid) const;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
