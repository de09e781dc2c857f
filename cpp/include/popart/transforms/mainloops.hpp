// The loops of a step as operators. After popart/transforms/mainloops.hpp of PopART 3.
#ifndef popart_transforms_mainloops_hpp
#define popart_transforms_mainloops_hpp

#include <popart/transforms/transform.hpp>

#include <cstddef>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

class Ir;
class LoopOp;

/// Moves the main graph into a loop over the batches of a step, and what is not in
/// ExecutionContext::AccumulateOuterFragment into a loop over micro-batches inside, each where there
/// is more than one. What concerns weights and optimizer from and to the host stays.
///
/// Variables that operators write become inputs of the loops that these write; what else they read,
/// and no operator of them computes, too. Tensors of the data flow have to be stored by HostStoreOp.
/// For graphs that a program makes: around the compiler's there is the loop of the engine.
class MainLoops : public Transform {
 public:
  ~MainLoops() override;

  static std::size_t id();
  bool apply(Graph& graph) const override;
  std::size_t getId() const override { return id(); }
  std::string getName() const override { return "MainLoops"; }

  static std::string getStepGraphName() { return "stepGraph"; }
  static std::string getAccumulationGraphName() { return "accumulationGraph"; }
  /// Of the loop over micro-batches, else of that over batches; the main graph where there is none.
  static Graph& getInnerLoopSubgraph(Ir& ir);
  static const Graph& getInnerLoopSubgraph(const Ir& ir);
  /// The reverse.
  static Graph& getOuterLoopSubgraph(Ir& ir);
  /// The operator that calls the inner one.
  /// \throws error if there is none
  static LoopOp* getInnerLoopOp(Ir& ir);
};

}  // namespace popart

#pragma GCC visibility pop

#endif
