// popart/popx/op/elementwisex.hpp: lowerings of operators that work element by element.
#ifndef popart_popx_op_elementwisex_hpp
#define popart_popx_op_elementwisex_hpp

#include <popart/popx/opx.hpp>
#include <popops/ExprOp.hpp>

#include <memory>
#include <set>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// What a unary operator computes: a class says it once, in place, and both lowerings use it. It
/// says it of Poplar's tensors, or, as from SDK 2.3 to 3.1, of snap's.
class EwuComputex {
 public:
  EwuComputex() = default;
  virtual ~EwuComputex();

  /// Writes `tensor`. `name` is the output's id. \throws error unless a class overrides this or the
  /// next.
  virtual void inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                       const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                       const std::string& name) const;
  virtual void inplace(snap::program::Sequence& prog, snap::Graph& graph,
                       const snap::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                       const std::string& name) const;
  /// A new tensor; by default a copy, written in place.
  virtual poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                  const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                                  const std::string& name) const;
  virtual snap::Tensor outplace(snap::program::Sequence& prog, snap::Graph& graph,
                                const snap::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                                const std::string& name) const;
  /// Of a tensor of any shape, one of the shape that the computation needs; by default itself.
  virtual poplar::Tensor reshape(const poplar::Tensor& tensor) const;
  virtual snap::Tensor reshape(const snap::Tensor& tensor) const;

  poplar::Tensor cloneNcopy(poplar::program::Sequence& prog, poplar::Graph& graph,
                            const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai) const;
  snap::Tensor cloneNcopy(snap::program::Sequence& prog, snap::Graph& graph,
                          const snap::Tensor& tensor, const poplar::DebugNameAndId& dnai) const;
  /// Two dimensions: those before `axis` and the rest, each as one.
  static poplar::Tensor coerceTo2D(const poplar::Tensor& tensor, int64_t axis);
  static snap::Tensor coerceTo2D(const snap::Tensor& tensor, int64_t axis);
};

/// Layouts go through unchanged.
class ElementWiseUnaryOpx : public Opx {
 public:
  using Opx::Opx;
  ~ElementWiseUnaryOpx() override;

  InputCreatorType getInputCreatorType(InIndex index) const override;
  poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const override;
  view::RegMap unwindRegion(InIndex in, OutIndex out) const override;
};

class ElementWiseUnaryInplaceOpx : public ElementWiseUnaryOpx {
 public:
  ElementWiseUnaryInplaceOpx(Op* op, Devicex* devicex, std::unique_ptr<EwuComputex> cx);
  ~ElementWiseUnaryInplaceOpx() override;

  /// A tensor that shows elements twice is copied first.
  void grow(poplar::program::Sequence& prog) const final;

 private:
  std::unique_ptr<EwuComputex> cx_;
};

class ElementWiseUnaryOutplaceOpx : public ElementWiseUnaryOpx {
 public:
  ElementWiseUnaryOutplaceOpx(Op* op, Devicex* devicex, std::unique_ptr<EwuComputex> cx);
  ~ElementWiseUnaryOutplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const final;

 private:
  std::unique_ptr<EwuComputex> cx_;
};

/// What a binary operator computes, and which of its inputs it can write; of Poplar's tensors or of
/// snap's, as an EwuComputex.
class EwbComputex {
 public:
  enum class InplacePolicy { NEVER = 0, LHS, RHS };

  explicit EwbComputex(InplacePolicy policy = InplacePolicy::NEVER) : policy_(policy) {}
  virtual ~EwbComputex();

  /// \throws error unless a class overrides this or the next.
  virtual poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                  const poplar::Tensor& a, const poplar::Tensor& b,
                                  const poplar::DebugNameAndId& dnai,
                                  const std::string& name) const;
  virtual snap::Tensor outplace(snap::program::Sequence& prog, snap::Graph& graph,
                                const snap::Tensor& a, const snap::Tensor& b,
                                const poplar::DebugNameAndId& dnai, const std::string& name) const;
  /// Writes the tensor that the policy names, where that can hold the result; else as outplace.
  /// \throws error unless a class overrides this or the next.
  virtual poplar::Tensor maybeInplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                      poplar::Tensor& tInOut, poplar::Tensor& tIn,
                                      const poplar::DebugNameAndId& dnai,
                                      const std::string& name) const;
  virtual snap::Tensor maybeInplace(snap::program::Sequence& prog, snap::Graph& graph,
                                    const snap::Tensor& tInOut, const snap::Tensor& tIn,
                                    const poplar::DebugNameAndId& dnai,
                                    const std::string& name) const;
  /// `tInOut` with the result of `op` written to it; a new tensor where it shows elements twice.
  poplar::Tensor mapMaybeInPlace(poplar::Graph& graph, popops::expr::BinaryOpType op,
                                 poplar::Tensor& tInOut, poplar::Tensor& tIn,
                                 poplar::program::Sequence& prog,
                                 const poplar::DebugContext& debugContext,
                                 const poplar::OptionFlags& options = {},
                                 const std::string& name = "") const;
  bool inplaceSupported() const { return policy_ != InplacePolicy::NEVER; }
  /// \throws error where the policy is NEVER.
  InIndex getInplaceArgInIndex() const;
  InIndex getOutplaceArgInIndex() const;

 private:
  InplacePolicy policy_;
};

/// Layouts go through to inputs of the output's shape. An input of a class that can create one lies
/// as the other input, which must exist before.
class ElementWiseBinaryOpx : public Opx {
 public:
  using Opx::Opx;
  ~ElementWiseBinaryOpx() override;

  InputCreatorType getInputCreatorType(InIndex index) const override;
  std::set<TensorId> mustExistBeforeCreate(InIndex index) const override;
  poplar::Tensor createInput(InIndex index, const poplar::DebugNameAndId& dnai) const override;
  poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const override;
  view::RegMap unwindRegion(InIndex in, OutIndex out) const override;
};

class ElementWiseBinaryOutplaceOpx : public ElementWiseBinaryOpx {
 public:
  ElementWiseBinaryOutplaceOpx(Op* op, Devicex* devicex, std::unique_ptr<EwbComputex> cx);
  ~ElementWiseBinaryOutplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const final;

 private:
  std::unique_ptr<EwbComputex> cx_;
};

class ElementWiseBinaryInplaceOpx : public ElementWiseBinaryOpx {
 public:
  /// \throws error if `cx` never works in place.
  ElementWiseBinaryInplaceOpx(Op* op, Devicex* devicex, std::unique_ptr<EwbComputex> cx);
  ~ElementWiseBinaryInplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const final;

 private:
  std::unique_ptr<EwbComputex> cx_;
};

class BinaryComparisonOpx : public Opx {
 public:
  using Opx::Opx;
  ~BinaryComparisonOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
