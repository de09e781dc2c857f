// An alias graph is made of tensors of a Poplar graph that never runs: they know what they share.
#include <popart/alias/aliasgraph.hpp>
#include <popart/error.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/VariableInterval.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace poprithms {
namespace memory {
namespace inplace {
namespace {

using poplar::Tensor;
using Tensors = std::vector<Tensor>;

std::vector<std::size_t> dims(const Shape& shape) {
  std::vector<std::size_t> made;
  for (const int64_t each : shape) {
    if (each < 0) throw popart::error("An alias graph has no dimension of size {}", each);
    made.push_back(static_cast<std::size_t>(each));
  }
  return made;
}

unsigned small(const char* what, uint64_t given) {
  if (given > std::numeric_limits<unsigned>::max())
    throw popart::error("An alias graph has no {} {}", what, given);
  return static_cast<unsigned>(given);
}

Shape shapeOf(const Tensor& tensor) {
  const auto sizes = tensor.shape();
  return Shape(sizes.begin(), sizes.end());
}

Tensor broadcast(Tensor tensor, const Shape& shape) {
  const auto to = dims(shape);
  if (tensor.rank() > to.size())
    throw popart::error("A tensor of shape {} does not broadcast to {}", shapeOf(tensor), shape);
  std::vector<std::size_t> padded(to.size() - tensor.rank(), 1);
  for (const std::size_t each : tensor.shape()) padded.push_back(each);
  const Shape given = shapeOf(tensor);
  tensor = tensor.reshape(padded);
  for (unsigned d = 0; d < to.size(); ++d) {
    if (padded[d] == to[d]) continue;
    if (padded[d] != 1)
      throw popart::error("A tensor of shape {} does not broadcast to {}", given, shape);
    tensor = tensor.broadcast(static_cast<unsigned>(to[d]), d);
  }
  return tensor;
}

Shape broadcastShape(const Tensors& tensors) {
  Shape all;
  for (const Tensor& each : tensors) {
    Shape one = shapeOf(each);
    if (one.size() > all.size()) all.insert(all.begin(), one.size() - all.size(), 1);
    one.insert(one.begin(), all.size() - one.size(), 1);
    for (std::size_t d = 0; d < all.size(); ++d)
      if (all[d] == 1) {
        all[d] = one[d];
      } else if (one[d] != 1 && one[d] != all[d]) {
        throw popart::error("Tensors of shapes {} and {} do not broadcast", all, one);
      }
  }
  return all;
}

/// The elements of a tensor: intervals of variables that neither overlap nor touch, sorted.
std::vector<poplar::VariableInterval> elements(const Tensor& tensor) {
  auto parts = tensor.getVarRegions();
  std::sort(parts.begin(), parts.end());
  std::vector<poplar::VariableInterval> merged;
  for (const auto& part : parts) {
    const auto& at = part.interval;
    if (at.begin() == at.end()) continue;
    if (!merged.empty() && merged.back().var == part.var &&
        at.begin() <= merged.back().interval.end())
      merged.back().interval = {merged.back().interval.begin(),
                                std::max(merged.back().interval.end(), at.end())};
    else
      merged.push_back(part);
  }
  return merged;
}

}  // namespace

struct Graph::Impl {
  using Make = std::function<Tensors(const Tensors&)>;

  struct Node {
    TensorIds inputs;
    Make make;
    Tensors outputs;
    std::vector<std::size_t> written;  // of the outputs
    enum { NoGate, Closed, Open } gate = NoGate;
  };

  Tensor fresh(const Shape& shape) { return graph.addVariable(poplar::CHAR, dims(shape)); }

  Node& at(OpId id) {
    if (id.get() < 0 || static_cast<std::size_t>(id.get()) >= nodes.size())
      throw popart::error("An alias graph of {} operators has none with the id {}", nodes.size(),
                          id.get());
    return nodes[static_cast<std::size_t>(id.get())];
  }
  const Tensor& at(const TensorId& id) {
    const Node& node = at(id.opId());
    if (id.outIndex() >= node.outputs.size())
      throw popart::error("Operator {} of an alias graph has {} outputs, and none at index {}",
                          id.opId().get(), node.outputs.size(), id.outIndex());
    return node.outputs[id.outIndex()];
  }
  Tensors all(const TensorIds& ids) {
    Tensors found;
    for (const TensorId& id : ids) found.push_back(at(id));
    return found;
  }
  OpId add(Node node) {
    const Tensors given = all(node.inputs);
    try {
      node.outputs = node.make(given);
    } catch (const poplar::poplar_error& e) {
      throw popart::error("An alias graph has no such view: {}", e.what());
    }
    nodes.push_back(std::move(node));
    return OpId(static_cast<int64_t>(nodes.size()) - 1);
  }
  TensorId view(const TensorId& id, std::function<Tensor(const Tensor&)> of) {
    Node node;
    node.inputs = {id};
    node.make = [of](const Tensors& given) { return Tensors{of(given[0])}; };
    return {add(std::move(node)), 0};
  }

  poplar::Graph graph;
  std::vector<Node> nodes;
};

Graph::Graph() : impl_(std::make_unique<Impl>()) {}
Graph::~Graph() = default;

TensorId Graph::allocate(const Shape& shape) {
  Impl::Node node;
  node.make = [own = impl_->fresh(shape)](const Tensors&) { return Tensors{own}; };
  return {impl_->add(std::move(node)), 0};
}

TensorId Graph::reshape(const TensorId& id, const Shape& shape) {
  return impl_->view(id, [to = dims(shape)](const Tensor& t) { return t.reshape(to); });
}
TensorId Graph::flatten(const TensorId& id) {
  return impl_->view(id, [](const Tensor& t) { return t.flatten(); });
}
TensorId Graph::squeeze(const TensorId& id) {
  return impl_->view(id, [](const Tensor& t) { return t.squeeze(); });
}
TensorId Graph::expand(const TensorId& id, const Shape& shape) {
  return impl_->view(id, [shape](const Tensor& t) { return broadcast(t, shape); });
}
TensorId Graph::dimShuffle(const TensorId& id, const util::Permutation& permutation) {
  std::vector<unsigned> order;
  for (const uint64_t d : permutation.get()) order.push_back(small("dimension", d));
  return impl_->view(id, [order](const Tensor& t) { return t.dimShuffle(order); });
}
TensorId Graph::reverse(const TensorId& id, const std::vector<uint64_t>& dimensions) {
  return impl_->view(id, [dimensions](Tensor t) {
    for (const uint64_t d : dimensions) t = t.reverse(small("dimension", d));
    return t;
  });
}
TensorId Graph::slice(const TensorId& id, const std::vector<int64_t>& lower,
                      const std::vector<int64_t>& upper) {
  return impl_->view(
      id, [from = dims(lower), to = dims(upper)](const Tensor& t) { return t.slice(from, to); });
}
TensorId Graph::subSample(const TensorId& id, int64_t stride, uint64_t dimension) {
  if (stride < 1) throw popart::error("A stride of at least 1 is expected, {} was given", stride);
  const unsigned by = small("stride", static_cast<uint64_t>(stride));
  return impl_->view(
      id, [by, d = small("dimension", dimension)](const Tensor& t) { return t.subSample(by, d); });
}
TensorId Graph::concat(const TensorIds& ids, uint64_t axis) {
  Impl::Node node;
  node.inputs = ids;
  node.make = [d = small("dimension", axis)](const Tensors& given) {
    return Tensors{poplar::concat(given, d)};
  };
  return {impl_->add(std::move(node)), 0};
}
TensorId Graph::modify(const TensorId& id) {
  const TensorId made = impl_->view(id, [](const Tensor& t) { return t; });
  impl_->at(made.opId()).written = {0};
  return made;
}

OpId Graph::aliasGate(const TensorIds& ids) {
  Impl::Node node;
  node.inputs = ids;
  node.gate = Impl::Node::Closed;
  node.make = [own = impl_->fresh(broadcastShape(impl_->all(ids)))](const Tensors&) {
    return Tensors{own};
  };
  return impl_->add(std::move(node));
}

OpId Graph::aliasGate(const TensorIds& ids, popart::InIndex index) {
  const OpId gate = aliasGate(ids);
  open(Proposal(gate, index));
  return gate;
}

bool Graph::isGate(OpId op) const { return impl_->at(op).gate != Impl::Node::NoGate; }
bool Graph::isClosed(OpId gate) const { return impl_->at(gate).gate == Impl::Node::Closed; }

void Graph::open(const Proposal& proposal) {
  Impl::Node& gate = impl_->at(proposal.gateId());
  const auto index = static_cast<std::size_t>(proposal.inIndex());
  if (gate.gate != Impl::Node::Closed)
    throw popart::error("Operator {} of an alias graph is no closed gate", proposal.gateId().get());
  if (proposal.inIndex() < 0 || index >= gate.inputs.size())
    throw popart::error("A gate of {} inputs has none at index {}", gate.inputs.size(),
                        proposal.inIndex());
  if (impl_->at(gate.inputs[index]).shape() != gate.outputs[0].shape())
    throw popart::error("A gate whose output has the shape {} does not open at one of {}",
                        shapeOf(gate.outputs[0]), shapeOf(impl_->at(gate.inputs[index])));
  gate.gate = Impl::Node::Open;
  gate.make = [index](const Tensors& given) { return Tensors{given[index]}; };
  for (std::size_t i = static_cast<std::size_t>(proposal.gateId().get()); i < impl_->nodes.size();
       ++i)
    impl_->nodes[i].outputs = impl_->nodes[i].make(impl_->all(impl_->nodes[i].inputs));
}

OpId Graph::multi(const TensorIds& ids, const Shapes& outShapes, const CrossLinks& links) {
  // Of each output the tensor of its own, or the input that it shows.
  std::vector<std::pair<Tensor, int>> shown;
  for (const Shape& shape : outShapes) shown.emplace_back(impl_->fresh(shape), -1);
  Impl::Node node;
  node.inputs = ids;
  for (const CrossLink& link : links) {
    const auto in = static_cast<std::size_t>(link.in()), out = static_cast<std::size_t>(link.out());
    if (in >= ids.size() || out >= shown.size() || shape(ids[in]) != outShapes[out])
      throw popart::error("Output {} does not show input {} of an operator of an alias graph",
                          link.out(), link.in());
    shown[out].second = link.in();
    if (link.isModifying()) node.written.push_back(out);
  }
  node.make = [shown](const Tensors& given) {
    Tensors made;
    for (const auto& each : shown)
      made.push_back(each.second < 0 ? each.first : given[static_cast<std::size_t>(each.second)]);
    return made;
  };
  return impl_->add(std::move(node));
}

Shape Graph::shape(const TensorId& id) const { return shapeOf(impl_->at(id)); }

bool Graph::areAliased(const TensorId& a, const TensorId& b) const {
  return impl_->at(a).intersectsWith(impl_->at(b));
}

bool Graph::contains(const TensorId& super, const TensorId& sub) const {
  const auto whole = elements(impl_->at(super));
  for (const auto& part : elements(impl_->at(sub))) {
    const auto holds = [&](const poplar::VariableInterval& each) {
      return each.var == part.var && each.interval.begin() <= part.interval.begin() &&
             part.interval.end() <= each.interval.end();
    };
    if (std::none_of(whole.begin(), whole.end(), holds)) return false;
  }
  return true;
}

TensorIds Graph::allAliases(const TensorId& id) const {
  const Tensor& tensor = impl_->at(id);
  TensorIds found;
  for (std::size_t op = 0; op < impl_->nodes.size(); ++op)
    for (std::size_t out = 0; out < impl_->nodes[op].outputs.size(); ++out) {
      const TensorId other(OpId(static_cast<int64_t>(op)), out);
      if (other == id || tensor.intersectsWith(impl_->nodes[op].outputs[out]))
        found.push_back(other);
    }
  return found;
}

bool Graph::isModified(const TensorId& id) const {
  const Tensor& tensor = impl_->at(id);
  for (const Impl::Node& node : impl_->nodes)
    for (const std::size_t out : node.written)
      if (tensor.intersectsWith(node.outputs[out])) return true;
  return false;
}

uint64_t Graph::nOps() const { return impl_->nodes.size(); }

}  // namespace inplace
}  // namespace memory
}  // namespace poprithms
