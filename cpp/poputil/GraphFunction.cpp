#include <poputil/GraphFunction.hpp>
#include <poputil/exceptions.hpp>

namespace poputil {
namespace graphfn {

using poplar::DebugContext;
using poplar::DebugNameAndId;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Sequence;

VoidFunction::VoidFunction(VoidFunction&& fn) = default;

VoidFunction::VoidFunction(Graph& graph, Signature sig, Body f, bool inlined,
                           const DebugContext& debugContext)
    : VoidFunction(graph, std::move(sig),
                   NamedBody([f](std::vector<Tensor>& args, Sequence& prog, const DebugNameAndId&) {
                     f(args, prog);
                   }),
                   inlined, debugContext) {}

VoidFunction::VoidFunction(Graph& graph, Signature sig, NamedBody f, bool inlined,
                           const DebugContext& debugContext)
    : graph_(graph), sig_(std::move(sig)), inlined_(inlined) {
  for (const ArgSig& each : sig_)
    params_.push_back(each.type == CreatedArg
                          ? Tensor()
                          : graph.clone(each.similarTensor, {debugContext, each.debugName}));
  f(params_, prog_, DebugNameAndId(debugContext.getPathName()));
  if (!inlined_) func_ = graph.addFunction(prog_);
}

void VoidFunction::operator()(std::vector<Tensor>& args, Sequence& seq, const DebugContext& dc) {
  if (args.size() != sig_.size())
    throw poplibs_error("poputil::graphfn: " + std::to_string(args.size()) + " arguments for " +
                        std::to_string(sig_.size()) + " parameters");
  for (std::size_t i = 0; i < args.size(); ++i)
    if (sig_[i].type == InputArg || sig_[i].type == InOutArg)
      seq.add(Copy(args[i], params_[i], false, dc));
  if (inlined_)
    seq.add(prog_);
  else
    seq.add(poplar::program::Call(func_));
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (sig_[i].type == InputArg) continue;
    if (sig_[i].type == CreatedArg && !args[i].valid())
      args[i] = graph_.clone(params_[i], {dc, sig_[i].debugName});
    seq.add(Copy(params_[i], args[i], false, dc));
  }
}

namespace {

Signature withResult(Signature sig) {
  sig.push_back(created("result"));
  return sig;
}

}  // namespace

ProgramFunction::ProgramFunction(Graph& graph, Signature sig,
                                 std::function<poplar::program::Program(std::vector<Tensor>&)> f,
                                 bool inlined, const DebugContext& debugContext)
    : voidFunc_(
          graph, std::move(sig),
          VoidFunction::Body([f](std::vector<Tensor>& args, Sequence& prog) { prog.add(f(args)); }),
          inlined, debugContext) {}

ProgramFunction::ProgramFunction(
    Graph& graph, Signature sig,
    std::function<poplar::program::Program(std::vector<Tensor>&, const DebugNameAndId&)> f,
    bool inlined, const DebugContext& debugContext)
    : voidFunc_(
          graph, std::move(sig),
          VoidFunction::NamedBody([f](std::vector<Tensor>& args, Sequence& prog,
                                      const DebugNameAndId& name) { prog.add(f(args, name)); }),
          inlined, debugContext) {}

poplar::program::Program ProgramFunction::operator()(std::vector<Tensor>& args,
                                                     const DebugContext& debugContext) {
  Sequence seq(debugContext);
  voidFunc_(args, seq, debugContext);
  return seq;
}

TensorFunction::TensorFunction(Graph& graph, Signature sig,
                               std::function<Tensor(std::vector<Tensor>&, Sequence&)> f,
                               bool inlined, const DebugContext& debugContext)
    : voidFunc_(graph, withResult(std::move(sig)),
                VoidFunction::Body([f](std::vector<Tensor>& args, Sequence& prog) {
                  args.back() = f(args, prog);
                }),
                inlined, debugContext) {}

TensorFunction::TensorFunction(
    Graph& graph, Signature sig,
    std::function<Tensor(std::vector<Tensor>&, Sequence&, const DebugNameAndId&)> f, bool inlined,
    const DebugContext& debugContext)
    : voidFunc_(graph, withResult(std::move(sig)),
                VoidFunction::NamedBody(
                    [f](std::vector<Tensor>& args, Sequence& prog, const DebugNameAndId& name) {
                      args.back() = f(args, prog, name);
                    }),
                inlined, debugContext) {}

Tensor TensorFunction::operator()(std::vector<Tensor>& args, Sequence& prog,
                                  const DebugContext& debugContext) {
  std::vector<Tensor> all = args;
  all.emplace_back();
  voidFunc_(all, prog, debugContext);
  return all.back();
}

}  // namespace graphfn
}  // namespace poputil
