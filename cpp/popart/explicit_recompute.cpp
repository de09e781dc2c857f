// Recomputation as operators of the graph.
#include <popart/graphutils.hpp>
#include <popart/ir.hpp>
#include <popart/logging.hpp>
#include <popart/op/identity.hpp>
#include <popart/operators.hpp>
#include <popart/tensor.hpp>
#include <popart/topocons.hpp>
#include <popart/transforms/explicitrecompute.hpp>

#include <algorithm>
#include <optional>
#include <tuple>
#include <typeinfo>

namespace popart {
namespace {

const bool registeredRecompute = Transform::registerTransform(new ExplicitRecompute());

/// Whether an operator is of the forward pass, and its phase and stage where there are any.
struct Place {
  bool isForward;
  int64_t phase, stage;

  auto key() const { return std::tie(isForward, phase, stage); }
  bool operator<(const Place& o) const { return key() < o.key(); }
  bool operator==(const Place& o) const { return key() == o.key(); }
};

class Recomputation {
 public:
  explicit Recomputation(Graph& graph)
      : graph_(graph),
        options_(graph.getIr().getSessionOptions()),
        relations_(graphutils::getOpFinalLossRelations(graph)),
        schedule_(graph.getOpSchedule({}, RequireOptimalSchedule::No)) {
    for (std::size_t i = 0; i < schedule_.size(); ++i) {
      const Op* op = schedule_[i];
      positions_[op] = i;
      if (op->hasPipelineStage() && op->hasVirtualGraphId())
        ipus_[op->getPipelineStage()].insert(op->getVirtualGraphId());
    }
  }

  bool run() {
    std::vector<std::pair<Op*, Op*>> copies;
    // From the end: the readers of an operator, and their copies, are there before its own.
    for (auto each = schedule_.rbegin(); each != schedule_.rend(); ++each) {
      Op* op = *each;
      if (op->settings.recomputeType != RecomputeType::Recompute) continue;
      op->settings.recomputeType = RecomputeType::Checkpoint;
      std::map<Place, Op*> made;
      for (const auto& out : op->output->tensorMap())
        for (Op* reader : out.second->consumers.getOps()) {
          const std::optional<Place> where = target(*op, *reader);
          if (!where) continue;
          Op*& copy = made[*where];
          if (copy == nullptr) copies.push_back({copy = copied(*op, *where), op});
          for (const InIndex in : reader->input->indices(out.second)) {
            reader->disconnectInTensor(in, out.second);
            reader->connectInTensor(in, copy->outId(out.first));
          }
        }
    }
    for (const auto& [copy, op] : copies) keepInputs(*copy, *op);
    return !copies.empty();
  }

 private:
  Place placeOf(const Op& op) const {
    const auto relation = relations_.at(const_cast<Op*>(&op));
    const bool isForward = op.settings.recomputeType != RecomputeType::Recomputed &&
                           (relation == graphutils::OpFinalLossRelation::ToLoss ||
                            relation == graphutils::OpFinalLossRelation::FromToLoss);
    const bool isPhased = options_.executionPhaseSettings.phases > 1 && op.hasExecutionPhase();
    const bool isStaged = options_.enablePipelining && op.hasPipelineStage();
    return {isForward, isPhased ? op.getExecutionPhase() : -1,
            isStaged ? op.getPipelineStage() : -1};
  }

  /// Where what `reader` reads of `op` is computed again, if it is.
  std::optional<Place> target(const Op& op, const Op& reader) const {
    const Place own = placeOf(op);
    Place there = placeOf(reader);
    if (own.stage != -1 && there.stage != -1) {
      const std::set<VGraphId> none;
      const auto ipusOf = [&](int64_t stage) {
        const auto found = ipus_.find(stage);
        return found == ipus_.end() ? none : found->second;
      };
      const std::set<VGraphId> a = ipusOf(own.stage), b = ipusOf(there.stage);
      if (std::none_of(a.begin(), a.end(), [&](VGraphId ipu) { return b.count(ipu) != 0; }))
        return std::nullopt;
    } else if (own.phase != -1 && there.phase != -1) {
      const int64_t back = 2 * options_.executionPhaseSettings.phases - 2 - own.phase;
      if (back > there.phase) return std::nullopt;
      there = {false, back, -1};
    }
    if (there.isForward || there == own) return std::nullopt;
    return there;
  }

  Op* copied(Op& op, const Place& where) {
    Op* copy = graph_.getOp(graph_.moveIntoGraph(op.clone()));
    if (where.phase != -1) copy->setExecutionPhase(where.phase);
    if (where.stage != -1) copy->setPipelineStage(where.stage);
    copy->settings.recomputeType = RecomputeType::Recomputed;
    relations_[copy] = graphutils::OpFinalLossRelation::ToFromLoss;
    for (const auto& in : op.input->tensorMap()) copy->connectInTensor(in.first, in.second->id);
    for (const auto& out : op.output->tensorMap())
      copy->createAndConnectOutTensor(
          out.first, graph_.getIr().createIntermediateTensorId(out.second->id + "_recomputed"));
    copy->setup();
    logging::transform::debug("ExplicitRecompute: {} is computed again by {}", op.debugName(),
                              copy->debugName());
    return copy;
  }

  /// Lets a copy read what its operator has read.
  void keepInputs(Op& copy, Op& op) {
    const std::map<InIndex, Tensor*> inputs = copy.input->tensorMap();
    for (const auto& [index, tensor] : inputs) {
      std::vector<Op*> writers;
      for (Op* reader : tensor->consumers.getOps())
        if (reader != &copy && reader->modifiesTensor(tensor)) writers.push_back(reader);
      if (writers.empty() || waitFor(copy, writers)) continue;
      const auto found = backups_.find({tensor->id, op.id});
      TensorId backup = found == backups_.end() ? TensorId() : found->second;
      if (backup.empty()) {
        backup = graph_.getIr().createIntermediateTensorId(tensor->id);
        Op* kept = graph_.createConnectedOp<IdentityOp>({{IdentityOp::getInIndex(), tensor->id}},
                                                        {{IdentityOp::getOutIndex(), backup}},
                                                        Onnx::Operators::Identity_1, op.settings);
        graph_.topoCons->insert(kept, &op);
        for (Op* writer : writers) {
          if (writer == &op) continue;
          const auto place = positions_.find(writer);  // copies have none: they are behind
          const bool isBefore = place != positions_.end() && place->second < positions_.at(&op);
          graph_.topoCons->insert(isBefore ? writer : kept, isBefore ? kept : writer);
        }
        backups_[{tensor->id, op.id}] = backup;
      }
      copy.disconnectInTensor(index);
      copy.connectInTensor(index, backup);
    }
  }

  /// Makes updates of the backward pass wait for the copy, if they all can.
  bool waitFor(Op& copy, const std::vector<Op*>& writers) {
    for (Op* writer : writers)
      if (relations_.at(writer) != graphutils::OpFinalLossRelation::FromLoss) return false;
    for (Op* writer : writers) graph_.topoCons->insert(&copy, writer);
    if (graph_.isSchedulable({})) return true;
    for (Op* writer : writers) graph_.topoCons->remove(&copy, writer);
    return false;
  }

  Graph& graph_;
  const SessionOptions options_;
  std::map<Op*, graphutils::OpFinalLossRelation, POpCmp> relations_;
  const std::vector<Op*> schedule_;
  std::map<const Op*, std::size_t> positions_;
  std::map<PipelineStage, std::set<VGraphId>> ipus_;
  std::map<std::pair<TensorId, OpId>, TensorId> backups_;
};

}  // namespace

ExplicitRecompute::~ExplicitRecompute() = default;
std::size_t ExplicitRecompute::id() { return typeid(ExplicitRecompute).hash_code(); }

bool ExplicitRecompute::apply(Graph& graph) const { return Recomputation(graph).run(); }

}  // namespace popart
