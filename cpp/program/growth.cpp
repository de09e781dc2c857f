#include "program/growth.hpp"

#include <algorithm>
#include <utility>

#include "program/accesses.hpp"
#include "support/budget.hpp"

namespace popir {

Growth::Growth(const poplar::Graph& graph)
    : graph_(graph.impl()), begin_(sizes()), end_(begin_), work_(budgetOfThread().spent) {}

Growth::Sizes Growth::sizes() const {
  const auto& g = *graph_;
  return {g.variables.size(), g.computeSets.size(),
          g.vertices.size() + g.streams.size() + g.hostFunctions.size() + g.functions.size() +
              g.remoteBuffers.size() + g.hostWrites.size() + g.hostReads.size()};
}

bool Growth::isOwn(const std::string& name) const {
  return name.compare(0, prefix_.size(), prefix_) == 0 &&
         (name.size() == prefix_.size() || name[prefix_.size()] == '/');
}

bool Growth::isOf(const poplar::Tensor& tensor) const {
  return tensor.valid() && tensor.view().graph() == graph_.get();
}

bool Growth::isOwn(const poplar::Tensor& tensor) const {
  if (!tensor.valid()) return true;
  if (!isOf(tensor)) return false;
  const auto shown = tensor.view().variables();
  return std::all_of(shown.begin(), shown.end(), [&](unsigned v) {
    return v >= begin_.variables || std::binary_search(read_.begin(), read_.end(), v);
  });
}

bool Growth::isOwn(const ProgramNode& node) const {
  switch (node.kind) {
    case ProgramNode::Kind::Sequence:
    case ProgramNode::Kind::Copy:
    case ProgramNode::Kind::Repeat:
    case ProgramNode::Kind::While:
    case ProgramNode::Kind::If:
    case ProgramNode::Kind::WriteUndef: break;
    case ProgramNode::Kind::Execute:
      if (node.computeSet.graph() != graph_.get() || node.computeSet.getId() < begin_.computeSets)
        return false;
      break;
    default: return false;
  }
  return (node.name.empty() || isOwn(node.name)) && isOwn(node.src) && isOwn(node.dst) &&
         std::all_of(node.children.begin(), node.children.end(),
                     [&](const auto& child) { return isOwn(*child); });
}

bool Growth::end(const poplar::Graph& graph, const poplar::program::Program& program,
                 std::vector<poplar::Tensor> inputs, std::vector<poplar::Tensor> outputs,
                 const std::string& prefix) {
  end_ = sizes();
  work_ = budgetOfThread().spent - work_;
  prefix_ = prefix;
  inputs_ = std::move(inputs);
  outputs_ = std::move(outputs);
  program_ = program.node()->children;
  read_.clear();
  written_.clear();
  canRepeat_ = canRepeat(graph, program);
  return canRepeat_;
}

bool Growth::canRepeat(const poplar::Graph& graph, const poplar::program::Program& program) {
  if (graph.impl() != graph_ || end_.others != begin_.others) return false;
  for (const auto& t : inputs_) {
    if (!isOf(t)) return false;
    for (const auto v : t.view().variables()) read_.push_back(v);
  }
  std::sort(read_.begin(), read_.end());
  for (const auto v : programWrites(graph, program))
    if (v < begin_.variables) written_.push_back(v);
  for (auto v = begin_.variables; v < end_.variables; ++v)
    if (!isOwn(graph_->variables[v].name)) return false;
  for (auto c = begin_.computeSets; c < end_.computeSets; ++c) {
    const auto& set = graph_->computeSets[c];
    if (!isOwn(set.name)) return false;
    for (const auto& vertex : set.bulk)
      if (!isOwn(vertex.name) ||
          !std::all_of(vertex.operands.begin(), vertex.operands.end(),
                       [&](const BulkOperand& o) { return isOwn(o.tensor); }) ||
          !std::all_of(vertex.constants.begin(), vertex.constants.end(),
                       [&](const poplar::Tensor& t) { return isOwn(t); }))
        return false;
  }
  return std::all_of(program_.begin(), program_.end(), [&](const auto& n) { return isOwn(*n); }) &&
         std::all_of(outputs_.begin(), outputs_.end(), [&](const auto& t) { return isOwn(t); });
}

/// One repetition: what stands for the variables, compute sets and names of the original.
class Growth::Repetition {
 public:
  Repetition(const Growth& from, const std::string& prefix)
      : from_(from), graph_(*from.graph_), prefix_(prefix) {}

  /// Finds the variables that stand for those of the inputs; false if one of the views or of the
  /// variables is not like the original.
  bool match(const std::vector<poplar::Tensor>& inputs) {
    if (!from_.canRepeat_ || inputs.size() != from_.inputs_.size()) return false;
    const auto isLike = [&](unsigned v, unsigned other) {
      const auto [at, isNew] = pairs_.emplace(v, other);
      if (!isNew) return at->second == other;
      const auto &a = graph_.variable(v), &b = graph_.variable(other);
      return taken_.insert(other).second && a.type == b.type && a.elements == b.elements &&
             a.constant == b.constant && isMappedAlike(v, other);
    };
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (!from_.isOf(inputs[i]) || !from_.inputs_[i].view().isLike(inputs[i].view(), isLike))
        return false;
    for (const auto& [v, other] : pairs_)
      if (v != other) by_.emplace(v, whole(other));
    return true;
  }

  void add(poplar::program::Sequence& prog) {
    spend(from_.work_);
    for (auto v = from_.begin_.variables; v < from_.end_.variables; ++v) {
      auto variable = graph_.variables[v];
      variable.name = named(variable.name);
      const auto as = std::find_if(moved_.begin(), moved_.end(), [&](const auto& input) {
        return graph_.variable(input.first).mapping.sameAs(variable.mapping);
      });
      if (as != moved_.end()) variable.mapping = graph_.variable(as->second).mapping;
      graph_.variables.push_back(std::move(variable));
      by_.emplace(v, whole(static_cast<unsigned>(graph_.variables.size() - 1)));
    }
    firstSet_ = graph_.computeSets.size();
    for (auto c = from_.begin_.computeSets; c < from_.end_.computeSets; ++c) {
      auto set = graph_.computeSets[c];
      set.name = named(set.name);
      for (auto& vertex : set.bulk) {
        vertex.name = named(vertex.name);
        for (auto& operand : vertex.operands) operand.tensor = of(operand.tensor);
        for (auto& constant : vertex.constants) constant = of(constant);
      }
      graph_.computeSets.push_back(std::move(set));
    }
    for (const auto& node : from_.program_) prog.add(Again(of(*node)));
  }

  unsigned of(unsigned input) const { return pairs_.at(input); }

  poplar::Tensor of(const poplar::Tensor& t) const {
    return t.valid() ? poplar::Tensor(t.view().replaced(by_)) : t;
  }

 private:
  struct Again : poplar::program::Program {
    explicit Again(std::shared_ptr<ProgramNode> node) : Program(std::move(node)) {}
  };

  // True if two mappings are the same, or linear with other first tiles. Of the latter the first tile
  // of the original is not 0, where what depends on no input lies, too: what lies as the input
  // does so because of it, and follows it. Inputs that lay alike, and these alone, do so again.
  bool isMappedAlike(unsigned v, unsigned other) {
    const auto &a = graph_.variable(v).mapping, &b = graph_.variable(other).mapping;
    if (a.sameAs(b)) return true;
    const auto mine = a.linear(), its = b.linear();
    if (!mine || !its || !(mine->shares == its->shares) || mine->first == 0) return false;
    for (const auto& [from, to] : moved_)
      if (a.sameAs(graph_.variable(from).mapping) != b.sameAs(graph_.variable(to).mapping))
        return false;
    moved_.emplace_back(v, other);
    return true;
  }

  ViewPtr whole(unsigned v) const {
    const auto& variable = graph_.variable(v);
    return View::ofVariable(&graph_, v, variable.constant, variable.type, variable.shape);
  }

  std::string named(const std::string& name) const {
    return name.empty() ? name : prefix_ + name.substr(from_.prefix_.size());
  }

  std::shared_ptr<ProgramNode> of(const ProgramNode& node) const {
    auto made = std::make_shared<ProgramNode>(node);
    made->name = named(node.name);
    made->src = of(node.src);
    made->dst = of(node.dst);
    if (node.kind == ProgramNode::Kind::Execute)
      made->computeSet = {
          static_cast<unsigned>(firstSet_ + node.computeSet.getId() - from_.begin_.computeSets),
          &graph_};
    for (auto& child : made->children) child = of(*child);
    return made;
  }

  const Growth& from_;
  GraphImpl& graph_;
  const std::string& prefix_;
  std::map<unsigned, unsigned> pairs_;
  std::set<unsigned> taken_;
  std::vector<std::pair<unsigned, unsigned>> moved_;  // inputs whose first tiles differ
  std::map<unsigned, ViewPtr> by_;
  std::size_t firstSet_ = 0;
};

std::optional<Growth::Repeated> Growth::repeat(poplar::program::Sequence& prog,
                                               const std::vector<poplar::Tensor>& inputs,
                                               const std::string& prefix) const {
  Repetition again(*this, prefix);
  if (!again.match(inputs)) return std::nullopt;
  again.add(prog);
  Repeated made;
  for (const auto& t : outputs_) made.outputs.push_back(again.of(t));
  for (const auto v : written_) made.written.push_back(again.of(v));
  std::sort(made.written.begin(), made.written.end());
  return made;
}

}  // namespace popir
