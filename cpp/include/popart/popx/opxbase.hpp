// The common base of Opx and PopOpx, and the interface by which the compiler calls both. popir's
// own.
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

/// The lowering of an operator. Derive from Opx or PopOpx.
class OpxBase {
 public:
  OpxBase(const OpxBase&) = delete;
  OpxBase& operator=(const OpxBase&) = delete;
  virtual ~OpxBase();

  Op* op_p;
  /// If several operators can create a tensor, the one with the highest priority does.
  double inputCreatorPriority = 0.0;

  // ---- Layouts of inputs and outputs ----
  virtual InputCreatorType getInputCreatorType(InIndex index) const;
  /// True if the layout of output `out` determines a layout for input `in`. By default this depends
  /// on getInputCreatorType().
  virtual bool canUnwind(InIndex in, OutIndex out) const;
  /// The tensors that must exist before the input can be created.
  virtual std::set<TensorId> mustExistBeforeCreate(int index) const;
  /// Alternatives to mustExistBeforeCreate(), which is the default.
  virtual DnfTensorIds mustExistBeforeCreateDNF(int index) const;
  virtual view::RegMap unwindRegion(InIndex in, OutIndex out) const;
  /// True if grow() writes to an existing output, getOutTensor(index), rather than sets it. The
  /// compiler then creates this output, distributed evenly over the tiles.
  virtual bool outputCreatedExternally(OutIndex index) const;

  // ---- Interface for the compiler, independent of the tensor type of the lowering ----
  /// Appends the operator to the program.
  virtual void growProgram(poplar::program::Sequence& prog) const = 0;
  /// Creates the tensor of an input, in the layout that the operator prefers.
  virtual poplar::Tensor makeInput(InIndex index, const poplar::DebugNameAndId& dnai) const = 0;
  /// Creates a tensor for input `in`, such that output `out` gets the layout of `tensor`.
  virtual poplar::Tensor makeUnwound(const poplar::Tensor& tensor, InIndex in,
                                     OutIndex out) const = 0;
  /// Creates the outputs for which outputCreatedExternally() is true.
  void makeOutputs() const;

  /// \throws error if the operator is not an OP
  template <class OP>
  OP& getOp() const {
    if (OP* op = dynamic_cast<OP*>(op_p)) return *op;
    throw error("The Opx of {} asked for an operator of another class", op_p->debugName());
  }
  /// \throws error if the operator has another domain or name; the version is ignored
  template <class OP>
  void verifyOp(Op* op, const OperatorIdentifier& opid) const {
    if (op->opid.domain != opid.domain || op->opid.type != opid.type) refuse(op, {opid});
  }
  /// \throws error if the operator is none of these
  template <class OP>
  void verifyOp(Op* op, const std::vector<OperatorIdentifier>& opids) const {
    for (const OperatorIdentifier& opid : opids)
      if (op->opid == opid) return;
    refuse(op, opids);
  }
  /// \throws error if the operator is not an OP
  template <class OP>
  void verifyOp(Op* op) const {
    if (!op->isConvertibleTo<OP>())
      throw error("The Opx of {} was given an operator of another class", op->debugName());
  }

  const Devicex* getDevicex() const { return dv_p; }
  /// Always 0: one graph contains all IPUs.
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
  /// The path that debugContext() gives, as up to PopART 2.0.
  std::string debugPrefix(const std::string& name = "") const {
    return debugContext(name).getPathName();
  }

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
