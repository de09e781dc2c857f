// Lowerings of element-wise operators. After popart/popx/op/elementwisex.hpp of PopART 3.
#ifndef popart_popx_op_elementwisex_hpp
#define popart_popx_op_elementwisex_hpp

#include <popart/popx/eitheropx.hpp>
#include <popops/ExprOp.hpp>

#include <memory>
#include <set>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// The computation of a unary operator, shared by the lowerings of the operator and of its in-place
/// variant. Override the functions for Poplar's tensors, or, as in SDK 2.3 to 3.1, for snap's.
class EwuComputex {
 public:
  EwuComputex() = default;
  virtual ~EwuComputex();

  /// Overwrites `tensor` with the result. `name` is the id of the output.
  /// \throws error if a class overrides neither this nor the next function
  virtual void inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                       const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                       const std::string& name) const;
  virtual void inplace(snap::program::Sequence& prog, snap::Graph& graph,
                       const snap::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                       const std::string& name) const;
  /// Returns a new tensor. By default copies `tensor` and calls inplace().
  virtual poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                  const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                                  const std::string& name) const;
  virtual snap::Tensor outplace(snap::program::Sequence& prog, snap::Graph& graph,
                                const snap::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                                const std::string& name) const;
  /// Reshapes a tensor for the computation. Returns it unchanged by default.
  virtual poplar::Tensor reshape(const poplar::Tensor& tensor) const;
  virtual snap::Tensor reshape(const snap::Tensor& tensor) const;

  poplar::Tensor cloneNcopy(poplar::program::Sequence& prog, poplar::Graph& graph,
                            const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai) const;
  snap::Tensor cloneNcopy(snap::program::Sequence& prog, snap::Graph& graph,
                          const snap::Tensor& tensor, const poplar::DebugNameAndId& dnai) const;
  /// Flattens to two dimensions: those before `axis`, and the others.
  static poplar::Tensor coerceTo2D(const poplar::Tensor& tensor, int64_t axis);
  static snap::Tensor coerceTo2D(const snap::Tensor& tensor, int64_t axis);
};

/// Base of the lowerings below: a class of one's own that derives from one of them is as EitherOpx
/// says.
class ElementWiseOpx : public EitherOpx {
 public:
  using EitherOpx::EitherOpx;
  ~ElementWiseOpx() override;

  using EitherOpx::unwindTensorLayout;
  /// Returns the tensor.
  snap::Tensor unwindTensorLayout(snap::Tensor tensor, InIndex in, OutIndex out) const override;
};

/// The layout of the output is the layout of the input.
class ElementWiseUnaryOpx : public ElementWiseOpx {
 public:
  using ElementWiseOpx::ElementWiseOpx;
  ~ElementWiseUnaryOpx() override;

  InputCreatorType getInputCreatorType(InIndex index) const override;
  view::RegMap unwindRegion(InIndex in, OutIndex out) const override;
};

/// Lowers an in-place variant by EwuComputex::inplace().
class ElementWiseUnaryInplaceOpx : public ElementWiseUnaryOpx {
 public:
  ElementWiseUnaryInplaceOpx(Op* op, Devicex* devicex, std::unique_ptr<EwuComputex> cx);
  ~ElementWiseUnaryInplaceOpx() override;

  /// Copies a tensor that contains aliases before it is written.
  void grow(poplar::program::Sequence& prog) const final;

 private:
  std::unique_ptr<EwuComputex> cx_;
};

/// Lowers an operator by EwuComputex::outplace().
class ElementWiseUnaryOutplaceOpx : public ElementWiseUnaryOpx {
 public:
  ElementWiseUnaryOutplaceOpx(Op* op, Devicex* devicex, std::unique_ptr<EwuComputex> cx);
  ~ElementWiseUnaryOutplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const final;

 private:
  std::unique_ptr<EwuComputex> cx_;
};

/// The computation of a binary operator, and which inputs it may overwrite. For Poplar's or snap's
/// tensors, like EwuComputex.
class EwbComputex {
 public:
  enum class InplacePolicy { NEVER = 0, LHS, RHS };

  explicit EwbComputex(InplacePolicy policy = InplacePolicy::NEVER) : policy_(policy) {}
  virtual ~EwbComputex();

  /// Returns a new tensor.
  /// \throws error if a class overrides neither this nor the next function
  virtual poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                  const poplar::Tensor& a, const poplar::Tensor& b,
                                  const poplar::DebugNameAndId& dnai,
                                  const std::string& name) const;
  virtual snap::Tensor outplace(snap::program::Sequence& prog, snap::Graph& graph,
                                const snap::Tensor& a, const snap::Tensor& b,
                                const poplar::DebugNameAndId& dnai, const std::string& name) const;
  /// Writes to the input that the policy names, if it can hold the result. Otherwise calls
  /// outplace().
  /// \throws error if a class overrides neither this nor the next function
  virtual poplar::Tensor maybeInplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                      poplar::Tensor& tInOut, poplar::Tensor& tIn,
                                      const poplar::DebugNameAndId& dnai,
                                      const std::string& name) const;
  virtual snap::Tensor maybeInplace(snap::program::Sequence& prog, snap::Graph& graph,
                                    const snap::Tensor& tInOut, const snap::Tensor& tIn,
                                    const poplar::DebugNameAndId& dnai,
                                    const std::string& name) const;
  /// Writes the result of `op` to `tInOut` and returns it. Returns a new tensor if `tInOut`
  /// contains aliases.
  poplar::Tensor mapMaybeInPlace(poplar::Graph& graph, popops::expr::BinaryOpType op,
                                 poplar::Tensor& tInOut, poplar::Tensor& tIn,
                                 poplar::program::Sequence& prog,
                                 const poplar::DebugContext& debugContext,
                                 const poplar::OptionFlags& options = {},
                                 const std::string& name = "") const;
  bool inplaceSupported() const { return policy_ != InplacePolicy::NEVER; }
  /// \throws error if the policy is NEVER
  InIndex getInplaceArgInIndex() const;
  InIndex getOutplaceArgInIndex() const;

 private:
  InplacePolicy policy_;
};

/// Inputs with the shape of the output get its layout. If the class can create an input, it gets
/// the layout of the other input, which must exist first.
class ElementWiseBinaryOpx : public ElementWiseOpx {
 public:
  using ElementWiseOpx::ElementWiseOpx;
  ~ElementWiseBinaryOpx() override;

  InputCreatorType getInputCreatorType(InIndex index) const override;
  std::set<TensorId> mustExistBeforeCreate(InIndex index) const override;
  poplar::Tensor createInput(InIndex index, const poplar::DebugNameAndId& dnai) const override;
  view::RegMap unwindRegion(InIndex in, OutIndex out) const override;
};

/// Lowers an operator by EwbComputex::outplace().
class ElementWiseBinaryOutplaceOpx : public ElementWiseBinaryOpx {
 public:
  ElementWiseBinaryOutplaceOpx(Op* op, Devicex* devicex, std::unique_ptr<EwbComputex> cx);
  ~ElementWiseBinaryOutplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const final;

 private:
  std::unique_ptr<EwbComputex> cx_;
};

/// Lowers an in-place variant by EwbComputex::maybeInplace().
class ElementWiseBinaryInplaceOpx : public ElementWiseBinaryOpx {
 public:
  /// \throws error if `cx` never works in place
  ElementWiseBinaryInplaceOpx(Op* op, Devicex* devicex, std::unique_ptr<EwbComputex> cx);
  ~ElementWiseBinaryInplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const final;

 private:
  std::unique_ptr<EwbComputex> cx_;
};

/// Base of lowerings of comparisons.
class BinaryComparisonOpx : public ElementWiseOpx {
 public:
  using ElementWiseOpx::ElementWiseOpx;
  ~BinaryComparisonOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
