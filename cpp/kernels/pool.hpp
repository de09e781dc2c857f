// The threads that run kernels. docs/threads.md says how they share work, wait and survive a fork.
#ifndef popir_kernels_pool_hpp
#define popir_kernels_pool_hpp

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace popir {
namespace pool {

/// What a region executes: tasks [first, last), on thread `thread` of the region. 0 is the thread
/// that began the region.
struct Body {
  void (*call)(const void* context, std::int64_t first, std::int64_t last, unsigned thread);
  const void* context;
};

/// How the tasks of a region are shared.
enum class Sharing {
  /// Each thread begins with tasks of its own and goes on with those of others. A thread that comes
  /// late, or not at all, is not waited for.
  Dynamic,
  /// Thread t executes task t, and all tasks run at the same time: they may wait for one another.
  Together,
};

/// Memory of one thread of a team, taken and given back in turn as on a stack.
class Stack {
 public:
  Stack() = default;
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack();
  void* take(std::size_t bytes);
  void giveBack(std::size_t bytes);
  using Poison = void(char* begin, std::size_t bytes);
  /// Calls `poison` for all of it, and for what it grows by later.
  void poison(Poison* poison);
  /// Frees all of it, while nothing is taken.
  void clear();

 private:
  struct Block {
    char* begin;
    std::size_t bytes, used;
  };
  void grow(std::size_t bytes);

  std::vector<Block> blocks_;
  std::size_t used_ = 0, most_ = 0;  // bytes of all blocks
  Poison* poison_ = nullptr;
};

/// The threads of one run at a time: the caller and up to most() - 1 workers, which start when they
/// are first needed. One region at a time.
class Team {
 public:
  explicit Team(unsigned most);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  unsigned most() const { return most_; }
  /// Whether regions whose tasks need not run at the same time are the caller's alone.
  void keepAlone(bool alone) { alone_ = alone; }
  /// The number of such regions that began, however they were shared.
  std::uint32_t sharedRegions() const { return sharedRegions_; }
  /// How long a worker without work spins before it sleeps.
  void spinFor(std::chrono::nanoseconds time) { spin_.store(time.count()); }

  /// Starts the workers of regions of `threads` threads.
  /// \throws poplar::runtime_error if the system refuses them
  void need(unsigned threads);
  /// Begins a region of `threads` threads for tasks [first, tasks) in grains of `grain`. Together
  /// needs tasks == threads, grain 1, first == 1 and workers that started (need()).
  void begin(const Body& body, std::int64_t first, std::int64_t tasks, std::int64_t grain,
             unsigned threads, Sharing sharing);
  /// Executes what is left, then waits for the grains that others began. Throws what a grain threw.
  void finish();
  /// Waits until all threads of a Together region are here.
  void barrier();

  /// The number of threads of the region that goes on.
  unsigned threadsOfRegion() const { return threads_; }
  /// The memory of one of the threads.
  Stack& stack(unsigned thread) { return lanes_[thread].stack; }

  /// In a forked child, which has none of the workers.
  void afterFork();

 private:
  struct alignas(64) Range {
    std::atomic<std::int64_t> next{0};
    std::int64_t begin = 0, end = 0;
    std::atomic<bool> ownerIsHere{false};
  };

  struct alignas(64) Lane {
    Stack stack;
  };

  void startWorkers(unsigned wanted);
  void live(unsigned thread, std::uint32_t seen);
  std::uint64_t awaitRegion(std::uint32_t seen);
  void execute(unsigned thread);
  void executeTasks(unsigned thread);
  void executeRange(Range& range, unsigned thread);
  void takeOver(Range& range, unsigned thread, std::chrono::nanoseconds grain);
  void fail();
  void departed();
  template <class Done>
  void awaitWorkers(const Done& done);

  /// Number of the region << 32 | open << 31 | its threads << 16 | workers inside. A worker enters
  /// while the region is open; the region's data change only while nobody is inside.
  alignas(64) std::atomic<std::uint64_t> state_{0};
  alignas(64) std::atomic<std::uint32_t> sleepers_{0};
  std::atomic<bool> callerSleeps_{false};
  std::atomic<std::uint32_t> departures_{0};
  std::atomic<std::int64_t> spin_{0};
  alignas(64) std::atomic<std::uint32_t> arrived_{0};
  std::atomic<std::uint32_t> generation_{0};
  alignas(64) Body body_{nullptr, nullptr};
  std::int64_t grain_ = 1;
  unsigned threads_ = 1;
  Sharing sharing_ = Sharing::Dynamic;
  std::unique_ptr<Range[]> ranges_;
  std::unique_ptr<Lane[]> lanes_;
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;
  unsigned most_, workers_ = 0;
  bool alone_ = false;
  std::uint32_t sharedRegions_ = 0;
};

/// While it exists, regions of this thread use one team, and threads() is its size. `alone`: as
/// Team::keepAlone().
class Use {
 public:
  Use(unsigned threads, std::chrono::nanoseconds spin, bool alone = false);
  ~Use();
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  Team& team() const { return *team_; }
  const Use* around() const { return around_; }

 private:
  Team* team_;
  const Use* around_;
};

/// The team of this thread for regions of up to `threads` threads: that of its Use, else one that is
/// borrowed as long as the object exists.
class Borrowed {
 public:
  explicit Borrowed(unsigned threads);
  ~Borrowed();
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  Team& operator*() const { return *team_; }
  Team* operator->() const { return team_; }

 private:
  Team* team_;
  bool own_;
};

/// Memory of the calling thread alone, 64-byte aligned, as long as the object exists. A thread gets the
/// same memory again and again, in all kernels, so it stays in the cache of one core.
/// Objects of one thread end in the opposite order. In a region whose tasks take one object of the same size
/// each, a thread finds what its last task left. What several threads read is in the scratch memory of a run.
class OwnMemory {
 public:
  explicit OwnMemory(std::size_t bytes);
  ~OwnMemory() { stack_->giveBack(bytes_); }
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;
  void* data() const { return data_; }

 private:
  Stack* stack_;
  std::size_t bytes_;
  void* data_;
};

/// An array of pointers or numbers in own memory, which are not initialised.
template <class T>
class OwnArray {
 public:
  explicit OwnArray(std::size_t count) : memory_(count * sizeof(T)) {}
  T* begin() const { return static_cast<T*>(memory_.data()); }
  T& operator[](std::size_t i) const { return begin()[i]; }

 private:
  OwnMemory memory_;
};

/// Stack::poison() for all threads of this thread's Use.
void poisonOwnMemory(Stack::Poison* poison);
/// Frees the own memory of threads that nobody uses. Runs that come later take it anew.
void freeIdleMemory();

/// The number of threads of this thread's Use; without one, defaultThreads().
unsigned threads();
/// OMP_NUM_THREADS if that is set, else the number of cores that this process may use.
/// \throws poplar::invalid_option if OMP_NUM_THREADS is not a number from 1 to kMostThreads
unsigned defaultThreads();
constexpr std::chrono::microseconds kDefaultSpin{200};

/// Whether this thread executes a grain. A region inside of one runs on this thread alone.
bool inRegion();
/// The number of threads of the region that this thread executes a grain of; 1 outside of one.
unsigned threadsOfRegion();

/// Runs a region from beginning to end.
void run(const Body& body, std::int64_t tasks, std::int64_t grain, unsigned threads);

}  // namespace pool
}  // namespace popir

#endif
