// Removal of what nothing needs. After popart/transforms/prune.hpp of PopART 3.
#ifndef popart_transforms_prune_hpp
#define popart_transforms_prune_hpp

#include <popart/op.hpp>
#include <popart/tensor.hpp>
#include <popart/transforms/transform.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

using OpSet = std::set<Op*, POpCmp>;

/// Finds the operators of a graph that neither compute a tensor of the front nor change one, and
/// those required neither.
class PruneHelper {
 public:
  explicit PruneHelper(Graph* graph) : graph_(graph) {}

  void setFront(std::vector<Tensor*> tensors) { front_ = std::move(tensors); }
  void setRequired(OpSet required) { required_ = std::move(required); }
  void analyze();
  const std::vector<Op*>& getOpsToDelete() const { return ops_; }
  /// The outputs of these, and inputs of the graph that others alone read.
  const std::vector<Tensor*>& getTensorsToDelete() const { return tensors_; }
  void deleteOps(const std::vector<Op*>& ops) const;
  void deleteTensors(const std::vector<Tensor*>& tensors) const;

 private:
  Graph* graph_;
  std::vector<Tensor*> front_, tensors_;
  std::vector<Op*> ops_;
  OpSet required_;
};

/// Removes the operators of a graph that nothing needs: what is not a tensor of the data flow or an
/// output of the graph, nor computes one, changes no variable nor input, has no side effect and may
/// be removed (`Op::pruneable`). The compiler removes such operators itself.
class Prune : public Transform {
 public:
  ~Prune() override;

  static std::size_t id();
  bool apply(Graph& graph) const override;
  std::size_t getId() const override { return id(); }
  std::string getName() const override { return "Prune"; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
