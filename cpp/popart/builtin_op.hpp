// Operators that are not written in C++, as C++ code sees them.
#ifndef popir_popart_builtin_op_hpp
#define popir_popart_builtin_op_hpp

#include <popart/op.hpp>

#include <memory>
#include <vector>

namespace popir {

/// Gives patterns and other operators access to its identity and connections. Its virtual functions
/// call the compiler.
class __attribute__((visibility("default"))) BuiltinOp final : public popart::Op {
 public:
  using popart::Op::Op;
  ~BuiltinOp() override;

  void setup() override;
  std::unique_ptr<popart::Op> clone() const override;
  float getSubgraphValue() const override;
  std::vector<const popart::Graph*> getCalledGraphs() const override;
  bool isLossOp() const override;
  bool isNorm() const override;
  popart::view::Regions modifies(popart::InIndex index) const override;
  popart::view::Regions aliases(popart::InIndex in, popart::OutIndex out) const override;
};

}  // namespace popir

#endif
