// The stages and cycles of a pipeline. After popart/transforms/pipeline.hpp of PopART 3.
#ifndef popart_transforms_pipeline_hpp
#define popart_transforms_pipeline_hpp

#include <popart/graph.hpp>
#include <popart/names.hpp>
#include <popart/transforms/mainloops.hpp>
#include <popart/transforms/transform.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

class Ir;
class Op;

/// In which cycles a pipeline runs its stages. First it fills: each cycle starts one more of the
/// stages that are on IPUs of their own. Then all run, and last it is flushed. The last cycle of a
/// phase is its `end`.
class PipelineInfo {
 public:
  PipelineInfo() = default;
  /// `withStage` has the stage with which each one runs, itself or an earlier one. With gradient
  /// accumulation it is filled and flushed for `gradAcclFactor` micro-batches, else for
  /// `batchesPerStep`.
  /// \throws internal_error if they are fewer than the stages that run one after another
  PipelineInfo(int64_t batchesPerStep, int64_t gradAcclFactor, int64_t numPipelineStages,
               bool doGradAccl, std::map<PipelineStage, PipelineStage> withStage);

  struct PipelinePhase {
    PipelineCycle start = 0, end = 0;
  };

  int64_t numStages = 0;
  bool doGradAccl = false;
  PipelinePhase fillPhase;
  PipelinePhase mainPhase;
  PipelinePhase flushPhase;
  std::map<PipelineStage, PipelineStage> withStage;

  /// How many of the stages from `start` to before `end` run one after another.
  int numIndependentStages(PipelineStage start, PipelineStage end) const;
  /// Whether a stage runs in a cycle.
  bool doStage(PipelineCycle pCycle, PipelineStage pStage) const;
  PipelineStage executeWithStage(PipelineStage pStage) const;
  PipelineCycle getMainCycles() const { return mainPhase.end - mainPhase.start + 1; }
};

/// What operators of a graph say of the pipeline that they are in. The compiler makes pipelines of
/// the models of sessions (SessionOptions::enablePipelining), with stashes where a stage needs what an
/// earlier cycle has computed; it makes none of a graph that a program has made.
class Pipeline : public Transform {
 public:
  static std::size_t id();

  Pipeline() = default;
  ~Pipeline() override;
  /// \throws error always, as the others that would make a pipeline of the graph
  bool apply(Graph& graph) const override;
  bool addDynamicStashAndRestoreOps(Graph& graph) const;
  bool contiguateIpuCopies(Graph& graph) const;
  std::size_t getId() const override { return id(); }
  std::string getName() const override { return "Pipeline"; }

  /// Whether all that a stage needs is computed again, and whether nothing is.
  static bool checkIsFullRecompute(Graph& graph);
  static bool checkIsFullCheckpoint(Graph& graph);
  /// Whether the operator is a RestoreInplaceOp for what is computed again.
  static bool inplaceRestoreRequiredForRecompute(Op* op);
  /// Whether an output must not show the input: what is computed again would overwrite what is
  /// copied to another IPU at the end of the cycle.
  static bool inplaceRecomputationConflict(Op* op, InIndex in, OutIndex out);
  /// In the stage that the loss is in, operators behind the last checkpoints become checkpoints, too:
  /// their results are needed at once.
  /// \throws internal_error if two stages have operators before the loss and behind it, and if there
  /// is no checkpoint
  static void setFinalFwdStageRecomputation(Graph& graph);
  /// Gives operators the IPU as their stage if none has one; copies to other IPUs the stage of what
  /// they copy. These run behind the others of their stage.
  /// \throws error for a stage below 0
  static void checkOpsPipelineStage(Graph& graph);
  /// With which stage each one runs: with the one before if both are on one IPU.
  static std::map<PipelineStage, PipelineStage> withStages(const Ir& ir);
  /// The places of a stash from which the stage `maxRestoreStage` is the last one to read.
  int getStashSize(const Ir& ir, PipelineStage stashStage, PipelineStage maxRestoreStage) const;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
