// Element-wise expressions as kernels.
#ifndef popir_kernels_elementwise_expression_hpp
#define popir_kernels_elementwise_expression_hpp

#include <cstddef>
#include <memory>
#include <tuple>
#include <vector>

#include "kernels/elementwise/program.hpp"
#include "kernels/kernel.hpp"

namespace popir {

/// An element-wise program over operands of one shape. A broadcast operand has stride 0.
///
/// An operand may be read, written or both. The same view may be passed as several operands. Some
/// operands may use a channel block, all of the same size, while others are plain. Results do not
/// depend on layouts, number of threads or instruction set, except for functions of double, which
/// call libm.
///
/// work(): a program of one operator has the vertex class that PopLibs has for this operator. The
/// class is a broadcast one if an operand is a constant, a single element, or a vector along
/// adjacent dimensions. "InPlace" is appended if an operand is both read and written. A program of
/// several operators is a "popops::MapExpr", unless it is an activation that PopLibs has a vertex for:
/// "popnn::NonLinearity1D" or "popnn::NonLinearityGrad1D". The type is that of the first input.
class MapKernel : public Kernel {
 public:
  /// Input k of the program reads operand `inputs[k]`. Output k writes operand `outputs[k]`.
  /// `activation`: what the program computes, for work().
  MapKernel(MapProgram program, std::vector<std::size_t> inputs, std::vector<std::size_t> outputs,
            Activation activation = Activation::None);

  const char* name() const override { return "map"; }
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  void check(const std::vector<OperandInfo>& operands) const override;
  /// Rounds intermediate values as well as the results.
  Rounds rounds(bool writesHalf) const override;
  Work work(const std::vector<Layout>& operands) const override;
  std::vector<std::size_t> tied(const std::vector<Layout>& operands) const override;

  Rows rows(const std::vector<OperandInfo>& operands) const override {
    return {operands[0].shape.size()};
  }
  std::shared_ptr<const ElementWiseForm> elementWise() const override;
  bool mayWorkOutOfPlace() const override { return true; }

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(program_, inputs_, outputs_, activation_); }

 private:
  bool writes(std::size_t operand) const;

  MapProgram program_;
  std::vector<std::size_t> inputs_, outputs_;
  Activation activation_;
};

}  // namespace popir

#endif
