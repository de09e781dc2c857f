// Compiles and runs programs. After poplar/Engine.hpp of the Poplar SDK 3.
#ifndef poplar_Engine_hpp
#define poplar_Engine_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/Error.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/HostFunctionCallback.hpp>
#include <poplar/Module.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <poplar/RuntimeOptions.hpp>
#include <poplar/StreamCallback.hpp>
#include <poplar/StringRef.hpp>

#include <chrono>
#include <cstdint>
#include <fstream>  // for programs that use files and include this header alone
#include <functional>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace pva {
class Report;  // pva/pva.hpp
}

namespace popir {
class EngineImpl;  // cpp/engine/engine.hpp
}

namespace poplar {

/// Writes what a profile's file, or Engine::getGraphProfile() and getExecutionProfile(), say of a
/// graph: target, sizes, memory and vertices. There are no options yet.
/// \throws std::runtime_error if the file cannot be read
void printGraphSummary(std::ostream& out, const std::string& profilePath,
                       const OptionFlags& options = {});
void printGraphSummary(std::ostream& out, const ProfileValue& graphProfile,
                       const OptionFlags& options = {});
void printProfileSummary(std::ostream& out, const ProfileValue& graphProfile,
                         const ProfileValue& executionProfile, const OptionFlags& options = {});

using ProgressFunc = std::function<void(int, int)>;

/// Compiles a graph and its programs in their current state. Later changes of the graph have no
/// effect.
/// \throws the exceptions of Engine's constructor, except for lack of memory on the host
Executable compileGraph(const Graph& graph, ArrayRef<program::Program> programs,
                        const OptionFlags& options = {}, ProgressFunc progress = ProgressFunc(),
                        const DebugContext& debugContext = {});
/// The same; without `checkOptionFlags` options that an Engine does not know are left out.
Executable compileGraph(const Graph& graph, ArrayRef<program::Program> programs,
                        bool checkOptionFlags, const OptionFlags& options = {},
                        ProgressFunc progress = ProgressFunc(),
                        const DebugContext& debugContext = {});
Executable compileGraph(const Graph& graph, ArrayRef<program::Program> programs,
                        const Preallocations& preallocations, const OptionFlags& options = {},
                        ProgressFunc progress = ProgressFunc(),
                        const DebugContext& debugContext = {});
Executable compileGraph(const Graph& graph, ArrayRef<program::Program> programs,
                        const Preallocations& preallocations, bool checkOptionFlags,
                        const OptionFlags& options = {}, ProgressFunc progress = ProgressFunc(),
                        const DebugContext& debugContext = {});
/// One program, for a loader. It has no streams.
/// \throws control_program_error for a graph with streams
Module compileModule(const Graph& graph, program::Program program, const OptionFlags& options = {},
                     ProgressFunc progress = ProgressFunc(), const DebugContext& debugContext = {});
Module compileModule(const Graph& graph, program::Program program,
                     const Preallocations& preallocations, const OptionFlags& options = {},
                     ProgressFunc progress = ProgressFunc(), const DebugContext& debugContext = {});

/// Compiles programs once and runs them many times.
///
/// Of a graph of several replicas (replication_factor) each is run, by an engine and threads of its
/// own, and collectives bring them together. What the host writes and reads has a first dimension of
/// the replicas, and so has a buffer of a stream, for each transfer; not that of a stream with
/// ReplicatedStreamMode::BROADCAST, of which all get the same. Profiles are those of replica 0.
///
/// docs/poplar_programs.md lists the options. The environment variable POPLAR_ENGINE_OPTIONS, a
/// JSON object of strings, overrides `options`.
/// \throws invalid_tile_mapping, control_program_error, graph_memory_allocation_error
class Engine {
 public:
  Engine(const Graph& graph, const program::Program& program, const OptionFlags& options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext& debugContext = {});
  Engine(const Graph& graph, ArrayRef<program::Program> programs, const OptionFlags& options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext& debugContext = {});
  explicit Engine(Executable&& executable, const OptionFlags& options = {});
  /// The same of an executable that stays: several engines may be made of one.
  explicit Engine(const Executable& executable, const OptionFlags& options = {});
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  /// Loads the programs onto a device, and sets variables to their initial values.
  void load(const Device& device);
  void prepare(const Device& device) { load(device); }
  void prepare(const Device& device, const RuntimeOptions&) { load(device); }
  void deploy() {}
  /// Runs program number `program` of the constructor's list.
  /// \throws control_program_error if there is no such program; stream_connection_error if a stream
  /// is not connected
  void run(unsigned program = 0, const std::string& debugName = "");
  void run(unsigned program, const std::string& debugName, const RuntimeOptions&) {
    run(program, debugName);
  }
  /// Ends the run that is going on, after the step that it is at: run() returns. For callbacks and
  /// other threads; without a run it does nothing.
  void stop();
  void loadAndRun(const Device& device, unsigned program = 0) {
    load(device);
    run(program);
  }

  /// Connects a stream to host memory. Successive transfers use successive parts of the buffer;
  /// after `end` they start again at `begin`. Without `end` the buffer holds one transfer. The
  /// memory must stay valid while programs use the stream.
  /// \throws stream_connection_error for an unknown stream, or a buffer whose size is not a
  /// multiple of one transfer
  void connectStream(StringRef handle, void* begin, void* end);
  void connectStream(StringRef handle, void* begin);
  void connectStream(const DataStream& stream, void* begin, void* end) {
    connectStream(StringRef(stream.handle()), begin, end);
  }
  void connectStream(const DataStream& stream, void* begin) {
    connectStream(StringRef(stream.handle()), begin);
  }
  template <class T>
  void connectStream(StringRef handle, ArrayRef<T> buffer) {
    connectStream(handle, const_cast<T*>(buffer.data()),
                  const_cast<T*>(buffer.data() + buffer.size()));
  }
  template <class T>
  void connectStream(StringRef handle, std::vector<T>& buffer) {
    connectStream(handle, buffer.data(), buffer.data() + buffer.size());
  }
  /// The callback of one replica, `index`; number 0 without it. Callbacks of several replicas are
  /// called at the same time.
  /// \throws stream_connection_error for a replica that there is not
  void connectStreamToCallback(StringRef handle, StreamCallbackHandle callback);
  void connectStreamToCallback(StringRef handle, unsigned index, StreamCallbackHandle callback);

  /// Sets the callback of a host function, of replica `index`.
  void connectHostFunction(StringRef handle, unsigned index, HostCallbackHandle callback);
  void connectHostFunction(StringRef handle, HostCallbackHandle callback) {
    connectHostFunction(handle, 0, std::move(callback));
  }

  /// Copies host memory to a tensor (Graph::createHostWrite), or a tensor to host memory
  /// (Graph::createHostRead). Of a buffer that is larger than the tensor the beginning counts.
  /// \throws tensor_io_state_error for an unknown handle, or if `bufferEnd` says that the buffer
  /// is smaller than the tensor
  void writeTensor(StringRef handle, const void* buffer, const void* bufferEnd);
  void writeTensor(StringRef handle, const void* buffer);
  void readTensor(StringRef handle, void* buffer, void* bufferEnd);
  void readTensor(StringRef handle, void* buffer);
  template <class T>
  void writeTensor(StringRef handle, ArrayRef<T> buffer) {
    writeTensor(handle, buffer.data(), buffer.data() + buffer.size());
  }
  template <class T>
  void readTensor(StringRef handle, ArrayRef<T> buffer) {
    auto* const begin = const_cast<T*>(buffer.data());
    readTensor(handle, begin, begin + buffer.size());
  }
  template <class T>
  void writeTensor(StringRef handle, const std::vector<T>& buffer) {
    writeTensor(handle, buffer.data(), buffer.data() + buffer.size());
  }
  template <class T>
  void readTensor(StringRef handle, std::vector<T>& buffer) {
    readTensor(handle, buffer.data(), buffer.data() + buffer.size());
  }

  /// Copy a row of host memory to a remote buffer (Graph::addRemoteBuffer), or back.
  /// \throws stream_connection_error for a buffer that the programs do not use, a row or a replica
  /// that it does not have, and a size that does not match
  void copyToRemoteBuffer(const void* source, const std::string& handle, unsigned repeatIndex,
                          unsigned replicationIndex = 0);
  void copyFromRemoteBuffer(const std::string& handle, void* destination, unsigned repeatIndex,
                            unsigned replicationIndex = 0);
  template <class T>
  void copyToRemoteBuffer(ArrayRef<T> source, const std::string& handle, unsigned repeatIndex,
                          unsigned replicationIndex = 0) {
    checkRemoteBytes("copyToRemoteBuffer", handle, source.size() * sizeof(T));
    copyToRemoteBuffer(static_cast<const void*>(source.data()), handle, repeatIndex,
                       replicationIndex);
  }
  template <class T>
  void copyToRemoteBuffer(const std::vector<T>& source, const std::string& handle,
                          unsigned repeatIndex, unsigned replicationIndex = 0) {
    copyToRemoteBuffer(ArrayRef<T>(source), handle, repeatIndex, replicationIndex);
  }
  template <class T>
  void copyFromRemoteBuffer(const std::string& handle, ArrayRef<T> destination,
                            unsigned repeatIndex, unsigned replicationIndex = 0) {
    checkRemoteBytes("copyFromRemoteBuffer", handle, destination.size() * sizeof(T));
    copyFromRemoteBuffer(handle, const_cast<void*>(static_cast<const void*>(destination.data())),
                         repeatIndex, replicationIndex);
  }
  template <class T>
  void copyFromRemoteBuffer(const std::string& handle, std::vector<T>& destination,
                            unsigned repeatIndex, unsigned replicationIndex = 0) {
    copyFromRemoteBuffer(handle, ArrayRef<T>(destination), repeatIndex, replicationIndex);
  }

  /// The handles of all streams.
  std::vector<std::string> listStreams() const;

  /// From now on each run ends before its first step, as if a tile had this error: by
  /// application_runtime_error where a program is at fault, recoverable_runtime_error where the machine
  /// is and a reset helps, unrecoverable_runtime_error for IPU_MEMORY_FAILURE, else
  /// unknown_runtime_error. What the SDK throws for each code is not published.
  /// \throws poplar_error for ErrorCode::NONE, and for a tile that there is not
  void insertSimulatedError(ErrorCode code, const ErrorLocation& location);
  /// \throws poplar_error for a location without an error
  void eraseSimulatedError(const ErrorLocation& location);
  void clearSimulatedErrors();
  /// Where an error may be: up to `most` places of a tile, of which each has one, or those of the tiles
  /// that have vertices of this type or compute set.
  /// \throws poplar_error for a tile or a name that there is not
  std::vector<ErrorLocation> getSimulatedErrorLocations(unsigned tile, unsigned most = ~0u) const;
  std::vector<ErrorLocation> getSimulatedErrorLocations(StringRef name, unsigned most = ~0u) const;

  /// The options that the engine was made with, of the environment too.
  const OptionFlags& getEngineOptions() const;

  /// The host's clock, and the time between two readings as text.
  using TimerTimePoint = std::chrono::steady_clock::time_point;
  TimerTimePoint getTimeStamp() const { return std::chrono::steady_clock::now(); }
  static std::string reportTiming(const TimerTimePoint& start, const TimerTimePoint& end);

  /// What printProfileSummary() writes, as values: tiles, vertices, memory by tile; cycles by
  /// program. The names are popir's own.
  ProfileValue getGraphProfile() const;
  ProfileValue getExecutionProfile() const;
  /// Profiles of executions are there in any case: these change nothing.
  void enableExecutionProfiling() {}
  void disableExecutionProfiling() {}
  /// Forgets the runs so far: a profile has those that follow.
  void resetExecutionProfile();

  /// Writes a report of estimates: the cycles of one run of each program, and the memory on tiles.
  /// The report states what it includes. There are no options yet.
  void printProfileSummary(std::ostream& stream, const OptionFlags& options = {}) const;

  /// Writes what getReport() says of the executed spans, as CSV: a line for each program, with the
  /// estimated cycles at which it began and ended.
  void reportIntervals(std::ostream& stream) const;

  /// Returns a profile: the graph, memory by tile and, with `reportExecution`, the executed steps.
  /// Include pva/pva.hpp to use it.
  pva::Report getReport(bool reportExecution = true) const;

  /// Sets the output of program::PrintTensor; stderr by default.
  void setPrintStream(std::ostream& stream);
  void setPrintTensorStream(std::ostream& stream) { setPrintStream(stream); }

  /// Writes graph and programs as Executable::serialize() does, for Executable::deserialize().
  /// \throws poplar_error if the stream takes no more
  void serializeExecutable(std::ostream& out) const;

  popir::EngineImpl& impl() const { return *impl_; }

 private:
  void checkRemoteBytes(const char* who, const std::string& handle, std::size_t bytes) const;

  std::unique_ptr<popir::EngineImpl> impl_;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
