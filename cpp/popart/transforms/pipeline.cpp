// The stages and cycles of a pipeline.
#include <popart/ir.hpp>
#include <popart/op/ipucopy.hpp>
#include <popart/op/restore.hpp>
#include <popart/topocons.hpp>
#include <popart/transforms/mainloops.hpp>
#include <popart/transforms/pipeline.hpp>

#include <algorithm>
#include <set>
#include <typeinfo>
#include <vector>

namespace popart {
namespace {

const bool registeredPipeline = Transform::registerTransform(new Pipeline);

[[noreturn]] void refuse(const char* who) {
  throw error(
      "Pipeline::{}: popir makes no pipeline of a graph that a program has made. Give a session "
      "the model with SessionOptions::enablePipelining, or set the pipeline's order by operators "
      "and constraints of your own",
      who);
}

bool isNormal(const Op& op) { return op.settings.executionContext == ExecutionContext::Normal; }

/// The operators of the forward pass in one stage; a copy to another IPU belongs to those of what it
/// copies.
std::vector<Op*> forwardOps(Graph& graph, PipelineStage stage) {
  std::vector<Op*> ops;
  for (Op* op : graph.getOpSchedule({}, RequireOptimalSchedule::No)) {
    if (op->scheduledPreLoss != ScheduledPreLoss::Yes || !isNormal(*op)) continue;
    bool isThere = !op->isConvertibleTo<IpuCopyOp>() && op->getPipelineStage() == stage;
    if (op->isConvertibleTo<IpuCopyOp>())
      for (const auto& out : op->output->tensorMap())
        isThere = isThere || out.second->getPipelineStages().count(stage) != 0;
    if (isThere) ops.push_back(op);
  }
  return ops;
}

/// Whether the tensor, one that it shows or one that shows it is so.
template <class Is>
bool anyAlias(Tensor* tensor, const Is& is) {
  return tensor->anyAlias([&](Tensor* each) { return is(*each); });
}

bool isCopied(const Tensor& tensor) {
  const std::vector<Op*> readers = tensor.consumers.getOps();
  return std::any_of(readers.begin(), readers.end(),
                     [](const Op* reader) { return reader->isIpuCopyOp(); });
}

}  // namespace

PipelineInfo::PipelineInfo(int64_t batchesPerStep, int64_t gradAcclFactor,
                           int64_t numPipelineStages, bool doGradAccl_,
                           std::map<PipelineStage, PipelineStage> withStage_)
    : numStages(numPipelineStages), doGradAccl(doGradAccl_), withStage(std::move(withStage_)) {
  const int64_t before = numIndependentStages(0, numStages) - 1;
  const int64_t microBatches = doGradAccl ? gradAcclFactor : batchesPerStep;
  if (microBatches <= before)
    throw internal_error(
        "A pipeline of {} stages that run one after another needs as many micro-batches at least; "
        "there are {}",
        before + 1, microBatches);
  fillPhase = {0, before - 1};
  mainPhase = {before, microBatches - 1};
  flushPhase = {microBatches, microBatches + before - 1};
}

PipelineStage PipelineInfo::executeWithStage(PipelineStage pStage) const {
  const auto found = withStage.find(pStage);
  return found == withStage.end() ? pStage : found->second;
}

int PipelineInfo::numIndependentStages(PipelineStage start, PipelineStage end) const {
  std::set<PipelineStage> stages;
  for (PipelineStage stage = start; stage < end; ++stage) stages.insert(executeWithStage(stage));
  return static_cast<int>(stages.size());
}

bool PipelineInfo::doStage(PipelineCycle pCycle, PipelineStage pStage) const {
  const PipelineStage first = executeWithStage(pStage);
  return pStage < numStages && pCycle >= first && pCycle < first + flushPhase.start;
}

PipelineInfo Ir::pipelineInfo() const {
  const SessionOptions& options = getSessionOptions();
  if (!options.enablePipelining) return {};
  return PipelineInfo(getDataFlow().batchesPerStep(), options.accumulationFactor,
                      getNumPipelineStages(), options.enableGradientAccumulation,
                      Pipeline::withStages(*this));
}

Pipeline::~Pipeline() = default;
std::size_t Pipeline::id() { return typeid(Pipeline).hash_code(); }
bool Pipeline::apply(Graph&) const { refuse("apply"); }
bool Pipeline::addDynamicStashAndRestoreOps(Graph&) const {
  refuse("addDynamicStashAndRestoreOps");
}
bool Pipeline::contiguateIpuCopies(Graph&) const { refuse("contiguateIpuCopies"); }

bool Pipeline::checkIsFullRecompute(Graph& graph) {
  const Ir& ir = graph.getIr();
  return ir.canTrain() && ir.getSessionOptions().autoRecomputation == RecomputationType::Pipeline;
}

bool Pipeline::checkIsFullCheckpoint(Graph& graph) {
  const Ir& ir = graph.getIr();
  const SessionOptions& options = ir.getSessionOptions();
  return !ir.isTraining() && options.implicitPipeliningEnabled() &&
         options.stashAllTensorsInferencePipeline;
}

bool Pipeline::inplaceRestoreRequiredForRecompute(Op* op) {
  const auto* restore = dynamic_cast<const RestoreInplaceOp*>(op);
  return restore != nullptr && restore->requiredForRecompute;
}

bool Pipeline::inplaceRecomputationConflict(Op* op, InIndex in, OutIndex out) {
  const auto isAgain = [](const Tensor& each) { return each.isImplicitRecomputeTensor(); };
  Tensor* given = op->inTensor(in);
  Tensor* made = op->outTensor(out);
  return (anyAlias(given, isAgain) && anyAlias(made, isCopied)) ||
         (anyAlias(made, isAgain) && anyAlias(given, isCopied));
}

void Pipeline::setFinalFwdStageRecomputation(Graph& graph) {
  std::set<PipelineStage> before, behind;
  for (const OpId id : graph.getOpIds()) {
    const Op* op = graph.getOp(id);
    if (!isNormal(*op)) continue;
    if (op->scheduledPreLoss == ScheduledPreLoss::Yes) before.insert(op->getPipelineStage());
    if (op->scheduledPreLoss == ScheduledPreLoss::No) behind.insert(op->getPipelineStage());
  }
  std::vector<PipelineStage> both;
  std::set_intersection(before.begin(), before.end(), behind.begin(), behind.end(),
                        std::back_inserter(both));
  if (both.empty()) return;
  if (both.size() > 1)
    throw internal_error(
        "Pipeline::setFinalFwdStageRecomputation: the stages {} and {} have operators before the "
        "loss and behind it; only the stage of the loss may have",
        both[0], both[1]);

  const std::vector<Op*> ops = forwardOps(graph, both.front());
  const std::set<Op*> all(ops.begin(), ops.end());
  const auto readers = [&](const Op& op) {
    std::vector<Op*> found;
    for (const auto& out : op.output->tensorMap())
      for (Op* reader : out.second->consumers.getOps())
        if (all.count(reader) != 0) found.push_back(reader);
    return found;
  };
  const auto isCheckpoint = [](const Op& op) {
    return op.settings.recomputeType == RecomputeType::Checkpoint;
  };
  // The last checkpoints are those that lead to no other one.
  std::set<const Op*> leads;
  std::set<Op*> kept;
  for (auto each = ops.rbegin(); each != ops.rend(); ++each) {
    for (const Op* reader : readers(**each))
      if (isCheckpoint(*reader) || leads.count(reader) != 0) leads.insert(*each);
    if (isCheckpoint(**each) && leads.count(*each) == 0) kept.insert(*each);
  }
  if (kept.empty())
    throw internal_error(
        "Pipeline::setFinalFwdStageRecomputation: the stage {} of the loss has no checkpoint",
        both.front());
  for (Op* op : ops) {
    if (kept.count(op) == 0) continue;
    op->settings.recomputeType = RecomputeType::Checkpoint;
    for (Op* reader : readers(*op)) kept.insert(reader);
  }
}

void Pipeline::checkOpsPipelineStage(Graph& graph) {
  std::vector<Op*> ops;
  std::vector<IpuCopyOp*> copies;
  bool hasStages = false;
  for (const OpId id : graph.getOpIds()) {
    Op* op = graph.getOp(id);
    if (auto* copy = dynamic_cast<IpuCopyOp*>(op)) {
      copies.push_back(copy);
      continue;
    }
    ops.push_back(op);
    if (!op->hasPipelineStage()) continue;
    hasStages = true;
    if (op->getPipelineStage() < 0)
      throw error("{} is in stage {} of the pipeline; the first stage is 0", op->debugName(),
                  op->getPipelineStage());
  }
  if (!hasStages)
    for (Op* op : ops) op->setPipelineStage(op->getVirtualGraphId());
  for (IpuCopyOp* copy : copies) {
    if (copy->copiesOptimizerTensors()) continue;
    const Tensor* copied = copy->inTensor(0);
    if (const Op* producer = copied->getProducerUnsafe()) {
      copy->setPipelineStage(producer->getPipelineStage());
    } else if (copied->tensorType() == TensorType::Variable) {
      throw error(
          "{} copies the variable '{}' to another IPU. In a pipeline all stages that read a "
          "variable have to be on its IPU",
          copy->debugName(), copied->id);
    } else {
      copy->setPipelineStage(copied->consumers.findLowestPipelineStage());
    }
    for (Op* op : ops)
      if (isNormal(*op) && op->getOptionalPipelineStage() == copy->getOptionalPipelineStage())
        graph.topoCons->insert(op, copy);
  }
}

std::map<PipelineStage, PipelineStage> Pipeline::withStages(const Ir& ir) {
  const Graph& graph = ir.getSessionOptions().explicitPipeliningEnabled()
                           ? MainLoops::getInnerLoopSubgraph(ir)
                           : ir.getMainGraph();
  std::map<PipelineStage, std::set<VGraphId>> ipus;
  for (const OpId id : graph.getOpIds()) {
    const Op* op = graph.getOp(id);
    const bool runs = isNormal(*op) || op->settings.executionContext == ExecutionContext::Subgraph;
    if (runs && op->hasPipelineStage() && op->hasVirtualGraphId())
      ipus[op->getPipelineStage()].insert(op->getVirtualGraphId());
  }
  std::map<PipelineStage, PipelineStage> with;
  const std::set<VGraphId>* last = nullptr;
  PipelineStage joined = 0, at = 0;
  for (const auto& [stage, its] : ipus) {
    const bool isShared = last != nullptr && std::any_of(its.begin(), its.end(), [&](VGraphId ipu) {
                            return last->count(ipu) != 0;
                          });
    if (isShared)
      ++joined;
    else
      at = stage - joined;
    with[stage] = at;
    last = &its;
  }
  return with;
}

int Pipeline::getStashSize(const Ir& ir, PipelineStage stashStage,
                           PipelineStage maxRestoreStage) const {
  return ir.pipelineInfo().numIndependentStages(stashStage, maxRestoreStage + 1);
}

}  // namespace popart
