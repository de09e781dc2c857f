// Sums as chains of additions. After popart/transforms/decomposesum.hpp of PopART 3.
#ifndef popart_transforms_decomposesum_hpp
#define popart_transforms_decomposesum_hpp

#include <popart/op.hpp>
#include <popart/transforms/transform.hpp>

#include <cstddef>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Makes additions of two tensors each of a sum of three or more, in the order of its inputs, for
/// graphs of a program: the first addends may be gone before the last ones are there.
class DecomposeSum : public Transform {
 public:
  ~DecomposeSum() override;

  static std::size_t id();
  bool apply(Graph& graph) const override;
  std::size_t getId() const override { return id(); }
  std::string getName() const override { return "DecomposeSum"; }

 private:
  /// The sums that apply() takes apart.
  virtual std::vector<Op*> getDecomposableSumOps(const Graph& graph) const;
  /// Called for each addition, when it is connected.
  virtual void applyAddOpAttributes(Op*) const {}
};

}  // namespace popart

#pragma GCC visibility pop

#endif
