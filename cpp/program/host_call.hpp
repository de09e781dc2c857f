// Calls of functions on the host that are known when the program is made, as steps of the engine.
// A host function of Poplar (host_function.hpp) is connected to the engine later.
#ifndef popir_program_host_call_hpp
#define popir_program_host_call_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"

namespace popir {

#pragma GCC visibility push(default)

/// The function: pointers to the inputs, and to the outputs, which it writes as a whole. Both are
/// dense, in row-major order. Inputs are not to be written. It runs on the thread that runs the
/// engine.
using HostCall = std::function<void(const void* const* inputs, void* const* outputs)>;

struct HostCallOptions {
  /// Whether it does more than to write its outputs, or gives other outputs for the same inputs.
  /// Such a step runs exactly where and as often as the program says.
  bool hasEffects = true;
  /// The longest time that a call may take; 0 for any. With a limit the function works on copies,
  /// in a thread of its own.
  std::chrono::milliseconds limit{0};
  /// For the machine reading.
  Work work{"host call", UnknownWork{}};
};

/// A call has not returned within its limit. The thread that runs it is left behind, and the engine
/// refuses to run again.
struct HostCallTimeout : poplar::application_runtime_error {
  using poplar::application_runtime_error::application_runtime_error;
};

/// Adds a step that calls `function`. What it throws becomes poplar::application_runtime_error,
/// whose text begins with `who`. The program cannot be saved.
/// \throws poplar::graph_connection_error if an output is constant or contains aliases
void addHostCall(poplar::Graph& graph, poplar::program::Sequence& prog, const std::string& who,
                 HostCall function, const std::vector<poplar::Tensor>& inputs,
                 const std::vector<poplar::Tensor>& outputs,
                 const poplar::DebugContext& debugContext, const HostCallOptions& options = {});

#pragma GCC visibility pop

}  // namespace popir

#endif
