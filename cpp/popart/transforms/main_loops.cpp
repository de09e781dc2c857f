// The loops of a step as operators.
#include <popart/aliasesmap.hpp>
#include <popart/ir.hpp>
#include <popart/op/init.hpp>
#include <popart/op/ipucopy.hpp>
#include <popart/op/loop.hpp>
#include <popart/operators.hpp>
#include <popart/tensornames.hpp>
#include <popart/topocons.hpp>
#include <popart/transforms/mainloops.hpp>

#include <algorithm>
#include <typeinfo>

namespace popart {
namespace {

const bool registeredLoops = Transform::registerTransform(new MainLoops());

/// Moves operators of a graph into a new one, which a loop calls in their place.
class Move {
 public:
  Move(Graph& from, const std::string& name, int trips, const std::vector<Op*>& ops)
      : from_(from), to_(from.getIr().createGraph(GraphId(name))), ops_(ops), aliases_(from) {
    moved_.insert(ops.begin(), ops.end());
    loop_ = from.createOp<LoopOp>(Onnx::Operators::Loop_11, Op::Settings(from, name), to_);
    loop_->setTripCountValue(trips);
    to_.addInput(addScope(to_, reservedLoopIteratorPrefix()), TensorInfo(DataType::INT32, {}));
    const TensorId goesOn = addScope(to_, reservedLoopCondPrefix());
    to_.addInput(goesOn, TensorInfo(DataType::BOOL, {}));
    to_.markAsOutput(goesOn);
  }

  void run() {
    sort();
    for (const auto& [result, start] : results_) carry(result, start);
    for (Tensor* tensor : read_)
      if (ids_.count(tensor->id) == 0) give(tensor);
    for (Op* op : ops_) copy(*op);
    keepConstraints();
    remove();
    OutIndex out = 0;
    for (const auto& [result, start] : results_)
      loop_->addLoopOutput(out++, result->id, ids_.at(result->id), false);
    alias();
    loop_->setup();
  }

 private:
  /// What the operators read of others, and what others read of them, with the tensor that it lies
  /// in if there is one.
  void sort() {
    std::set<Tensor*> known, carried;
    const Ir& ir = from_.getIr();
    for (Op* op : ops_)
      for (const auto& in : op->input->tensorMap())
        if (moved_.count(in.second->getProducerUnsafe()) == 0 && known.insert(in.second).second)
          read_.push_back(in.second);
    for (Op* op : ops_)
      for (const auto& out : op->output->tensorMap()) {
        const auto readers = out.second->consumers.getOps();
        const bool isRead = std::any_of(readers.begin(), readers.end(),
                                        [&](Op* reader) { return moved_.count(reader) == 0; });
        if (!isRead && !ir.isAnchored(out.second->id)) continue;
        Tensor* start = nullptr;
        for (Tensor* tensor : read_)
          if (isModified(tensor) && liesIn(out.second, tensor) && carried.insert(tensor).second) {
            start = tensor;
            break;
          }
        results_.push_back({out.second, start});
      }
  }

  /// Whether a moved operator writes the tensor, or what shows it.
  bool isModified(Tensor* tensor) {
    for (const auto& each : aliases_.getAliases(from_).aliasChainsFrom(tensor))
      for (Op* reader : each.first->consumers.getOps())
        if (moved_.count(reader) != 0 && reader->modifiesTensor(each.first)) return true;
    return false;
  }

  bool liesIn(Tensor* result, Tensor* start) {
    if (result->info.shape() != start->info.shape()) return false;
    const view::Chains chains = aliases_.getAliases(from_).getChainsFromTo(start, result);
    const view::Region full = view::Region::getFull(start->info.shape());
    return !chains.isEmpty() && chains.apply(full) == view::Regions{full};
  }

  /// Adds an input for what an iteration passes on to the next.
  void carry(Tensor* result, Tensor* start) {
    if (start != nullptr) {
      give(start);
      return;
    }
    // Only the last iteration's value is needed.
    const TensorId empty = from_.getIr().createIntermediateTensorId(result->id);
    from_.createConnectedOp<InitOp>({}, {{0, empty}}, Onnx::CustomOperators::Init_1, result->info,
                                    TensorType::ActGrad, InitType::Zero, Op::Settings(from_, ""));
    loop_->addLoopInput(next_++, empty, addScope(to_, empty), false);
  }

  void give(Tensor* tensor) {
    const TensorId inside = addScope(to_, tensor->id);
    const InIndex in = next_++;
    loop_->addLoopInput(in, tensor->id, inside, false);
    ids_[tensor->id] = inside;
    if (isModified(tensor)) loop_->addModified(in, {view::Region::getFull(tensor->info.shape())});
  }

  void copy(Op& op) {
    const auto* ipuCopy = dynamic_cast<const IpuCopyOp*>(&op);
    std::unique_ptr<Op> made =
        ipuCopy == nullptr
            ? op.clone()
            : std::make_unique<IpuCopyOp>(op.opid, ipuCopy->getDestIpu(), op.settings);
    made->settings.graph = to_;
    made->setScope(to_.getScope());
    Op* copy = to_.getOp(to_.moveIntoGraph(std::move(made)));
    copies_[&op] = copy;
    copy->toLoss = op.toLoss;
    copy->fromLoss = op.fromLoss;
    copy->scheduledPreLoss = op.scheduledPreLoss;
    for (const auto& in : op.input->tensorIdMap())
      if (ipuCopy != nullptr)
        copy->connectInTensor(in.first, ids_.at(in.second), ipuCopy->getSourceIpu(in.second));
      else
        copy->connectInTensor(in.first, ids_.at(in.second));
    for (const auto& out : op.output->tensorIdMap())
      copy->createAndConnectOutTensor(out.first, ids_[out.second] = addScope(to_, out.second));
    copy->setup();
  }

  void keepConstraints() {
    for (Op* op : ops_) {
      for (Op* after : from_.topoCons->getAfters(op))
        if (moved_.count(after) != 0)
          to_.topoCons->insert(copies_.at(op), copies_.at(after));
        else
          from_.topoCons->insert(loop_, after);
      for (Op* before : from_.topoCons->getBefores(op))
        if (moved_.count(before) == 0) from_.topoCons->insert(before, loop_);
      from_.topoCons->remove(op);
    }
  }

  void remove() {
    std::set<Tensor*> kept;
    for (const auto& each : results_) kept.insert(each.first);
    for (Op* op : ops_) op->disconnectAllInputs();
    for (Op* op : ops_) {
      const auto outputs = op->output->tensorMap();
      op->disconnectAllOutputs();
      for (const auto& out : outputs)
        if (kept.count(out.second) == 0) from_.getTensors().remove(out.second->id);
      from_.eraseOp(op->id);
    }
  }

  /// Says what the outputs lie in.
  void alias() {
    AliasesMap inside(to_);
    Aliases& aliases = inside.getAliases(to_);
    OutIndex out = 0;
    for (const auto& [result, start] : results_) {
      if (start != nullptr) {
        Tensor* a = to_.getTensor(ids_.at(start->id));
        Tensor* b = to_.getTensor(ids_.at(result->id));
        loop_->addAlias(loop_->inIndex(start), out, aliases.getChainsFromTo(a, b),
                        aliases.getChainsFromTo(b, a));
      }
      ++out;
    }
  }

  Graph& from_;
  Graph& to_;
  std::vector<Op*> ops_;
  AliasesMap aliases_;
  std::set<Op*> moved_;
  std::vector<Tensor*> read_;
  std::vector<std::pair<Tensor*, Tensor*>> results_;
  std::map<TensorId, TensorId> ids_;
  std::map<const Op*, Op*> copies_;
  LoopOp* loop_ = nullptr;
  InIndex next_ = LoopOp::getFirstInputInIndex();
};

bool isInStep(const Op& op) {
  const ExecutionContext context = op.settings.executionContext;
  return context != ExecutionContext::WeightsFromHostFragment &&
         context != ExecutionContext::WeightsToHostFragment &&
         context != ExecutionContext::OptimizerFromHostFragment;
}

bool isInBatch(const Op& op) {
  return isInStep(op) && op.settings.executionContext != ExecutionContext::AccumulateOuterFragment;
}

void move(Graph& graph, const std::string& name, int64_t trips, bool (*isMoved)(const Op&)) {
  if (trips <= 1) return;
  std::vector<Op*> ops;
  for (Op* op : graph.getOpSchedule({}, RequireOptimalSchedule::No))
    if (isMoved(*op)) ops.push_back(op);
  Move(graph, name, static_cast<int>(trips), ops).run();
}

Graph& loopGraph(const Ir& ir, const std::string& first, const std::string& second) {
  for (const std::string& name : {first, second})
    if (ir.hasGraph(GraphId(name))) return ir.getGraph(GraphId(name));
  return ir.getGraph(GraphId::root());
}

}  // namespace

MainLoops::~MainLoops() = default;
std::size_t MainLoops::id() { return typeid(MainLoops).hash_code(); }

bool MainLoops::apply(Graph& graph) const {
  const Ir& ir = graph.getIr();
  const SessionOptions& options = ir.getSessionOptions();
  for (const auto& [anchor, latest] : ir.getAnchorRemap().leftMap())
    if (!graph.getTensors().contains(latest))
      throw error(
          "[MainLoops] The latest remap \"{}\" for anchor \"{}\" is not in the main graph. Its "
          "operators become a loop that gives the host what it anchors: remap the anchor to a "
          "tensor of the main graph",
          latest, anchor);
  const int64_t batches = ir.getDataFlow().batchesPerStep();
  const int64_t micro = options.enableGradientAccumulation ? options.accumulationFactor : 1;
  move(graph, getAccumulationGraphName(), micro, isInBatch);
  move(graph, getStepGraphName(), batches, isInStep);
  return batches > 1 || micro > 1;
}

Graph& MainLoops::getInnerLoopSubgraph(Ir& ir) {
  return loopGraph(ir, getAccumulationGraphName(), getStepGraphName());
}
const Graph& MainLoops::getInnerLoopSubgraph(const Ir& ir) {
  return loopGraph(ir, getAccumulationGraphName(), getStepGraphName());
}
Graph& MainLoops::getOuterLoopSubgraph(Ir& ir) {
  return loopGraph(ir, getStepGraphName(), getAccumulationGraphName());
}

LoopOp* MainLoops::getInnerLoopOp(Ir& ir) {
  const std::vector<Op*> callers = getInnerLoopSubgraph(ir).getCallSiteOps();
  if (callers.empty()) throw error("MainLoops::getInnerLoopOp: there is no loop");
  return dynamic_cast<LoopOp*>(callers.front());
}

}  // namespace popart
