// popart/popx/opxbase.hpp: what Opx and PopOpx have in common, which names no tensor of either, and
// how the compiler calls both.
#ifndef popart_popx_opxbase_hpp
#define popart_popx_opxbase_hpp

#include <popart/error.hpp>
#include <popart/names.hpp>
#include <popart/op.hpp>
#include <popart/popx/devicex.hpp>
#include <popart/popx/inputcreatortype.hpp>
#include <popart/region.hpp>
#include <popart/tensor.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Sets of tensors of which one has to be there whole.
using DnfTensorIds = std::vector<std::set<TensorId>>;

/// Lowers one operator. A class for a lowering derives from Opx or PopOpx.
class OpxBase {
 public:
  OpxBase(const OpxBase&) = delete;
  OpxBase& operator=(const OpxBase&) = delete;
  virtual ~OpxBase();

  Op* op_p;
  /// Where several operators can make one input, the highest does.
  double inputCreatorPriority = 0.0;

  // The layout of inputs and outputs.
  virtual InputCreatorType getInputCreatorType(InIndex index) const;
  /// Whether a layout of output `out` says how input `in` should lie; by default, whether the
  /// input's type says that it can be unwound.
  virtual bool canUnwind(InIndex in, OutIndex out) const;
  /// The tensors that have to be there before an input can be created.
  virtual std::set<TensorId> mustExistBeforeCreate(int index) const;
  /// Where there is a choice, the sets to choose from; by default the one of mustExistBeforeCreate.
  virtual DnfTensorIds mustExistBeforeCreateDNF(int index) const;
  virtual view::RegMap unwindRegion(InIndex in, OutIndex out) const;
  /// Whether grow() writes an output that is there already, getOutTensor(index), and sets none.
  /// Such an output is made before, spread evenly over the tiles.
  virtual bool outputCreatedExternally(OutIndex index) const;

  // What the compiler calls, whatever kind of tensors the lowering itself speaks of.
  /// Extends the program by the operator.
  virtual void growProgram(poplar::program::Sequence& prog) const = 0;
  /// A tensor for an input, laid out as the operator wants it.
  virtual poplar::Tensor makeInput(InIndex index, const poplar::DebugNameAndId& dnai) const = 0;
  /// For input `in`, a tensor laid out so that output `out` lies as `tensor` does.
  virtual poplar::Tensor makeUnwound(const poplar::Tensor& tensor, InIndex in,
                                     OutIndex out) const = 0;
  /// Makes the outputs that are created externally.
  void makeOutputs() const;

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

  const Devicex* getDevicex() const { return dv_p; }
  /// The IPU that the operator is placed on; there is one graph for all of them.
  int64_t getVirtualGraphId() const { return 0; }

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
  std::vector<std::size_t> inShapeSzt(InIndex index) const { return inInfo(index).shape_szt(); }
  std::vector<std::size_t> outShapeSzt(OutIndex index) const { return outInfo(index).shape_szt(); }

  poplar::DebugNameAndId getDebugNameAndId(
      const std::string& name = "",
      poplar::SourceLocation loc = poplar::SourceLocation::Current()) const;
  poplar::DebugContext debugContext(
      const std::string& name = "",
      poplar::SourceLocation loc = poplar::SourceLocation::Current()) const;

 protected:
  OpxBase(Op* op, Devicex* devicex) : op_p(op), dv_p(devicex) {}

  Devicex* dv_p;

 private:
  [[noreturn]] void refuse(const Op* op, const std::vector<OperatorIdentifier>& valid) const;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
