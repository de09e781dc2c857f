// popart/popx/op/elementwisex.hpp: lowerings of operators that work element by element.
#ifndef popart_popx_op_elementwisex_hpp
#define popart_popx_op_elementwisex_hpp

#include <popart/popx/opx.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// What a unary operator computes: a class says it once, in place, and both lowerings use it.
class EwuComputex {
 public:
  EwuComputex() = default;
  virtual ~EwuComputex();

  /// Writes `tensor`. `name` is the output's id.
  virtual void inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                       const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                       const std::string& name) const = 0;
  /// A new tensor; by default a copy, written in place.
  virtual poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                  const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                                  const std::string& name) const;
  /// Of a tensor of any shape, one of the shape that the computation needs; by default itself.
  virtual poplar::Tensor reshape(poplar::program::Sequence& prog, poplar::Graph& graph,
                                 const poplar::Tensor& tensor,
                                 const poplar::DebugNameAndId& dnai) const;

  poplar::Tensor cloneNcopy(poplar::program::Sequence& prog, poplar::Graph& graph,
                            const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai) const;
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

/// What a binary operator computes, and which of its inputs it can write.
class EwbComputex {
 public:
  enum class InplacePolicy { NEVER = 0, LHS, RHS };

  explicit EwbComputex(InplacePolicy policy = InplacePolicy::NEVER) : policy_(policy) {}
  virtual ~EwbComputex();

  virtual poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                  const poplar::Tensor& a, const poplar::Tensor& b,
                                  const poplar::DebugNameAndId& dnai,
                                  const std::string& name) const = 0;
  /// Writes the tensor that the policy names, where that can hold the result; else as outplace.
  virtual poplar::Tensor maybeInplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                      const poplar::Tensor& tInOut, const poplar::Tensor& tIn,
                                      const poplar::DebugNameAndId& dnai,
                                      const std::string& name) const = 0;
  bool inplaceSupported() const { return policy_ != InplacePolicy::NEVER; }
  /// \throws error where the policy is NEVER.
  InIndex getInplaceArgInIndex() const;
  InIndex getOutplaceArgInIndex() const;

 private:
  InplacePolicy policy_;
};

/// Layouts go through to inputs of the output's shape.
class ElementWiseBinaryOpx : public Opx {
 public:
  using Opx::Opx;
  ~ElementWiseBinaryOpx() override;

  InputCreatorType getInputCreatorType(InIndex index) const override;
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
