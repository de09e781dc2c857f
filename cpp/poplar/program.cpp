// poplar::program: makers of ProgramNode.
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>

#include "poplar/graph_impl.hpp"
#include "poplar/program_node.hpp"

namespace poplar {
namespace program {

using popir::ProgramNode;
using Kind = ProgramNode::Kind;

namespace {

std::shared_ptr<ProgramNode> make(Kind kind, const DebugContext& debugContext) {
  auto node = std::make_shared<ProgramNode>();
  node->kind = kind;
  node->name = debugContext.getPathName();
  return node;
}

std::shared_ptr<ProgramNode> body(const Program& p) {
  return p.node() ? p.node() : make(Kind::Sequence, {});
}

void checkPredicate(const char* who, const Tensor& t) {
  if (!t.valid() || t.numElements() != 1 ||
      (t.elementType() != BOOL && t.elementType() != INT && t.elementType() != UNSIGNED_INT))
    throw control_program_error(std::string(who) +
                                ": the predicate must be one element of bool, int or unsigned "
                                "int, given " +
                                t.getDebugStr());
}

void checkStream(const Tensor& t, const DataStream& s, DataStream::Direction direction) {
  if (!s.valid() || s.direction() != direction)
    throw stream_connection_error("Copy: stream '" + s.handle() +
                                  "' is not valid for this direction");
  if (!t.valid() || t.elementType() != s.elementType() || t.numElements() != s.numElements())
    throw stream_connection_error(
        "Copy: stream '" + s.handle() + "' has " + std::to_string(s.numElements()) +
        " elements of " + s.elementType().toString() + ", the tensor is " + t.getDebugStr());
}

}  // namespace

Program::Program() = default;
Program::Program(std::shared_ptr<ProgramNode> node) : node_(std::move(node)) {}
bool Program::isEmpty() const {
  return !node_ || (node_->kind == Kind::Sequence && node_->children.empty());
}

Sequence::Sequence(const DebugContext& debugContext)
    : Program(make(Kind::Sequence, debugContext)) {}
Sequence::Sequence(std::initializer_list<Program> programs, const DebugContext& debugContext)
    : Sequence(debugContext) {
  for (const auto& p : programs) add(p);
}
void Sequence::add(const Program& p) {
  if (!p.node()) return;
  const auto added = p.node();  // kept: `p` may be this sequence
  if (node_.use_count() > 1) node_ = std::make_shared<ProgramNode>(*node_);
  node_->children.push_back(added);
}
std::size_t Sequence::size() const { return node_->children.size(); }

Block::Block(const Program& b, StringRef name, const DebugContext& debugContext)
    : Program(make(Kind::Sequence, DebugContext(debugContext, name))) {
  node_->children.push_back(body(b));
}

Execute::Execute(ComputeSet cs, const DebugContext& debugContext)
    : Program(make(Kind::Execute, debugContext)) {
  if (!cs.valid()) throw control_program_error("Execute: the compute set is not valid");
  node_->computeSet = cs;
}

Copy::Copy(Tensor src, Tensor dst, bool, const DebugContext& debugContext)
    : Program(make(Kind::Copy, debugContext)) {
  if (!src.valid() || !dst.valid() || src.elementType() != dst.elementType() ||
      src.numElements() != dst.numElements())
    throw graph_connection_error("Copy: " + src.getDebugStr() + " does not fit " +
                                 dst.getDebugStr());
  if (!dst.isParallelWriteable())
    throw graph_connection_error("Copy: " + dst.getDebugStr() +
                                 " cannot be written: it holds constants or an element twice");
  node_->src = std::move(src);
  node_->dst = std::move(dst);
}
Copy::Copy(const DataStream& stream, Tensor dst, bool, const DebugContext& debugContext)
    : Program(make(Kind::StreamToDst, debugContext)) {
  checkStream(dst, stream, DataStream::Direction::HostToDevice);
  node_->stream = stream;
  node_->dst = std::move(dst);
}
Copy::Copy(Tensor src, const DataStream& stream, bool, const DebugContext& debugContext)
    : Program(make(Kind::SrcToStream, debugContext)) {
  checkStream(src, stream, DataStream::Direction::DeviceToHost);
  node_->stream = stream;
  node_->src = std::move(src);
}

Repeat::Repeat(unsigned count, const Program& b, const DebugContext& debugContext)
    : Program(make(Kind::Repeat, debugContext)) {
  node_->count = count;
  node_->children = {body(b)};
}

RepeatWhileTrue::RepeatWhileTrue(const Program& condition, Tensor predicate, const Program& b,
                                 const DebugContext& debugContext)
    : Program(make(Kind::While, debugContext)) {
  checkPredicate("RepeatWhileTrue", predicate);
  node_->src = std::move(predicate);
  node_->children = {body(condition), body(b)};
}
RepeatWhileFalse::RepeatWhileFalse(const Program& condition, Tensor predicate, const Program& b,
                                   const DebugContext& debugContext)
    : Program(make(Kind::While, debugContext)) {
  checkPredicate("RepeatWhileFalse", predicate);
  node_->src = std::move(predicate);
  node_->children = {body(condition), body(b)};
  node_->expected = false;
}

If::If(Tensor predicate, const Program& trueBody, const Program& falseBody,
       const DebugContext& debugContext)
    : Program(make(Kind::If, debugContext)) {
  checkPredicate("If", predicate);
  node_->src = std::move(predicate);
  node_->children = {body(trueBody), body(falseBody)};
}

Call::Call(Function f, const DebugContext& debugContext) : Program(make(Kind::Call, debugContext)) {
  if (!f.valid()) throw control_program_error("Call: the function is not valid");
  node_->function = f;
}

Sync::Sync(SyncType, const DebugContext& debugContext) : Program(make(Kind::Sync, debugContext)) {}

PrintTensor::PrintTensor(StringRef title, Tensor t, const DebugContext& debugContext)
    : Program(make(Kind::Print, debugContext)) {
  if (!t.valid()) throw control_program_error("PrintTensor: the tensor is not valid");
  node_->name = title.str();
  node_->src = std::move(t);
}
PrintTensor::PrintTensor(Tensor t, const DebugContext& debugContext)
    : PrintTensor(debugContext.getPathName(), std::move(t), debugContext) {}

WriteUndef::WriteUndef(Tensor t, const DebugContext& debugContext)
    : Program(make(Kind::WriteUndef, debugContext)) {
  if (!t.valid()) throw control_program_error("WriteUndef: the tensor is not valid");
  node_->dst = std::move(t);
}

}  // namespace program
}  // namespace poplar

namespace popir {
namespace {

void collect(const GraphImpl& graph, const ProgramNode& node, ProgramAccesses& found) {
  using Kind = ProgramNode::Kind;
  const auto add = [](std::set<unsigned>& to, const poplar::Tensor& t) {
    if (!t.valid()) return;
    for (auto v : t.view().variables()) to.insert(v);
  };
  if (node.kind == Kind::Execute) {
    for (const auto id : graph.computeSets[node.computeSet.getId()].vertices) {
      const auto& vertex = graph.vertices[id];
      for (std::size_t i = 0; i < vertex.fields.size(); ++i) {
        const auto direction = vertex.codelet->fields[i].direction;
        for (const auto& t : vertex.fields[i].tensors) {
          if (direction != CodeletField::Direction::Output) add(found.reads, t);
          if (direction != CodeletField::Direction::Input) add(found.writes, t);
        }
      }
    }
    for (const auto& vertex : graph.computeSets[node.computeSet.getId()].bulk)
      for (const auto& operand : vertex.operands) {
        if (operand.access != Access::Write) add(found.reads, operand.tensor);
        if (operand.access != Access::Read) add(found.writes, operand.tensor);
      }
  }
  if (node.kind == Kind::Call) collect(graph, *graph.functions[node.function.getId()], found);
  add(found.reads, node.src);
  add(found.writes, node.dst);
  for (const auto& child : node.children) collect(graph, *child, found);
}

}  // namespace

ProgramAccesses programAccesses(const poplar::Graph& graph,
                                const poplar::program::Program& program) {
  ProgramAccesses found;
  if (program.node()) collect(*graph.impl(), *program.node(), found);
  return found;
}

}  // namespace popir
