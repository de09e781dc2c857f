// Which operators of a program's graph are computed again for the backward pass.
// After popart/recompute.hpp of PopART 3.
#ifndef popart_recompute_hpp
#define popart_recompute_hpp

#pragma GCC visibility push(default)

namespace popart {

class Graph;
enum class RecomputationType;

/// These set the `settings.recomputeType` of operators; ExplicitRecompute then gives the backward
/// pass copies of those that say Recompute. A model's results are chosen by the compiler, by
/// SessionOptions::autoRecomputation.
namespace recompute {

/// Of the operators that the loss depends on: RecomputeAll as annotateRecomputeAll(); NormOnly the
/// norms, where they may be computed again; Standard all but those whose outputs are live at the
/// points of the forward pass at which these take the least memory, one for each of some sqrt(2 n)
/// stretches of it, each an operator shorter than the one before. Others are checkpoints.
/// \throws error for Pipeline, which the compiler itself does
void autoAnnotate(Graph& graph, RecomputationType type);

/// All operators that the loss depends on, but for those that were annotated before, cannot be computed
/// again, or have no checkpoint between them and the loss: the last are checkpoints, unless the
/// option `explicitRecomputation` is set.
void annotateRecomputeAll(Graph& graph);

}  // namespace recompute
}  // namespace popart

#pragma GCC visibility pop

#endif
