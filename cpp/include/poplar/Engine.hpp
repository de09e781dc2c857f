// poplar/Engine.hpp: compiles programs and runs them.
#ifndef poplar_Engine_hpp
#define poplar_Engine_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/HostFunctionCallback.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/StreamCallback.hpp>
#include <poplar/StringRef.hpp>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace pva {
class Report;  // pva/pva.hpp
}

namespace popir {
class EngineImpl;  // cpp/poplar/engine_impl.hpp
}

namespace poplar {

using ProgressFunc = std::function<void(int, int)>;

/// A graph and its programs as they are now, checked as an Engine checks them.
/// \throws what an Engine's constructor throws, but for what the host's memory has to say.
Executable compileGraph(const Graph& graph, ArrayRef<program::Program> programs,
                        const OptionFlags& options = {}, ProgressFunc progress = ProgressFunc(),
                        const DebugContext& debugContext = {});

/// Programs, planned once and run many times.
///
/// docs/poplar_programs.md lists the options. Those of the environment variable
/// POPLAR_ENGINE_OPTIONS, a JSON object of strings, win over `options`.
/// \throws invalid_tile_mapping, control_program_error, graph_memory_allocation_error
class Engine {
 public:
  Engine(const Graph& graph, const program::Program& program, const OptionFlags& options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext& debugContext = {});
  Engine(const Graph& graph, ArrayRef<program::Program> programs, const OptionFlags& options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext& debugContext = {});
  explicit Engine(Executable&& executable, const OptionFlags& options = {});
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  void load(const Device& device);
  void prepare(const Device& device) { load(device); }
  void deploy() {}
  void run(unsigned program = 0, const std::string& debugName = "");
  void loadAndRun(const Device& device, unsigned program = 0) {
    load(device);
    run(program);
  }

  /// Binds host memory to a stream. A repeated transfer goes on where the last one ended and
  /// starts again at `begin` after `end`; without `end` the buffer holds one transfer. The memory
  /// must stay valid while programs that use the stream run.
  void connectStream(StringRef handle, void* begin, void* end);
  void connectStream(StringRef handle, void* begin);
  void connectStreamToCallback(StringRef handle, StreamCallbackHandle callback);
  void connectStreamToCallback(StringRef handle, unsigned index, StreamCallbackHandle callback);

  /// What a host function does, from now on. `index` is a replica's, of which there is one.
  void connectHostFunction(StringRef handle, unsigned index, HostCallbackHandle callback);
  void connectHostFunction(StringRef handle, HostCallbackHandle callback) {
    connectHostFunction(handle, 0, std::move(callback));
  }

  void writeTensor(StringRef handle, const void* buffer, const void* bufferEnd);
  void writeTensor(StringRef handle, const void* buffer);
  void readTensor(StringRef handle, void* buffer, void* bufferEnd);
  void readTensor(StringRef handle, void* buffer);
  template <class T>
  void writeTensor(StringRef handle, const std::vector<T>& buffer) {
    writeTensor(handle, buffer.data(), buffer.data() + buffer.size());
  }
  template <class T>
  void readTensor(StringRef handle, std::vector<T>& buffer) {
    readTensor(handle, buffer.data(), buffer.data() + buffer.size());
  }

  /// What one run of each program would cost on the target, and the memory of all of them on its
  /// tiles: estimates, with what they count and what not. Worked out when called. No options yet.
  void printProfileSummary(std::ostream& stream, const OptionFlags& options = {}) const;

  /// What libpva says of the engine: its graph, memory by tile, and, with `reportExecution`, what
  /// ran so far. Include pva/pva.hpp.
  pva::Report getReport(bool reportExecution = true) const;

  void setPrintStream(std::ostream& stream);
  void setPrintTensorStream(std::ostream& stream) { setPrintStream(stream); }

  popir::EngineImpl& impl() const { return *impl_; }

 private:
  std::unique_ptr<popir::EngineImpl> impl_;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
