// Parts of a program that are called with several tensors. After poputil/GraphFunction.hpp of
// PopLibs 3.
#ifndef poputil_GraphFunction_hpp
#define poputil_GraphFunction_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace poputil {
namespace graphfn {

enum ArgType { InputArg, OutputArg, InOutArg, CreatedArg };

/// A parameter of a function. The argument is like `similarTensor`; a created one is what the
/// function makes.
struct ArgSig {
  ArgType type;
  poplar::Tensor similarTensor;
  std::string debugName;

  ArgSig(ArgType type_, poplar::Tensor tensor, std::string debugName_)
      : type(type_), similarTensor(std::move(tensor)), debugName(std::move(debugName_)) {}
};

inline ArgSig input(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InputArg, std::move(similar), std::move(debugName));
}
inline ArgSig inout(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InOutArg, std::move(similar), std::move(debugName));
}
inline ArgSig output(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(OutputArg, std::move(similar), std::move(debugName));
}
inline ArgSig created(std::string debugName = "") {
  return ArgSig(CreatedArg, poplar::Tensor(), std::move(debugName));
}
using Signature = std::vector<ArgSig>;

/// A function whose body is made once, for tensors of its own. A call copies inputs to them, runs the
/// body, and copies outputs from them. `inlined` puts the body where it is called, in place of a call.
class VoidFunction {
 public:
  using Body = std::function<void(std::vector<poplar::Tensor>&, poplar::program::Sequence&)>;
  using NamedBody = std::function<void(std::vector<poplar::Tensor>&, poplar::program::Sequence&,
                                       const poplar::DebugNameAndId&)>;

  VoidFunction(VoidFunction&& fn);
  VoidFunction(poplar::Graph& graph, Signature sig, Body f, bool inlined = false,
               const poplar::DebugContext& debugContext = {});
  VoidFunction(poplar::Graph& graph, Signature sig, NamedBody f, bool inlined = false,
               const poplar::DebugContext& debugContext = {});

  /// Adds a call. An argument for a created one may be invalid; it becomes a new tensor.
  /// \throws poplibs_error for another number of arguments
  void operator()(std::vector<poplar::Tensor>& args, poplar::program::Sequence& seq,
                  const poplar::DebugContext& dc = {});

 private:
  poplar::Graph& graph_;
  Signature sig_;
  bool inlined_;
  poplar::program::Sequence prog_;
  poplar::Function func_;
  std::vector<poplar::Tensor> params_;
};

/// The same where the body is a program.
class ProgramFunction {
 public:
  ProgramFunction(poplar::Graph& graph, Signature sig,
                  std::function<poplar::program::Program(std::vector<poplar::Tensor>&)> f,
                  bool inlined = false, const poplar::DebugContext& debugContext = {});
  ProgramFunction(poplar::Graph& graph, Signature sig,
                  std::function<poplar::program::Program(std::vector<poplar::Tensor>&,
                                                         const poplar::DebugNameAndId&)>
                      f,
                  bool inlined = false, const poplar::DebugContext& debugContext = {});
  poplar::program::Program operator()(std::vector<poplar::Tensor>& args,
                                      const poplar::DebugContext& debugContext = {});

 private:
  VoidFunction voidFunc_;
};

/// The same where the body returns a tensor, of which each call returns a copy.
class TensorFunction {
 public:
  TensorFunction(
      poplar::Graph& graph, Signature sig,
      std::function<poplar::Tensor(std::vector<poplar::Tensor>&, poplar::program::Sequence&)> f,
      bool inlined = false, const poplar::DebugContext& debugContext = {});
  TensorFunction(
      poplar::Graph& graph, Signature sig,
      std::function<poplar::Tensor(std::vector<poplar::Tensor>&, poplar::program::Sequence&,
                                   const poplar::DebugNameAndId&)>
          f,
      bool inlined = false, const poplar::DebugContext& debugContext = {});
  poplar::Tensor operator()(std::vector<poplar::Tensor>& args, poplar::program::Sequence& prog,
                            const poplar::DebugContext& debugContext = {});

 private:
  VoidFunction voidFunc_;
};

}  // namespace graphfn
}  // namespace poputil
#pragma GCC visibility pop

#endif
