// The engine: a plan turned into a flat list of instructions over resolved pointers.
#ifndef popir_poplar_engine_impl_hpp
#define popir_poplar_engine_impl_hpp

#include <poplar/Engine.hpp>

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "poplar/engine_lock.hpp"
#include "poplar/float_checks.hpp"
#include "poplar/host_profile.hpp"
#include "poplar/layouts.hpp"
#include "poplar/plan.hpp"
#include "poplar/strided_copy.hpp"

namespace popir {

/// Zero-filled, 64-byte aligned, lazily backed memory.
class Arena {
 public:
  explicit Arena(std::size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  char* data() const { return data_; }
  /// Zeros again.
  void clear();
  /// From byte `begin` on, what no program has written: see `poison`.
  void poison(std::size_t begin);

 private:
  char* data_;
  std::size_t bytes_;
};

/// Fills memory with NaN of every floating-point type, integers that no model uses and true: what
/// is read without having been written shows in the results.
void poison(char* begin, std::size_t bytes);

/// The engine's number of OpenMP threads for as long as this lives, the caller's afterwards.
class ThreadCount {
 public:
  explicit ThreadCount(unsigned n);
  ~ThreadCount();
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

/// The host's side of one stream.
struct StreamEnd {
  poplar::DataStream stream;
  std::size_t bytes = 0;  // of one transfer
  char *begin = nullptr, *end = nullptr, *next = nullptr;
  std::shared_ptr<poplar::StreamCallback> callback;
  std::function<void(void*)> function;
  bool prefetches = false;  // the callback is asked for the next transfer after each one
  std::vector<char> ahead;  // the next transfer, if the callback had it already

  bool hasCallback() const { return callback || function; }
  /// The buffer of the next transfer. \throws stream_connection_error if nothing is connected.
  char* advance();
  void call(void* buffer);
  /// Nothing is connected; what was prefetched is dropped.
  void disconnect();
};

/// An engine. Each member function that is not const has the engine to itself: other threads wait,
/// and a callback of its own run is refused (EngineLock).
class __attribute__((visibility("default"))) EngineImpl {
 public:
  using Programs = std::vector<std::shared_ptr<ProgramNode>>;

  EngineImpl(std::shared_ptr<GraphImpl> graph, Programs programs,
             const poplar::OptionFlags& options, const poplar::ProgressFunc& progress);

  /// Writes the profile that the autoReport options ask for.
  ~EngineImpl();
  EngineImpl(const EngineImpl&) = delete;
  EngineImpl& operator=(const EngineImpl&) = delete;

  /// Variables and the state of vertices become as they were when the engine was made.
  void load(const poplar::Device& device);
  void run(unsigned program);
  void connect(const std::string& handle, void* begin, void* end);
  void connect(const std::string& handle, const poplar::StreamCallbackHandle& callback);
  void connect(const std::string& handle, const poplar::HostCallbackHandle& callback);
  void write(const std::string& handle, const void* begin, const void* end);
  void read(const std::string& handle, void* begin, void* end);

  /// For several calls that belong together.
  EngineLock& lock() const { return lock_; }

  /// As grown, for the machine reading.
  const GraphImpl& graph() const { return *grown_; }
  const Programs& programs() const { return programNodes_; }
  const poplar::OptionFlags& options() const { return options_; }
  /// The programs that were run, the first 65536 of them.
  const std::vector<unsigned>& runs() const { return runs_; }
  unsigned threads() const { return threads_; }
  /// What its codelets executed; null if they are not counted.
  const CodeletCounts* counts() const { return parts_.codelets.counts.get(); }
  /// Bytes of host memory for variables, temporaries and scratch.
  std::size_t arenaBytes() const { return totalBytes_; }
  /// One line an instruction: what runs, where its operands live, their channel blocks.
  std::string planText() const;
  struct HostRow {
    std::string name, text;  // of the vertex or copy; the instruction's line of planText()
    HostTime time;
  };
  /// One row an instruction of a program. \throws control_program_error if there is no such
  /// program, profiling_disabled unless the option "host.profile" is on.
  std::vector<HostRow> hostProfile(unsigned program) const;

  std::ostream* printStream = &std::cerr;

 private:
  struct Instr {
    enum class Kind {
      Run,
      RunDrawing,  // Run, with draws of its own
      BindIn,
      BindOut,
      StreamIn,
      StreamOut,
      OutDone,
      RepeatBegin,
      RepeatEnd,
      JumpUnless,
      Jump,
      Print,
      SeedRounding
    };
    Kind kind;
    const Runner* runner = nullptr;
    unsigned first = 0;  // of its pointers
    unsigned slot = 0;
    int stream = -1;
    unsigned count = 0;
    std::size_t target = 0;
    bool expected = true;
    poplar::Type type;
    std::string name;
    Dims shape;  // Print
    poplar::PrintTensorFmt format;
  };
  struct Ref {
    unsigned slot;
    std::size_t offset;
  };
  struct Slot {
    char* base = nullptr;
    std::vector<unsigned> users;  // pointers to patch when the base moves
    std::size_t bytes = 0;
    std::vector<char> staging;  // for callbacks, and for outputs that overlap an input
    bool staged = false;
    int stream = -1;
  };
  struct Compiled {
    std::vector<Instr> instrs;
    std::vector<std::string> text;
    std::vector<HostTime> times;  // of instrs, if they are timed
  };

  void report() const;
  void setInitialValues();
  void compile(std::size_t program, const FlatProgram& flat);
  void execute(Compiled& program);
  /// The variables of a tensor that lies in one piece, though it is joined from several.
  std::optional<Row> rowInOnePiece(const poplar::Tensor& t) const;
  /// Whether the value of a tensor lasts until the host writes.
  bool isSettled(const poplar::Tensor& t) const;
  /// Memory that nobody else uses, for as long as the engine lives.
  Ref keep(std::size_t bytes);
  void emitRun(const Step& step, Compiled& out);
  void emitCopy(const poplar::Tensor& src, const poplar::Tensor& dst, Compiled& out,
                const std::string& name);
  /// Moves between `t` and a dense temporary at `temp`.
  void emitMoves(const poplar::Tensor& t, std::size_t temp, bool gather, Compiled& out,
                 const std::string& name);
  /// A copy between a whole tensor and dense host memory, for handles.
  void hostCopy(const poplar::Tensor& t, char* host, bool toHost);
  Ref refOf(unsigned variable);
  unsigned addPointers(const std::vector<Ref>& refs);
  void setSlot(unsigned slot, char* base);
  bool overlapsBound(const char* begin, std::size_t bytes, unsigned except) const;
  std::size_t temporary(std::size_t bytes);
  void print(const Instr& instr) const;
  StreamEnd& streamOf(const std::string& handle, const char* who);

  mutable EngineLock lock_;
  std::shared_ptr<GraphImpl> grown_;
  std::shared_ptr<GraphImpl> graph_;  // with the variables that unshare() has added
  Programs programNodes_;
  poplar::OptionFlags options_;
  EngineParts parts_;
  std::vector<unsigned> runs_;
  unsigned threads_;
  FloatChecks floatChecks_;
  Placement placement_;
  std::vector<std::unique_ptr<Runner>> runners_;
  std::vector<Compiled> compiled_;  // by program; then what is done before the first run
  std::vector<bool> settled_;       // by variable, if anything is kept between runs
  bool touched_ = false;            // by a run or a write
  bool poisons_ = false;            // "debug.poisonMemory"
  bool stale_ = true;               // what is kept is yet to be made from what the host has written
  std::vector<Slot> slots_;
  std::map<unsigned, unsigned> slotOfVariable_;
  std::vector<Ref> refs_;
  std::vector<void*> pointers_;
  std::vector<StreamEnd> streams_;
  std::map<std::string, std::size_t> streamIds_;  // by handle, once somebody asks
  std::vector<unsigned> loopCounts_;
  RoundingState rounding_;
  std::size_t temporaryBytes_ = 0, stepTemporaryBytes_ = 0, scratchBytes_ = 0, totalBytes_ = 0;
  std::size_t keptBytes_ = 0;
  std::unique_ptr<Arena> arena_, kept_;
  void* scratch_ = nullptr;
};

}  // namespace popir

#endif
