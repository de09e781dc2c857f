// poplar::program: constructors, which create ProgramNodes.
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>

#include "poplar/collective.hpp"
#include "poplar/graph_impl.hpp"
#include "poplar/program_node.hpp"
#include "poplar/view.hpp"

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

void checkArguments(const std::string& handle, const char* what,
                    const std::vector<HostFunctionArgument>& expected, ArrayRef<Tensor> given) {
  const auto refuse = [&](const std::string& why) {
    throw graph_connection_error("Call: host function '" + handle + "' " + why);
  };
  if (given.size() != expected.size())
    refuse("has " + std::to_string(expected.size()) + " " + what + "s, " +
           std::to_string(given.size()) + " given");
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!given[i].valid() || given[i].elementType() != expected[i].type ||
        given[i].numElements() != expected[i].numElements)
      refuse(std::string("has as ") + what + " " + std::to_string(i) + " " +
             std::to_string(expected[i].numElements) + " elements of " +
             expected[i].type.toString() + ", the tensor is " + given[i].getDebugStr());
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

Sequence::Sequence() : Sequence(DebugContext{}) {}
Sequence::Sequence(const DebugContext& debugContext)
    : Program(make(Kind::Sequence, debugContext)) {}
Sequence::Sequence(std::initializer_list<Program> programs, const DebugContext& debugContext)
    : Sequence(debugContext) {
  for (const auto& p : programs) add(p);
}
void Sequence::add(const Program& p) {
  if (!p.node()) return;
  const auto added = p.node();  // keeps the node: `p` may be this sequence
  if (node_.use_count() > 1) node_ = std::make_shared<ProgramNode>(*node_);
  node_->children.push_back(added);
}
std::size_t Sequence::size() const { return node_->children.size(); }

Block::Block(const Program& b, StringRef name, const DebugContext& debugContext)
    : Block(b, DebugContext(debugContext, name)) {}
Block::Block(const Program& b, const DebugContext& debugContext)
    : Program(make(Kind::Sequence, debugContext)) {
  node_->children.push_back(body(b));
  node_->isBlock = true;
}

Execute::Execute(ComputeSet cs, const DebugContext& debugContext)
    : Program(make(Kind::Execute, debugContext)) {
  if (!cs.valid()) throw control_program_error("Execute: the compute set is not valid");
  node_->computeSet = cs;
}

Execute::Execute(ComputeSet, Tensor t, const DebugContext& debugContext)
    : Program(make(Kind::Execute, debugContext)) {
  throw control_program_error("Execute: what would be written to " +
                              (t.valid() ? t.getDebugStr() : "a tensor") +
                              " is not published, and vertices return nothing here; let one write "
                              "an Output, and reduce the "
                              "Outputs of several by popops::allTrue");
}

Loop::Loop(const Program& b, const DebugContext& debugContext)
    : Program(make(Kind::Loop, debugContext)) {
  node_->children = {body(b)};
}

Copy::Copy(const FunctionBuffer& buffer, const Function& function, const DebugContext& debugContext)
    : Program(make(Kind::Sequence, debugContext)) {
  if (!buffer.valid() || !function.valid() || buffer.getId() != function.getId())
    throw control_program_error(
        "Copy: the buffer does not hold the code of this function; Graph::addFunctionBuffer makes "
        "one for it");
}

Copy::Copy(Tensor src, Tensor dst, bool, const DebugContext& debugContext)
    : Program(make(Kind::Copy, debugContext)) {
  for (const auto* t : {&src, &dst})
    if (!t->valid())
      throw graph_connection_error(std::string("Copy: the ") +
                                   (t == &src ? "source" : "destination") +
                                   " is not a valid tensor");
  if (src.view().graph() != dst.view().graph())
    throw graph_connection_error("Copy: " + src.getDebugStr() + " and " + dst.getDebugStr() +
                                 " belong to different graphs");
  // Elements are copied in flat order. Shapes may differ.
  if (src.elementType() != dst.elementType() || src.numElements() != dst.numElements())
    throw graph_connection_error("Copy: the source has " + std::to_string(src.numElements()) +
                                 " elements of " + src.elementType().toString() +
                                 ", the destination " + std::to_string(dst.numElements()) + " of " +
                                 dst.elementType().toString() + "; from " + src.getDebugStr() +
                                 " to " + dst.getDebugStr());
  if (!dst.isParallelWriteable())
    throw graph_connection_error("Copy: " + dst.getDebugStr() +
                                 " cannot be written: it holds constants or an element twice");
  node_->src = std::move(src);
  node_->dst = std::move(dst);
}
Copy::Copy(const DataStream& stream, Tensor dst, bool optimiseMemory,
           const DebugContext& debugContext)
    : Program(make(Kind::StreamToDst, debugContext)) {
  checkStream(dst, stream, DataStream::Direction::HostToDevice);
  if (!dst.isParallelWriteable())
    throw graph_connection_error("Copy: stream '" + stream.handle() + "' cannot fill " +
                                 dst.getDebugStr() + ": it holds constants or an element twice");
  node_->stream = stream;
  node_->dst = std::move(dst);
  node_->onHost = optimiseMemory;
}
Copy::Copy(Tensor src, const DataStream& stream, bool optimiseMemory,
           const DebugContext& debugContext)
    : Program(make(Kind::SrcToStream, debugContext)) {
  checkStream(src, stream, DataStream::Direction::DeviceToHost);
  node_->stream = stream;
  node_->src = std::move(src);
  node_->onHost = optimiseMemory;
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

Switch::Switch(Tensor control, const std::vector<std::pair<std::int32_t, Program>>& cases,
               const Program& defaultCase, const DebugContext& debugContext)
    : Program(make(Kind::Sequence, debugContext)), control_(control), default_(defaultCase) {
  if (!control.valid() || control.numElements() != 1 ||
      (control.elementType() != INT && control.elementType() != UNSIGNED_INT))
    throw control_program_error(
        "Switch: the control must be one element of int or unsigned int" +
        (control.valid() ? ", given " + control.getDebugStr() : std::string()));
  cases_ = cases;
  grow();
}
Switch::Switch(Tensor control, const std::vector<std::pair<std::int32_t, Program>>& cases,
               const DebugContext& debugContext)
    : Switch(std::move(control), cases, Sequence(), debugContext) {}
Switch::Switch(Tensor control, const DebugContext& debugContext)
    : Switch(std::move(control), {}, Sequence(), debugContext) {}
Switch::Switch(Tensor control, const Program& defaultCase, const DebugContext& debugContext)
    : Switch(std::move(control), {}, defaultCase, debugContext) {}
Switch Switch::switchWithBoundsChecking(Tensor control,
                                        const std::vector<std::pair<std::int32_t, Program>>& cases,
                                        const DebugContext& debugContext) {
  if (!control.valid()) return Switch(std::move(control), cases, debugContext);
  const auto name = debugContext.getPathName();
  const ErrorProgram none(
      "the value is no case of the Switch" + (name.empty() ? "" : " '" + name + "'"), control,
      debugContext);
  return Switch(std::move(control), cases, none, debugContext);
}
Switch Switch::switchWithUnreachableDefault(Tensor control, const DebugContext& debugContext) {
  return Switch(std::move(control), debugContext);
}

Switch& Switch::add(std::int32_t value, const Program& program) {
  cases_.emplace_back(value, program);
  grow();
  return *this;
}

// Comparisons one after another; the first case is the outermost.
void Switch::grow() {
  auto rest = body(default_);
  const auto name = node_->name;
  for (std::size_t i = cases_.size(); i-- > 0;) {
    for (std::size_t j = 0; j < i; ++j)
      if (cases_[j].first == cases_[i].first)
        throw control_program_error("Switch: the case " + std::to_string(cases_[i].first) +
                                    " occurs twice");
    auto test = std::make_shared<ProgramNode>();
    test->kind = Kind::If;
    test->name = name;
    test->src = control_;
    test->expected = false;
    test->count = static_cast<unsigned>(cases_[i].first);
    test->children = {body(cases_[i].second), rest};
    rest = test;
  }
  node_ = std::make_shared<ProgramNode>();
  node_->kind = Kind::Sequence;
  node_->name = name;
  node_->children = {rest};
}

Call::Call(Function f, const DebugContext& debugContext) : Program(make(Kind::Call, debugContext)) {
  if (!f.valid()) throw control_program_error("Call: the function is not valid");
  node_->function = f;
}

Call::Call(HostFunction f, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs,
           const DebugContext& debugContext)
    : Program(make(Kind::HostCall, debugContext)) {
  if (!f.valid())
    throw control_program_error(
        f.id() < 0 ? std::string("Call: the host function is not valid")
                   : "Call: host function " + std::to_string(f.id()) +
                         " is given as a number, which says nothing of its arguments; give what "
                         "Graph::addHostFunction returned");
  checkArguments(f.handle(), "input", f.inputs(), inputs);
  checkArguments(f.handle(), "output", f.outputs(), outputs);
  for (const auto& t : outputs)
    if (!t.isParallelWriteable())
      throw graph_connection_error("Call: host function '" + f.handle() + "' cannot write " +
                                   t.getDebugStr() + ": it holds constants or an element twice");
  node_->hostFunction = std::move(f);
  node_->inputs = inputs.cloneAsVector();
  node_->outputs = outputs.cloneAsVector();
}

Sync::Sync(SyncType, const DebugContext& debugContext) : Program(make(Kind::Sync, debugContext)) {}

PrintTensor::PrintTensor(StringRef title, Tensor t, const PrintTensorFmt& format,
                         const DebugContext& debugContext)
    : Program(make(Kind::Print, debugContext)) {
  if (!t.valid()) throw control_program_error("PrintTensor: the tensor is not valid");
  node_->name = title.str();
  node_->src = std::move(t);
  node_->format = format;
}
PrintTensor::PrintTensor(StringRef title, Tensor t, const DebugContext& debugContext)
    : PrintTensor(title, std::move(t), PrintTensorFmt(), debugContext) {}
PrintTensor::PrintTensor(Tensor t, const PrintTensorFmt& format, const DebugContext& debugContext)
    : PrintTensor(debugContext.getPathName(), std::move(t), format, debugContext) {}
PrintTensor::PrintTensor(Tensor t, const DebugContext& debugContext)
    : PrintTensor(std::move(t), PrintTensorFmt(), debugContext) {}

ErrorProgram::ErrorProgram(StringRef message, Tensor t, const DebugContext& debugContext)
    : Program(make(Kind::Print, debugContext)) {
  if (!t.valid()) throw control_program_error("ErrorProgram: the tensor is not valid");
  node_->name = message.str();
  node_->src = std::move(t);
  node_->expected = false;
}

Abort::Abort(const std::string& message, const DebugContext& debugContext)
    : Program(make(Kind::Print, debugContext)) {
  node_->name = message;
  node_->expected = false;
}
Abort::Abort(const DebugContext& debugContext)
    : Abort("program '" + debugContext.getPathName() + "'", debugContext) {}

AbortOnCondition::AbortOnCondition(Tensor predicate, const std::string& message,
                                   const DebugContext& debugContext)
    : Program(If(predicate, Abort(message, debugContext), Sequence(), debugContext)) {}
AbortOnCondition::AbortOnCondition(Tensor predicate, const DebugContext& debugContext)
    : Program(If(predicate,
                 ErrorProgram("AbortOnCondition: the condition of '" + debugContext.getPathName() +
                                  "' is true",
                              predicate, debugContext),
                 Sequence(), debugContext)) {}

AssumeEqualAcrossReplicas::AssumeEqualAcrossReplicas(Tensor t, const DebugContext& debugContext)
    : Program(make(Kind::Sequence, debugContext)) {
  if (!t.valid()) throw control_program_error("AssumeEqualAcrossReplicas: the tensor is not valid");
}

CrossReplicaCopy::CrossReplicaCopy(Tensor src, Tensor dst, std::map<unsigned, unsigned> replicaMap,
                                   const DebugContext& debugContext) {
  const Copy checked(src, dst, false, debugContext);
  if (src.intersectsWith(dst))
    throw graph_connection_error("CrossReplicaCopy: " + src.getDebugStr() + " and " +
                                 dst.getDebugStr() + " overlap; copy to a variable between");
  // Graphs are handed out for building, never as constants.
  auto& graph = const_cast<popir::GraphImpl&>(*dst.view().graph());
  popir::Collective made;
  made.kind = popir::Collective::Kind::Permute;
  made.grouping.replicas = made.grouping.size = graph.replicas;
  made.type = dst.elementType();
  made.elements = dst.numElements();
  made.name = debugContext.getPathName();
  made.sources.resize(graph.replicas, graph.replicas);
  for (const auto& [from, to] : replicaMap) {
    if (from >= graph.replicas || to >= graph.replicas || made.sources[to] != graph.replicas)
      throw control_program_error("CrossReplicaCopy: replica " + std::to_string(from) +
                                  " cannot give to replica " + std::to_string(to) +
                                  ": the graph has " + std::to_string(graph.replicas) +
                                  " replicas, and each gets from one");
    made.sources[to] = from;
  }
  if (replicaMap.size() != graph.replicas)
    throw control_program_error(
        "CrossReplicaCopy: the map names " + std::to_string(replicaMap.size()) + " of " +
        std::to_string(graph.replicas) + " replicas; each has to give to one, which may be itself");
  node_ = graph.replicas == 1 ? checked.node()
                              : popir::callOf(graph, made, src, dst, debugContext).node();
}

WriteUndef::WriteUndef(Tensor t, const DebugContext& debugContext)
    : Program(make(Kind::WriteUndef, debugContext)) {
  if (!t.valid()) throw control_program_error("WriteUndef: the tensor is not valid");
  node_->dst = std::move(t);
}

}  // namespace program
}  // namespace poplar

namespace popir {

std::vector<std::shared_ptr<ProgramNode>> nodesOf(
    poplar::ArrayRef<poplar::program::Program> programs) {
  std::vector<std::shared_ptr<ProgramNode>> nodes;
  for (const auto& p : programs) nodes.push_back(p.node());
  return nodes;
}

}  // namespace popir
