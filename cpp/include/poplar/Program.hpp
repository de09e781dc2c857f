// Programs that a device executes. After poplar/Program.hpp of the Poplar SDK 3.
#ifndef poplar_Program_hpp
#define poplar_Program_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/PrintTensor.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Tensor.hpp>

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popir {
struct ProgramNode;  // cpp/poplar/program_node.hpp
}

namespace poplar {

class Graph;

/// A program that can be called; created by Graph::addFunction.
class Function {
 public:
  Function() = default;
  Function(unsigned id, const popir::GraphImpl* graph) : id_(id), graph_(graph), isOne_(true) {}
  /// The function of this number, of whatever graph it is used with.
  Function(unsigned id) : id_(id), isOne_(true) {}
  unsigned getId() const { return id_; }
  bool valid() const { return isOne_; }
  const popir::GraphImpl* graph() const { return graph_; }
  friend bool operator==(const Function& a, const Function& b) { return a.id_ == b.id_; }

 private:
  unsigned id_ = 0;
  const popir::GraphImpl* graph_ = nullptr;  // null if any
  bool isOne_ = false;
};

/// Where the code of a function is kept while it is on no tile.
enum class FunctionBufferMappingType { REMOTE };

/// Code of a function outside of the tiles; created by Graph::addFunctionBuffer. Its number is that of
/// the function.
class FunctionBuffer {
 public:
  FunctionBuffer() = default;
  FunctionBuffer(unsigned id) : id_(id), isOne_(true) {}
  unsigned getId() const { return id_; }
  bool valid() const { return isOne_; }
  friend bool operator==(const FunctionBuffer& a, const FunctionBuffer& b) {
    return a.id_ == b.id_;
  }

 private:
  unsigned id_ = 0;
  bool isOne_ = false;
};

/// Type and size of an argument of a host function, passed as a contiguous array.
struct HostFunctionArgument {
  HostFunctionArgument(Type type, std::size_t numElements) : type(type), numElements(numElements) {}
  Type type;
  std::size_t numElements;
};

/// A function on the host that programs can call; created by Graph::addHostFunction.
class HostFunction {
 public:
  HostFunction() = default;
  HostFunction(int id, std::string handle, std::vector<HostFunctionArgument> inputs,
               std::vector<HostFunctionArgument> outputs)
      : id_(id), handle_(handle), inputs_(inputs), outputs_(outputs) {}
  /// A number alone, without arguments: program::Call refuses it.
  HostFunction(unsigned id) : id_(static_cast<int>(id)), isNumber_(true) {}
  bool valid() const { return id_ >= 0 && !isNumber_; }
  unsigned getId() const { return static_cast<unsigned>(id_); }
  /// Index in the graph's list of host functions.
  int id() const { return id_; }
  const std::string& handle() const { return handle_; }
  const std::vector<HostFunctionArgument>& inputs() const { return inputs_; }
  const std::vector<HostFunctionArgument>& outputs() const { return outputs_; }

 private:
  int id_ = -1;
  bool isNumber_ = false;
  std::string handle_;
  std::vector<HostFunctionArgument> inputs_, outputs_;
};

namespace program {

/// Base class of all programs. Programs are values: changing a program does not affect its copies.
class Program {
 public:
  Program();
  Program(const Program&) = default;
  Program(Program&&) = default;
  Program& operator=(const Program&) = default;
  Program& operator=(Program&&) = default;

  bool isEmpty() const;
  const std::shared_ptr<popir::ProgramNode>& node() const { return node_; }

 protected:
  explicit Program(std::shared_ptr<popir::ProgramNode> node);
  std::shared_ptr<popir::ProgramNode> node_;
};

/// Executes programs one after another.
class Sequence : public Program {
 public:
  Sequence();
  explicit Sequence(const DebugContext& debugContext);
  Sequence(std::initializer_list<Program> programs, const DebugContext& debugContext = {});
  Sequence(const Program& only) : Sequence() { add(only); }
  template <class... T, typename = typename std::enable_if<(sizeof...(T) > 0)>::type>
  Sequence(const Program& first, const Program& second, const T&... rest) : Sequence() {
    addAll(first, second, rest...);
  }
  Sequence(const Program& first, const Program& second) : Sequence() { addAll(first, second); }

  void add(const Program& p);
  std::size_t size() const;

 private:
  void addAll() {}
  template <class... T>
  void addAll(const Program& first, const T&... rest) {
    add(first);
    addAll(rest...);
  }
};

/// A named sequence.
class Block : public Program {
 public:
  explicit Block(const Program& body, const DebugContext& debugContext = {});
  Block(const Program& body, StringRef name, const DebugContext& debugContext);
};

/// Executes the vertices of a compute set, in parallel.
class Execute : public Program {
 public:
  explicit Execute(ComputeSet cs, const DebugContext& debugContext = {});
  /// \throws control_program_error always: what the SDK writes to the tensor is not published, and
  /// vertices return nothing
  Execute(ComputeSet cs, Tensor t, const DebugContext& debugContext = {});
};

/// Copies between tensors of equal type and number of elements, in order, or between a tensor and a
/// host stream. With `optimiseMemory` the host puts the stream's data in order, and tiles transfer
/// what they have; else the tiles put it in order, which the machine model counts.
/// \throws graph_connection_error or stream_connection_error (in the constructor) if they do not
/// match
class Copy : public Program {
 public:
  Copy(Tensor src, Tensor dst, bool dontOutline = false, const DebugContext& debugContext = {});
  Copy(const DataStream& stream, Tensor dst, bool optimiseMemory = false,
       const DebugContext& debugContext = {});
  Copy(Tensor src, const DataStream& stream, bool optimiseMemory = false,
       const DebugContext& debugContext = {});
  /// Copies row 0 of a remote buffer, or the rows whose numbers `offset` has, one UNSIGNED_INT or
  /// INT for each row of the tensor. A row beyond the buffer ends the run.
  Copy(const RemoteBuffer& buffer, Tensor dst, const DebugContext& debugContext = {});
  Copy(const RemoteBuffer& buffer, Tensor dst, Tensor offset,
       const DebugContext& debugContext = {});
  Copy(Tensor src, const RemoteBuffer& buffer, const DebugContext& debugContext = {});
  Copy(Tensor src, const RemoteBuffer& buffer, Tensor offset,
       const DebugContext& debugContext = {});
  /// Brings the code of a function to the tiles. It has no effect on results: the host has all code at
  /// any time, and the machine reading does not count the transfer.
  /// \throws control_program_error for the buffer of another function
  Copy(const FunctionBuffer& buffer, const Function& function,
       const DebugContext& debugContext = {});
};

/// Executes `body` `count` times.
class Repeat : public Program {
 public:
  Repeat(unsigned count, const Program& body, const DebugContext& debugContext = {});
};

/// Executes `body` again and again, until Engine::stop() or an error ends the run. Profiles count it
/// once.
class Loop : public Program {
 public:
  explicit Loop(const Program& body, const DebugContext& debugContext = {});
};

/// Loop: executes `condition`, tests `predicate`, and ends the loop or executes `body`. `predicate`
/// has one element of type BOOL, INT or UNSIGNED_INT. RepeatWhileFalse continues while it is false.
class RepeatWhileTrue : public Program {
 public:
  RepeatWhileTrue(const Program& condition, Tensor predicate, const Program& body,
                  const DebugContext& debugContext = {});
};
class RepeatWhileFalse : public Program {
 public:
  RepeatWhileFalse(const Program& condition, Tensor predicate, const Program& body,
                   const DebugContext& debugContext = {});
};

/// Executes `trueBody` or `falseBody`. `predicate` as for RepeatWhileTrue.
class If : public Program {
 public:
  If(Tensor predicate, const Program& trueBody, const Program& falseBody,
     const DebugContext& debugContext = {});
};

/// Executes the case whose value `control` has, else the default. `control` has one element of type
/// INT or UNSIGNED_INT.
/// \throws control_program_error for another control, and for a value that occurs twice
class Switch : public Program {
 public:
  Switch(Tensor control, const std::vector<std::pair<std::int32_t, Program>>& cases,
         const Program& defaultCase, const DebugContext& debugContext = {});
  Switch(Tensor control, const std::vector<std::pair<std::int32_t, Program>>& cases,
         const DebugContext& debugContext = {});
  explicit Switch(Tensor control, const DebugContext& debugContext = {});
  Switch(Tensor control, const Program& defaultCase, const DebugContext& debugContext = {});
  /// Another value than those of the cases ends the run with an application_runtime_error.
  static Switch switchWithBoundsChecking(Tensor control,
                                         const std::vector<std::pair<std::int32_t, Program>>& cases,
                                         const DebugContext& debugContext = {});
  /// Without a default: nothing is executed for other values.
  static Switch switchWithUnreachableDefault(Tensor control, const DebugContext& debugContext = {});
  Switch& add(std::int32_t value, const Program& program);

 private:
  void grow();

  Tensor control_;
  Program default_;
  std::vector<std::pair<std::int32_t, Program>> cases_;
};

/// Calls a function.
class Call : public Program {
 public:
  explicit Call(Function f, const DebugContext& debugContext = {});
  /// Calls a host function, which reads `inputs` and writes `outputs`.
  Call(HostFunction f, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs,
       const DebugContext& debugContext = {});
};

using poplar::SyncType;

/// Synchronizes tiles. It has no effect on results.
class Sync : public Program {
 public:
  explicit Sync(SyncType type, const DebugContext& debugContext = {});
};

/// Prints a tensor to the engine's print stream (stderr by default).
class PrintTensor : public Program {
 public:
  explicit PrintTensor(Tensor t, const DebugContext& debugContext = {});
  PrintTensor(Tensor t, const PrintTensorFmt& format, const DebugContext& debugContext = {});
  PrintTensor(StringRef title, Tensor t, const DebugContext& debugContext = {});
  PrintTensor(StringRef title, Tensor t, const PrintTensorFmt& format,
              const DebugContext& debugContext = {});
};

/// Ends the run with an application_runtime_error of this message and the tensor's values.
class ErrorProgram : public Program {
 public:
  ErrorProgram(StringRef message, Tensor t, const DebugContext& debugContext = {});
};

/// Ends the run with an application_runtime_error of this message, or one that names the program.
class Abort : public Program {
 public:
  explicit Abort(const DebugContext& debugContext = {});
  explicit Abort(const std::string& message, const DebugContext& debugContext = {});
  explicit Abort(const char* message, const DebugContext& debugContext = {})
      : Abort(std::string(message), debugContext) {}
};

/// The same if the element of `predicate` is true.
class AbortOnCondition : public Program {
 public:
  explicit AbortOnCondition(Tensor predicate, const DebugContext& debugContext = {});
  AbortOnCondition(Tensor predicate, const std::string& message,
                   const DebugContext& debugContext = {});
  AbortOnCondition(Tensor predicate, const char* message, const DebugContext& debugContext = {})
      : AbortOnCondition(std::move(predicate), std::string(message), debugContext) {}
};

/// Says that a tensor, such as the condition of an If, is the same on all replicas. It has no effect:
/// each replica takes its own way here, whatever the others do.
class AssumeEqualAcrossReplicas : public Program {
 public:
  explicit AssumeEqualAcrossReplicas(Tensor t, const DebugContext& debugContext = {});
};

/// Copies between replicas: replica `second` gets in `dst` what replica `first` has in `src`, for each
/// pair of `replicaMap`. Each replica of the graph is once a `first` and once a `second`.
/// \throws control_program_error for another map, and graph_connection_error if the tensors do not
/// match or overlap
class CrossReplicaCopy : public Program {
 public:
  CrossReplicaCopy(Tensor src, Tensor dst, std::map<unsigned, unsigned> replicaMap,
                   const DebugContext& debugContext = {});
};

/// Marks a tensor's value as undefined until it is written again, which ends its lifetime.
class WriteUndef : public Program {
 public:
  explicit WriteUndef(Tensor t, const DebugContext& debugContext = {});
};

/// Writes the program as JSON: its kind, its name if it has one, what it copies or executes, and
/// the programs in it. Functions that are called are written out where they are. The keys are
/// popir's own.
void dumpProgram(const Graph& graph, const Program& program, std::ostream& out);

}  // namespace program
}  // namespace poplar

#pragma GCC visibility pop

#endif
