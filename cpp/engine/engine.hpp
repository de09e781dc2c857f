// The engine: compiles a plan to a flat list of instructions over resolved pointers, and runs it.
#ifndef popir_engine_engine_hpp
#define popir_engine_engine_hpp

#include <poplar/Engine.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/arena.hpp"
#include "engine/float_checks.hpp"
#include "engine/host_profile.hpp"
#include "engine/lock.hpp"
#include "engine/placement/workspace.hpp"
#include "engine/plan/pass.hpp"
#include "engine/plan/rereads.hpp"
#include "engine/prefetcher.hpp"
#include "engine/thread_choice.hpp"
#include "poplar/collective.hpp"
#include "program/strided_copy.hpp"

namespace popir {

/// The host's end of one stream.
struct StreamEnd {
  poplar::DataStream stream;
  std::size_t bytes = 0;  // of one transfer
  char *begin = nullptr, *end = nullptr, *next = nullptr;
  std::size_t offset = 0;     // of the first transfer in the buffer
  std::size_t step = 0;       // from one transfer to the next
  std::size_t transfers = 0;  // that the buffer has had
  std::shared_ptr<poplar::StreamCallback> callback;
  std::function<void(void*)> function;
  bool prefetches = false;                 // after each transfer, ask the callback for the next one
  std::unique_ptr<Prefetcher> prefetcher;  // what asks; null before the first transfer
  std::vector<char> aside;                 // of an output, while its buffer is an input's, too

  bool hasCallback() const { return callback || function; }
  /// \returns the buffer of the next transfer. \throws stream_connection_error if nothing is
  /// connected.
  char* advance();
  /// Goes on with the transfer behind the first `count` of the buffer.
  void skipTo(std::size_t count);
  void call(void* buffer);
  /// The buffer is `to`, of the same size, and the next transfer has the same place in it.
  void moveTo(char* to);
  /// Disconnects the buffer or callback, and drops prefetched data. Waits for a prefetch that has
  /// begun.
  void disconnect();
};

/// The passes of every engine, in the order in which they run. compile.cpp has one row for each.
__attribute__((visibility("default"))) const Passes& enginePasses();

class ReplicaEngines;  // engine/replica_engines.hpp

/// Where the engine of a replica meets those of others.
class Meeting {
 public:
  /// A collective: returns when `out` is written.
  virtual void meet(unsigned replica, const Collective& collective, const void* in, void* out) = 0;
  /// One of a bucket, by its number and that of the part: takes the data, and returns. Of a bucket in
  /// place, `in` is read and `out` written until end() returns; `out` of others is null.
  virtual void begin(unsigned replica, std::size_t bucket, std::size_t part, const void* in,
                     void* out) = 0;
  /// The same one: returns when `out` is written.
  virtual void end(unsigned replica, std::size_t bucket, std::size_t part, void* out) = 0;

 protected:
  ~Meeting() = default;
};

/// The implementation of poplar::Engine. Each non-const member function locks the engine
/// (EngineLock): other threads wait, and a call from a callback of this engine's own run throws.
class __attribute__((visibility("default"))) EngineImpl {
 public:
  using Programs = std::vector<std::shared_ptr<ProgramNode>>;

  EngineImpl(std::shared_ptr<GraphImpl> graph, Programs programs,
             const poplar::OptionFlags& options, const poplar::ProgressFunc& progress);

  /// Writes the profile that the autoReport options request.
  ~EngineImpl();
  EngineImpl(const EngineImpl&) = delete;
  EngineImpl& operator=(const EngineImpl&) = delete;

  /// Resets variables and the state of vertices to their initial values.
  void load(const poplar::Device& device);
  void run(unsigned program);
  /// Ends the run that is going on after its step, in any thread. The engine of a replica throws Halted.
  void stop() { stops_ = true; }
  struct Halted {};
  /// Errors that a run ends with before it begins, by tile.
  void insertError(poplar::ErrorCode code, const poplar::ErrorLocation& location);
  void eraseError(const poplar::ErrorLocation& location);
  void clearErrors();
  std::vector<poplar::ErrorLocation> errorLocations(unsigned tile, unsigned most) const;
  std::vector<poplar::ErrorLocation> errorLocations(const std::string& name, unsigned most) const;
  /// Of the buffer every `of`-th transfer, from number `index` on.
  void connect(const std::string& handle, void* begin, void* end, std::size_t index = 0,
               std::size_t of = 1);
  /// Another end of a stream of this engine, with a callback of its own.
  StreamEnd endOf(const std::string& handle, const poplar::StreamCallbackHandle& callback);
  /// By stream, the transfers of its buffer so far.
  std::vector<std::size_t> transfers() const;
  void skipTo(const std::vector<std::size_t>& transfers);
  void connect(const std::string& handle, const poplar::StreamCallbackHandle& callback);
  void connect(const std::string& handle, const poplar::HostCallbackHandle& callback);
  void write(const std::string& handle, const void* begin, const void* end);
  void read(const std::string& handle, void* begin, void* end);
  /// Gives a tensor the values of memory that nobody changes, and that stays until the handle is
  /// written, something else lent, or load() called: they are read where they lie.
  /// \returns false if that cannot be, because a program writes the tensor, or has it joined with
  /// others, or the memory is not aligned as the arena is: then nothing has changed.
  /// `released`: called where a run has packed the values and nothing else reads them: from then on
  /// the memory need not stay, and read() makes them of the packed form.
  bool lend(const std::string& handle, const void* begin, std::function<void()> released = {});
  /// A row of a remote buffer, which this engine's programs use.
  /// \throws stream_connection_error
  char* remoteRow(const char* who, const std::string& handle, unsigned row, unsigned replica);
  std::size_t remoteRowBytes(const char* who, const std::string& handle) const;

  /// Makes this the engine of the replica with that number, which meets the others there.
  /// \returns the groupings of its collectives, in the order in which the graph has them
  std::vector<Grouping> connectCollectives(unsigned replica, Meeting& meeting);
  /// The collectives that are begun before their results are needed.
  const std::vector<Bucket>& buckets() const { return buckets_; }

  /// This engine with those of the other replicas, which are made when they are first asked for; null
  /// for a graph of one replica, and after runAlone().
  ReplicaEngines* together();
  /// Makes this the engine of one replica, which Replicas may bring together with others.
  void runAlone() { isAlone_ = true; }
  const std::shared_ptr<GraphImpl>& shared() const { return grown_; }

  /// The lock of the engine, for callers that hold it over several calls.
  EngineLock& lock() const { return lock_; }

  /// The graph and programs before any pass, for the machine reading.
  const GraphImpl& graph() const { return *grown_; }
  const Programs& programs() const { return programNodes_; }
  const poplar::OptionFlags& options() const { return options_; }
  /// The program of each run, in order; only the first 65536 runs are recorded.
  const std::vector<unsigned>& runs() const { return runs_; }
  void forgetRuns() { runs_.clear(); }
  unsigned threads() const { return threads_; }
  /// The execution counts of its codelets; null if the engine does not count.
  const CodeletCounts* counts() const { return parts_.codelets.counts.get(); }
  /// Bytes of host memory for variables and the workspace of steps.
  std::size_t arenaBytes() const { return totalBytes_; }
  /// Of arenaBytes() and of memory that was lent: bytes of tensors that are there in packed form alone.
  std::size_t givenBackBytes() const;
  /// One line for each instruction: what it runs, where its operands are, their channel blocks.
  /// Then the notes of the passes.
  std::string planText() const;
  struct HostRow {
    std::vector<std::string> names;  // of the vertices or copies that the instruction executes
    std::string text;                // its line of planText()
    HostTime time;
  };
  /// One row for each instruction of a program. \throws control_program_error if there is no such
  /// program, profiling_disabled unless the option "host.profile" is on.
  std::vector<HostRow> hostProfile(unsigned program) const;

  std::ostream* printStream = &std::cerr;

 private:
  using Names = std::vector<std::string>;
  struct Instr {
    enum class Kind {
      Run,
      RunDrawing,  // Run of a vertex that draws random numbers
      Pack,        // Run of what packs originals_[count]
      BindIn,
      BindOut,
      StreamIn,
      StreamOut,
      OutDone,
      RepeatBegin,
      RepeatEnd,
      JumpUnless,
      Jump,
      SideBySide,  // groups of instructions, sideBySide[count], up to target
      Print,
      SeedRounding
    };
    Kind kind;
    const Runner* runner = nullptr;
    std::size_t scratch = 0;  // of the runner: offset in the arena
    unsigned first = 0;       // index of its first pointer in pointers_
    unsigned slot = 0;
    int stream = -1;
    unsigned count = 0;
    std::size_t target = 0;
    bool expected = true;
    bool compares = false;  // a JumpUnless of Step::compares
    poplar::Type type;
    Names names;  // as Step::names
    Dims shape;   // Print
    poplar::PrintTensorFmt format;
  };
  struct RemoteMemory {
    std::size_t rowBytes = 0, rows = 0;
    std::vector<char> bytes;
  };
  void connectRemoteBuffers();
  void refuseCollectives();
  void writeReplicationIndex();
  static constexpr unsigned kArenaSlot = 0, kKeptSlot = 1;
  struct Ref {
    unsigned slot;
    std::size_t offset;
  };
  struct Slot {
    char* base = nullptr;
    std::vector<unsigned> users;  // indices in pointers_ to update when the base changes
    std::size_t bytes = 0;
    std::vector<char> staging;  // own memory: for callbacks, and for outputs that overlap another
    bool staged = false;
    int stream = -1;
  };
  struct Compiled {
    std::vector<Instr> instrs;
    std::vector<std::string> text;
    std::vector<HostTime> times;              // by instruction; empty if they are not timed
    std::vector<SideBySideSteps> sideBySide;  // of instructions
    ThreadChoice choice;
    bool isShared = true;  // whether threads may have shared a region of the last run
  };

  /// Executes the program on as many threads as its choice says.
  void runOnThreads(Compiled& program);
  void runSideBySide(Compiled& program, const SideBySideSteps& groups);
  void report() const;
  void setInitialValues();
  /// By variable: whether the host alone writes it, as a whole and in whatever order. It has a slot of
  /// its own: it may lie in memory of the host that is lent, if in the same order, or give its memory
  /// back.
  std::vector<bool> lendable(const std::vector<FlatProgram>& programs) const;
  /// Where a constant, or a variable that is always live, lies.
  char* memoryOf(unsigned variable) const;
  /// The variable lies in the arena again, without a value.
  void takeBack(unsigned variable);
  /// A variable that instructions Pack of the prologue read, whose memory is given back after the last
  /// of them, if nothing else reads it.
  struct Original {
    unsigned variable;
    std::size_t packs = 0, reads = 0;  // those that pack it; with those that run with its forms
    std::size_t packed = 0;            // packs of this prologue that are done
    bool mayLeave = false;             // nothing but these reads it
    bool isAway = false;
    Ref form;  // one of them, the runner that packs it, and its bytes
    const Runner* pack;
    std::size_t bytes;
    std::function<void()> released;  // as in lend()
  };
  /// Whether the operand is all of a variable that may leave, in whatever order.
  bool isOriginal(const poplar::Tensor& operand, const Layout& layout) const;
  Original& originalOf(unsigned variable);
  /// When all instructions are emitted.
  void chooseOriginals();
  void giveBack(Original& original);
  /// The values of an original that is away, from its packed form.
  void unpack(const Original& original, char* to) const;
  /// Fills compiled_[program]. Operands that can be packed in advance are packed in the prologue,
  /// compiled_.back().
  void emit(std::size_t program, const FlatProgram& flat);
  void execute(Compiled& program);
  /// The variables of a tensor that is a concatenation of several and contiguous in memory, because
  /// their buffers are adjacent; nothing for any other tensor.
  std::optional<Concat> concatInOnePiece(const poplar::Tensor& t) const;
  /// Whether the value of a tensor stays the same until the host writes a variable.
  bool isInvariant(const poplar::Tensor& t) const;
  /// Allocates memory that keeps its contents between runs, and is never shared.
  Ref keep(std::size_t bytes);
  /// Emits step `number` of the program that `rereads` knows.
  void emitRun(const Step& step, std::size_t number, const Rereads& rereads, Compiled& out);
  /// Prepares the kernel of a step, unless one like it has been.
  const Runner& runnerOf(const Step& step, const std::vector<Layout>& layouts);
  void emitCopy(const poplar::Tensor& src, const poplar::Tensor& dst, Compiled& out,
                const Names& names);
  /// Emits the copies between `t` and the dense memory `dense`: from `t` if `gather`,
  /// else to `t`.
  void emitMoves(const poplar::Tensor& t, Ref dense, bool gather, Compiled& out,
                 const Names& names);
  /// Copies between a whole tensor and dense host memory, for reads and writes by handle.
  void hostCopy(const poplar::Tensor& t, char* host, bool toHost);
  Ref refOf(unsigned variable);
  unsigned addPointers(const std::vector<Ref>& refs);
  void setSlot(unsigned slot, char* base);
  bool overlapsBound(const char* begin, std::size_t bytes, unsigned except) const;
  void print(const Instr& instr) const;
  /// \throws what the errors inserted ask for
  void throwError() const;
  void requireTile(const char* who, unsigned tile) const;
  /// The state that stochastic rounding begins with, by the option "prng.seed": its low 32 bits
  /// first.
  static RoundingState seededRounding(const poplar::OptionFlags& options);
  StreamEnd& streamOf(const std::string& handle, const char* who);

  mutable EngineLock lock_;
  std::shared_ptr<GraphImpl> grown_;  // before any pass
  std::shared_ptr<GraphImpl> graph_;  // with the variables that passes added
  poplar::OptionFlags options_;
  Programs programNodes_;
  EngineParts parts_;
  std::vector<unsigned> runs_;
  unsigned threads_;
  std::chrono::microseconds spin_;  // of idle threads
  bool adaptsThreads_;
  Policy policy_;
  FloatChecks floatChecks_;
  BufferAssignment assignment_;
  std::unique_ptr<Workspace> workspace_;  // while instructions are emitted
  std::vector<std::string> notes_;        // of passes
  std::vector<Bucket> buckets_;
  std::vector<std::unique_ptr<Runner>> runners_;
  /// A runner, and what its kernel was prepared for.
  struct Prepared {
    std::vector<Layout> layouts;
    unsigned threads;
    bool draws;
    const Runner* runner;
  };
  /// While instructions are emitted.
  unsigned threadsOfStep_ = 1;  // 1 for what runs beside others
  std::unordered_multimap<const Kernel*, Prepared> prepared_;
  /// Where in a program an instruction is: in a group of those that run side by side, or none.
  struct Aside {
    std::size_t section = 0;           // as FlatProgram::sideBySide, or the next one
    std::optional<std::size_t> group;  // its first step
  };
  Aside aside_;  // while instructions are emitted
  /// A packed form of weights, and what runs with it.
  struct PackedForm {
    std::vector<unsigned> variables;   // that the weights lie in
    std::optional<std::size_t> value;  // as Rereads::valueOf()
    Aside packed;                      // where it is packed
    Ref weights, form;
    const Runner* run;
    bool replaces;  // the weights, of which it has all bits

    /// Whether this form holds the same weights as another one, and is packed before it is wanted.
    bool serves(const PackedForm& wanted) const;
    /// Whether both are of one operand, of the same or of different values.
    bool isOf(const PackedForm& other) const;
  };
  /// While instructions are emitted: by the runner that packs. Steps that are alike, as those of an
  /// unrolled recurrence, read one form. Weights that stay are packed in the prologue, others
  /// in their program, where the first of many steps reads them (Rereads).
  std::unordered_multimap<const Runner*, PackedForm> packed_, reread_;
  std::vector<Compiled> compiled_;  // by program; the prologue is last
  std::vector<bool> invariant_;     // by variable, as Plan::invariant
  std::vector<bool> lendable_;      // by variable: it has a slot of its own, as lendable() says
  std::vector<Original> originals_;
  std::uint32_t replica_ = 0;  // its number
  bool isAlone_ = false;
  std::once_flag isTogether_;
  std::unique_ptr<ReplicaEngines> together_;
  bool touched_ = false;            // a run or a write has changed memory
  bool poisons_ = false;            // "debug.poisonMemory"
  bool stale_ = true;               // the prologue must run before the next program
  std::atomic<bool> stops_{false};  // the run that is going on ends
  std::map<poplar::ErrorLocation, poplar::ErrorCode> errors_;
  std::optional<poplar::Device> device_;  // that it is loaded on, which was reset so often:
  unsigned resets_ = 0;
  std::string closed_;  // why no program may run any more; "" if it may
  std::vector<Slot> slots_;
  std::map<unsigned, unsigned> slotOfVariable_;
  std::vector<Ref> refs_;
  std::vector<void*> pointers_;
  std::vector<StreamEnd> streams_;
  std::map<std::string, RemoteMemory> remote_;    // by handle
  std::map<std::string, std::size_t> streamIds_;  // by handle; filled on first use
  std::vector<unsigned> loopCounts_;
  RoundingState rounding_;
  std::size_t keptBytes_ = 0, totalBytes_ = 0;
  std::unique_ptr<Arena> arena_, kept_;
};

/// Writes the profile of a graph that is too large for an engine, if options ask for reports. Defined
/// in pva/engine_report.cpp.
/// \returns its file, or ""
std::string writeGraphProfile(const GraphImpl& graph,
                              const std::vector<std::shared_ptr<ProgramNode>>& programs,
                              const poplar::OptionFlags& options);

/// Writes a graph and its codelets to the files that options ask for. Defined in
/// executable/graph_files.cpp.
/// \throws poplar::poplar_error for a file that cannot be written
void writeGraphFiles(const GraphImpl& graph, const poplar::OptionFlags& options);

}  // namespace popir

#endif
