// Element-wise expressions as kernels.
#ifndef popir_kernels_expression_hpp
#define popir_kernels_expression_hpp

#include <cstddef>
#include <memory>
#include <tuple>
#include <vector>

#include "kernels/expression/program.hpp"
#include "kernels/kernel.hpp"

namespace popir {

/// An element-wise program over operands of one shape (where one is broadcast, its strides are 0).
///
/// An operand may be read, written or both; the same view may also be given as several operands.
/// Some may lie in a block of channels, of one size, and others plainly.
/// Results are the same for every layout, number of threads and instruction set, but for functions
/// of double, which are libm's.
///
/// work(): one operator makes the vertex class that PopLibs has for it; "InPlace" is appended where
/// an operand is both read and written. n is the number of elements of an output, `op` the row of
/// the operator in ExprOp.hpp, counted over unary, binary and ternary rows (a VecOp). The type is
/// that of the first input.
///   popops::UnaryOp1D             n, op
///   popops::BinaryOp1D            n, op
///   popops::BroadcastScalar1D     n, op          one operand is a constant or one element
///   popops::BroadcastVectorInner  n, op, columns  one is a vector along the last dimensions, whose
///                                 elements are the columns
///   popops::BroadcastVectorOuter  n, op, columns  ... or is repeated along them
///   popops::Select popops::Clamp  n, number of operands that are one element
///   popops::Cast1D                n, kind of the source's Type, kind of the result's
///   popops::MapExpr               n, inputs of n elements, outputs, other inputs, and for each
///                                 operator in turn: op, how often (Cast is VecOp::Convert)
class MapKernel : public Kernel {
 public:
  /// Input k of the program is read from operand `inputs[k]`, output k written to `outputs[k]`.
  MapKernel(MapProgram program, std::vector<std::size_t> inputs, std::vector<std::size_t> outputs);

  const char* name() const override { return "map"; }
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  void check(const std::vector<OperandInfo>& operands) const override;
  /// Also what lies between its inputs and its results is rounded.
  Rounds rounds(bool writesHalf) const override;
  Work work(const std::vector<Layout>& operands) const override;
  std::vector<std::size_t> tied(const std::vector<Layout>& operands) const override;

  const MapProgram& program() const { return program_; }
  const std::vector<std::size_t>& inputs() const { return inputs_; }
  const std::vector<std::size_t>& outputs() const { return outputs_; }

  /// What it is made of, in the order of its constructor; for saved programs.
  auto state() const { return std::tie(program_, inputs_, outputs_); }

 private:
  bool writes(std::size_t operand) const;

  MapProgram program_;
  std::vector<std::size_t> inputs_, outputs_;
};

}  // namespace popir

#endif
