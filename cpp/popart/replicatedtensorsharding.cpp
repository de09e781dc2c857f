// Which tensors are sharded alike over replicas.
#include <popart/graphutils.hpp>
#include <popart/ir.hpp>
#include <popart/op/collectives/collectives.hpp>
#include <popart/op/exchange/exchange.hpp>
#include <popart/op/subgraph.hpp>
#include <popart/replicatedtensorsharding.hpp>

#include <algorithm>
#include <tuple>

namespace popart {
namespace {

using Info = ReplicatedTensorShardingOpInfo;
using Group = ReplicatedTensorShardingGroup;
using TensorSet = std::set<Tensor*, PTensorCmp>;

bool includes(const std::set<int>& all, const std::set<int>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

template <class T>
void list(std::ostream& os, const char* name, const T& ids) {
  os << name << " [";
  const char* between = "";
  for (const auto& id : ids) {
    os << between << id;
    between = " ";
  }
  os << "]";
}

void list(std::ostream& os, const char* name, const std::map<OpId, Info>& ops) {
  os << name << " [";
  const char* between = "";
  for (const auto& op : ops) {
    os << between << op.second;
    between = ", ";
  }
  os << "]";
}

/// Finds one group.
class Trace {
 public:
  Trace(const Ir& ir, const TensorSet& start) : found_(start) {
    for (const Tensor* tensor : start) {
      if (tensor->info.metaShape().empty()) continue;
      same(group_.shape, tensor->info.shape(), *tensor);
      same(group_.metaShape, tensor->info.metaShape(), *tensor);
    }
    for (Op* op : ir.getAllOps())
      if (auto* exchange = dynamic_cast<ExchangeBaseOp*>(op)) remember(*exchange);
  }

  Group run() {
    // A remote buffer leads to tensors that no operator connects: from these, too.
    for (std::size_t known = 0; known != found_.size();) {
      known = found_.size();
      graphutils::traverse(
          {found_.begin(), found_.end()}, [this](Tensor* tensor) { return visit(*tensor); },
          [](Op* op, Tensor* from, Tensor* to) { return leads(*op, *from, *to); },
          graphutils::TraversalType::DepthFirst, graphutils::VisitType::Pre,
          graphutils::TraversalDirection::ForwardBackward, graphutils::TraverseCallSites::All);
    }
    return group_;
  }

 private:
  void same(nonstd::optional<Shape>& shape, const Shape& given, const Tensor& tensor) {
    if (shape.has_value() && *shape != given)
      throw internal_error(
          "ReplicatedTensorShardingTracer::trace: '{}' is {} of {}; another of the tensors is not",
          tensor.id, tensor.info, tensor.info.metaShape());
    shape = given;
  }

  void remember(ExchangeBaseOp& op) {
    for (int i = 0; i < op.getNumExchanges(); ++i) {
      const ExchangeDescriptor each = op.getExchangeDescriptor(i);
      if (!each.isRemoteExchange() || each.getRemoteBufferId() < 0) continue;
      TensorSet& tensors = buffers_[each.getRemoteBufferId()];
      for (const InIndex in : op.descriptorIndexToInIndices(i)) tensors.insert(op.inTensor(in));
      for (const OutIndex out : op.descriptorIndexToOutIndices(i))
        tensors.insert(op.outTensor(out));
    }
  }

  bool isShard(const Tensor& tensor) const {
    return group_.shape.has_value() && tensor.info.shape() == *group_.shape &&
           tensor.info.metaShape() == *group_.metaShape;
  }

  bool visit(Tensor& tensor) {
    const bool sharded = isShard(tensor);
    if (sharded) {
      group_.shardedTensorIds.insert(tensor.id);
      for (const auto& buffer : buffers_)
        if (buffer.second.count(&tensor) != 0)
          for (Tensor* other : buffer.second)
            if (isShard(*other)) found_.insert(other);
    }
    for (Op* op : tensor.consumers.getOps()) {
      if (auto* collective = dynamic_cast<CollectivesBaseOp*>(op)) {
        if (!sharded && !collective->isCollectiveLinkedIndexTensor(&tensor)) continue;
        Info& info = add(group_.collectiveOpIds, *op);
        if (sharded) addIndices(info.inIndices, op->input->indices(&tensor));
        addLinked(*collective, tensor);
      } else if (sharded && dynamic_cast<ExchangeBaseOp*>(op) != nullptr) {
        addIndices(add(group_.exchangeOpIds, *op).inIndices, op->input->indices(&tensor));
      }
    }
    Op* producer = sharded ? tensor.getProducerUnsafe() : nullptr;
    if (auto* collective = dynamic_cast<CollectivesBaseOp*>(producer)) {
      addIndices(add(group_.collectiveOpIds, *producer).outIndices,
                 producer->output->indices(&tensor));
      addLinked(*collective, tensor);
    } else if (dynamic_cast<ExchangeBaseOp*>(producer) != nullptr) {
      addIndices(add(group_.exchangeOpIds, *producer).outIndices,
                 producer->output->indices(&tensor));
    }
    return true;
  }

  static Info& add(std::map<OpId, Info>& ops, const Op& op) {
    Info& info = ops[op.id];
    info.id = op.id;
    return info;
  }

  static void addIndices(std::set<int>& to, const std::vector<int>& indices) {
    to.insert(indices.begin(), indices.end());
  }

  void addLinked(CollectivesBaseOp& op, Tensor& tensor) {
    if (!op.hasCorrespondingLinkedIndexTensor(&tensor)) return;
    Tensor* link = op.getCorrespondingLinkedIndexTensor(&tensor);
    group_.collectiveLinkedTensorIds.insert(link->id);
    for (const Tensor* root : graphutils::rootTensors(link))
      group_.collectiveLinkedTensorIds.insert(root->id);
  }

  /// Whether the tensors are of one group of the operator's indices, or one is the linked tensor of
  /// the other.
  static bool leads(Op& op, Tensor& from, Tensor& to) {
    if (op.isConvertibleTo<SubgraphOp>()) return true;
    auto* collective = dynamic_cast<CollectivesBaseOp*>(&op);
    const auto links = [&](Tensor& shard, const Tensor& other) {
      return collective != nullptr && collective->hasCorrespondingLinkedIndexTensor(&shard) &&
             collective->getCorrespondingLinkedIndexTensor(&shard)->id == other.id;
    };
    for (const auto& indices : op.getReplicatedTensorShardingIndices()) {
      const bool hasFrom = contains(op, indices, from), hasTo = contains(op, indices, to);
      if ((hasFrom && hasTo) || (hasTo && links(to, from)) || (hasFrom && links(from, to)))
        return true;
    }
    return false;
  }

  static bool contains(const Op& op, const std::pair<std::set<int>, std::set<int>>& indices,
                       Tensor& tensor) {
    const auto any = [](const std::set<int>& known, const std::vector<int>& some) {
      return std::any_of(some.begin(), some.end(), [&](int i) { return known.count(i) != 0; });
    };
    return (op.input->contains(&tensor) && any(indices.first, op.input->indices(&tensor))) ||
           (op.output->contains(&tensor) && any(indices.second, op.output->indices(&tensor)));
  }

  Group group_;
  TensorSet found_;
  std::map<RemoteBufferId, TensorSet> buffers_;
};

}  // namespace

bool Info::operator<(const Info& rhs) const {
  return std::tie(id, inIndices, outIndices) < std::tie(rhs.id, rhs.inIndices, rhs.outIndices);
}

std::ostream& operator<<(std::ostream& os, const Info& info) {
  os << "operator " << info.id << " ";
  list(os, "inputs", info.inIndices);
  list(os, " outputs", info.outIndices);
  return os;
}

std::ostream& operator<<(std::ostream& os, const Group& group) {
  os << "group " << group.id;
  if (group.shape.has_value()) os << " of " << *group.shape << " of " << *group.metaShape;
  list(os, ": sharded", group.shardedTensorIds);
  list(os, ", linked", group.collectiveLinkedTensorIds);
  list(os, ", remote", group.remoteTensorIds);
  list(os, ", collectives", group.collectiveOpIds);
  list(os, ", exchanges", group.exchangeOpIds);
  return os;
}

void ReplicatedTensorShardingTracer::trace(const std::set<Tensor*, PTensorCmp>& startTensors) {
  std::set<std::size_t> groups;
  std::size_t known = 0;
  for (const Tensor* tensor : startTensors) {
    const auto found = tensors_.find(tensor->id);
    if (found == tensors_.end()) continue;
    groups.insert(found->second);
    ++known;
  }
  if (groups.size() > 1 || (known != 0 && known != startTensors.size()))
    throw internal_error(
        "ReplicatedTensorShardingTracer::trace: of {} tensors {} have a group, and they have {}; "
        "trace tensors of one group",
        startTensors.size(), known, groups.size());
  if (known != 0) return;
  Group group = Trace(ir_, startTensors).run();
  const std::size_t number = groups_.size();
  group.id = static_cast<ReplicatedTensorShardingGroupId>(number);
  for (const auto* ids :
       {&group.shardedTensorIds, &group.collectiveLinkedTensorIds, &group.remoteTensorIds})
    for (const TensorId& id : *ids) tensors_[id] = number;
  groups_.push_back(std::move(group));
}

const Group* ReplicatedTensorShardingTracer::find(const Info& opInfo) const {
  for (const Group& group : groups_)
    for (const auto* ops : {&group.collectiveOpIds, &group.exchangeOpIds}) {
      const auto found = ops->find(opInfo.id);
      if (found != ops->end() && includes(found->second.inIndices, opInfo.inIndices) &&
          includes(found->second.outIndices, opInfo.outIndices))
        return &group;
    }
  return nullptr;
}

bool ReplicatedTensorShardingTracer::hasGroup(const Info& opInfo) const {
  return find(opInfo) != nullptr;
}

const Group& ReplicatedTensorShardingTracer::getGroup(const Info& opInfo) const {
  if (const Group* group = find(opInfo)) return *group;
  throw error("ReplicatedTensorShardingTracer: no group has this: {}", opInfo);
}

const Group& ReplicatedTensorShardingTracer::getGroup(const TensorId& tensorId) const {
  const auto found = tensors_.find(tensorId);
  if (found == tensors_.end())
    throw error("ReplicatedTensorShardingTracer: no group has the tensor '{}'", tensorId);
  return groups_[found->second];
}

}  // namespace popart
