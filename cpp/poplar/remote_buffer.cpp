#include "poplar/remote_buffer.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>

#include <cstdint>
#include <sstream>

#include "poplar/graph_impl.hpp"
#include "poplar/program_node.hpp"

namespace popir {
namespace {

constexpr const char* kRemoteMark = "remote buffer:";

}  // namespace

std::string handleOf(const RemoteCopy& copy) {
  std::ostringstream os;
  os << kRemoteMark << (copy.reads ? "read " : "write ") << (copy.indexed ? "indexed " : "first ")
     << copy.rowBytes << " " << copy.rows << " " << copy.copied << " " << copy.buffer;
  return os.str();
}

std::optional<RemoteCopy> remoteCopyOf(const poplar::HostFunction& function) {
  const std::string mark = kRemoteMark, handle = function.handle();
  if (handle.compare(0, mark.size(), mark) != 0) return {};
  std::istringstream is(handle.substr(mark.size()));
  RemoteCopy copy;
  std::string way, how;
  is >> way >> how >> copy.rowBytes >> copy.rows >> copy.copied;
  copy.reads = way == "read";
  copy.indexed = how == "indexed";
  const auto isOf = [](const poplar::HostFunctionArgument& argument, std::size_t size,
                       std::size_t count) {
    std::size_t own = 0, wanted = 0;
    return !__builtin_mul_overflow(argument.type.sizeInBytes(), argument.numElements, &own) &&
           !__builtin_mul_overflow(size, count, &wanted) && own == wanted;
  };
  const auto& inputs = function.inputs();
  const auto& outputs = function.outputs();
  std::size_t bytes = 0;
  // Handles come from files, too.
  if (!is || (!copy.indexed && copy.copied != 1) ||
      inputs.size() != std::size_t{copy.indexed} + !copy.reads || outputs.size() != copy.reads ||
      (copy.indexed && !isOf(inputs.front(), sizeof(std::uint32_t), copy.copied)) ||
      !isOf(copy.reads ? outputs.back() : inputs.back(), copy.rowBytes, copy.copied) ||
      __builtin_mul_overflow(copy.rowBytes, copy.rows, &bytes))
    throw poplar::poplar_error("the host function '" + handle +
                               "' has the handle of a copy from or to a remote buffer, and not its "
                               "arguments; give it another handle");
  is.get();
  std::getline(is, copy.buffer, '\0');
  return copy;
}

}  // namespace popir

namespace poplar {

using popir::ProgramNode;

RemoteBuffer Graph::addRemoteBuffer(StringRef handle, const Type& elementType,
                                    std::size_t numElements, std::size_t repeats,
                                    bool rearrangeOnHost, bool optimiseMemory) {
  if (numElements == 0 || repeats == 0)
    throw poplar_error("Graph::addRemoteBuffer: '" + handle.str() + "' has " +
                       std::to_string(repeats) + " rows of " + std::to_string(numElements) +
                       " elements; give at least one of each");
  if (!impl_->remoteBuffers.insert(handle.str()).second)
    throw poplar_error("Graph::addRemoteBuffer: a remote buffer with handle '" + handle.str() +
                       "' exists already");
  return RemoteBuffer(impl_, handle.str(), elementType, numElements, repeats, rearrangeOnHost,
                      optimiseMemory);
}

namespace program {
namespace {

std::shared_ptr<ProgramNode> remoteCopy(const RemoteBuffer& buffer, const Tensor& t,
                                        const Tensor* offset, bool reads,
                                        const DebugContext& debugContext) {
  const auto refuse = [&](const std::string& why) {
    throw stream_connection_error("Copy: remote buffer '" + buffer.handle() + "' " + why);
  };
  if (!buffer.valid()) refuse("is not valid; Graph::addRemoteBuffer makes one");
  const std::size_t copied = offset && offset->valid() ? offset->numElements() : 1;
  if (!t.valid() || t.elementType() != buffer.elementType() ||
      t.numElements() != copied * buffer.numElements())
    refuse("has rows of " + std::to_string(buffer.numElements()) + " elements of " +
           buffer.elementType().toString() + ", " + std::to_string(copied) +
           " of them are copied, the tensor is " +
           (t.valid() ? t.getDebugStr() : std::string("not valid")));
  if (offset &&
      (!offset->valid() || (offset->elementType() != UNSIGNED_INT && offset->elementType() != INT)))
    refuse("takes the numbers of rows as unsigned int or int, given was " +
           (offset->valid() ? offset->getDebugStr() : std::string("no valid tensor")));
  if (reads && !t.isParallelWriteable())
    refuse("cannot fill " + t.getDebugStr() + ": it holds constants or an element twice");
  auto& graph = *buffer.graph();
  const auto handle = popir::handleOf({reads, offset != nullptr,
                                       buffer.numElements() * buffer.elementType().sizeInBytes(),
                                       buffer.getRepeats(), copied, buffer.handle()});
  std::vector<HostFunctionArgument> inputs, outputs;
  auto node = std::make_shared<ProgramNode>();
  if (offset) {
    inputs.emplace_back(offset->elementType(), copied);
    node->inputs.push_back(*offset);
  }
  (reads ? outputs : inputs).emplace_back(t.elementType(), t.numElements());
  (reads ? node->outputs : node->inputs).push_back(t);
  node->kind = ProgramNode::Kind::HostCall;
  node->name = debugContext.getPathName();
  for (const auto& f : graph.hostFunctions)
    if (f.handle() == handle && f.inputs().size() == inputs.size() &&
        (inputs.empty() || f.inputs().front().type == inputs.front().type))
      node->hostFunction = f;
  if (!node->hostFunction.valid()) {
    graph.hostFunctions.emplace_back(static_cast<int>(graph.hostFunctions.size()), handle, inputs,
                                     outputs);
    node->hostFunction = graph.hostFunctions.back();
  }
  return node;
}

}  // namespace

Copy::Copy(const RemoteBuffer& buffer, Tensor dst, const DebugContext& debugContext)
    : Program(remoteCopy(buffer, dst, nullptr, true, debugContext)) {}
Copy::Copy(const RemoteBuffer& buffer, Tensor dst, Tensor offset, const DebugContext& debugContext)
    : Program(remoteCopy(buffer, dst, &offset, true, debugContext)) {}
Copy::Copy(Tensor src, const RemoteBuffer& buffer, const DebugContext& debugContext)
    : Program(remoteCopy(buffer, src, nullptr, false, debugContext)) {}
Copy::Copy(Tensor src, const RemoteBuffer& buffer, Tensor offset, const DebugContext& debugContext)
    : Program(remoteCopy(buffer, src, &offset, false, debugContext)) {}

}  // namespace program
}  // namespace poplar
