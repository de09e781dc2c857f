#include "kernels/pool.hpp"

#include <immintrin.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <mutex>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "support/option_table.hpp"

namespace popir {
namespace pool {
namespace {

constexpr std::uint64_t kOpen = 1u << 31, kInside = 0xffff;
constexpr unsigned kThreadsShift = 16, kNumberShift = 32;

std::uint32_t numberOf(std::uint64_t state) { return static_cast<std::uint32_t>(state >> 32); }
unsigned threadsOf(std::uint64_t state) { return (state >> kThreadsShift) & 0x7fff; }

/// The first number of OMP_NUM_THREADS, a list with one for each depth of nested regions. As in OpenMP,
/// there may be white space around numbers.
unsigned threadsFrom(const std::string& text) {
  const auto wrong = [&] {
    return poplar::invalid_option("OMP_NUM_THREADS is '" + text +
                                  "'; set it to a number from 1 to " +
                                  std::to_string(kMostThreads) + ", or leave it unset");
  };
  std::istringstream list(text);
  unsigned first = 0;
  for (std::string part; std::getline(list, part, ',');) {
    constexpr const char* kBlanks = " \t\n\v\f\r";
    part.erase(part.find_last_not_of(kBlanks) + 1);
    part.erase(0, part.find_first_not_of(kBlanks));
    unsigned given = 0;
    const char* const end = part.data() + part.size();
    const auto read = std::from_chars(part.data(), end, given);
    if (read.ec != std::errc() || read.ptr != end || given < 1 || given > kMostThreads)
      throw wrong();
    if (first == 0) first = given;
  }
  if (first == 0 || text.back() == ',') throw wrong();
  return first;
}

// A futex is a 32-bit atomic, or half of one of 64 bits; both are lock-free on x86-64.
void sleepWhile(const void* word, std::uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
void wakeAll(const void* word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}
const void* highHalf(const std::atomic<std::uint64_t>& word) {
  return reinterpret_cast<const char*>(&word) + 4;
}

/// Spins until `done()` or until `time` is over; whether it is done.
template <class Done>
bool spinUntil(const Done& done, std::chrono::nanoseconds time) {
  constexpr int kLooks = 32;  // between two looks at the clock
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (done()) return true;
      _mm_pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

struct Here {
  const Use* use = nullptr;
  const Team* team = nullptr;  // whose region it executes
  Stack* stack = nullptr;      // while it executes tasks of a region
};
thread_local Here here;

/// All teams that nobody uses. A team stays until the process ends: its workers sleep in it.
struct Teams {
  std::mutex mutex;
  std::vector<Team*> idle;

  Teams() { pthread_atfork(prepare, parent, child); }

  static Teams& instance() {
    static auto* const teams = new Teams();  // workers may outlive static objects
    return *teams;
  }

  Team* take(unsigned threads) {
    {
      const std::lock_guard<std::mutex> guard(mutex);
      const auto found = std::find_if(idle.rbegin(), idle.rend(),
                                      [&](const Team* team) { return team->most() == threads; });
      if (found != idle.rend()) {
        Team* const team = *found;
        idle.erase(std::next(found).base());
        return team;
      }
    }
    return new Team(threads);
  }

  void giveBack(Team* team) {
    const std::lock_guard<std::mutex> guard(mutex);
    idle.push_back(team);
  }

  // A child has the thread that forks alone. Teams of others are in the middle of a run there; that
  // run, and so the team, is never heard of again.
  static void prepare() { instance().mutex.lock(); }
  static void parent() { instance().mutex.unlock(); }
  static void child() {
    for (Team* team : instance().idle) team->afterFork();
    for (const Use* use = here.use; use != nullptr; use = use->around()) use->team().afterFork();
    instance().mutex.unlock();
  }
};

// Before the first fork.
[[maybe_unused]] const Teams& teams = Teams::instance();

}  // namespace

constexpr std::size_t kLine = 64;

Stack::~Stack() { clear(); }

void Stack::clear() {
  for (const Block& block : blocks_) std::free(block.begin);
  blocks_.clear();
  most_ = 0;
}

void Stack::grow(std::size_t bytes) {
  // Whole pages, and one more that is never given out: the hardware fetches lines behind those that this
  // thread uses, and would take them from the thread whose lines they are.
  constexpr std::size_t kPage = 4096, kHugePage = 2 << 20;
  const std::size_t alignment = bytes < kHugePage ? kPage : kHugePage;
  bytes = (bytes + kPage + alignment - 1) / alignment * alignment;
  auto* const begin = static_cast<char*>(std::aligned_alloc(alignment, bytes));
  if (begin == nullptr) throw std::bad_alloc();
  if (alignment == kHugePage) madvise(begin, bytes, MADV_HUGEPAGE);
  if (poison_ != nullptr) poison_(begin, bytes);
  blocks_.push_back({begin, bytes - kPage, 0});
}

void* Stack::take(std::size_t bytes) {
  bytes = (bytes + kLine - 1) / kLine * kLine;
  // One block for the most that was ever taken, so that in the end nothing is allocated.
  const std::size_t most = std::max({most_, bytes, kLine});
  if (used_ == 0 && (blocks_.size() != 1 || blocks_[0].bytes < most)) {
    clear();
    grow(most);
  } else if (blocks_.back().used + bytes > blocks_.back().bytes) {
    grow(bytes);
  }
  Block& block = blocks_.back();
  block.used += bytes;
  used_ += bytes;
  most_ = std::max(most_, used_);
  return block.begin + block.used - bytes;
}

void Stack::giveBack(std::size_t bytes) {
  bytes = (bytes + kLine - 1) / kLine * kLine;
  if (bytes == 0) return;
  auto last = blocks_.rbegin();
  while (last->used == 0) ++last;
  last->used -= bytes;
  used_ -= bytes;
}

void Stack::poison(Poison* poison) {
  poison_ = poison;
  for (const Block& block : blocks_) poison(block.begin, block.bytes);
}

OwnMemory::OwnMemory(std::size_t bytes) : bytes_(bytes) {
  thread_local Stack ofNoTeam;
  stack_ = here.stack != nullptr ? here.stack
           : here.use != nullptr ? &here.use->team().stack(0)
                                 : &ofNoTeam;
  data_ = stack_->take(bytes);
}

void poisonOwnMemory(Stack::Poison* poison) {
  if (here.use == nullptr) return;
  Team& team = here.use->team();
  for (unsigned thread = 0; thread < team.most(); ++thread) team.stack(thread).poison(poison);
}

void freeIdleMemory() {
  Teams& teams = Teams::instance();
  const std::lock_guard<std::mutex> guard(teams.mutex);
  for (Team* team : teams.idle)
    for (unsigned thread = 0; thread < team->most(); ++thread) team->stack(thread).clear();
}

Team::Team(unsigned most) : ranges_(new Range[most]), lanes_(new Lane[most]), most_(most) {
  spinFor(kDefaultSpin);
}

void Team::startWorkers(unsigned wanted) {
  struct Start {
    Team* team;
    unsigned thread;
    std::uint32_t seen;
  };
  const auto live = [](void* given) -> void* {
    const std::unique_ptr<Start> start(static_cast<Start*>(given));
    start->team->live(start->thread, start->seen);
    return nullptr;
  };
  while (workers_ < wanted) {
    auto start = std::make_unique<Start>(Start{this, workers_ + 1, numberOf(state_.load())});
    pthread_t thread;
    if (pthread_create(&thread, nullptr, live, start.get()) != 0) return;
    (void)start.release();
    pthread_setname_np(thread, "popir worker");
    pthread_detach(thread);
    ++workers_;
  }
}

void Team::need(unsigned threads) {
  startWorkers(threads - 1);
  if (workers_ + 1 < threads)
    throw poplar::runtime_error("a step needs " + std::to_string(threads) +
                                " threads at the same time, and the system has started " +
                                std::to_string(workers_ + 1) +
                                "; lower host.numThreads, or raise the limits of the process "
                                "(ulimit -u, -v)");
}

void Team::live(unsigned thread, std::uint32_t seen) {
  here.team = this;
  for (;;) {
    std::uint64_t state = awaitRegion(seen);
    seen = numberOf(state);
    while (numberOf(state) == seen && (state & kOpen) != 0 && thread < threadsOf(state)) {
      if (!state_.compare_exchange_weak(state, state + 1)) continue;
      execute(thread);
      state_.fetch_sub(1);
      departed();
      break;
    }
  }
}

std::uint64_t Team::awaitRegion(std::uint32_t seen) {
  const auto began = [&] { return numberOf(state_.load(std::memory_order_acquire)) != seen; };
  while (!spinUntil(began, std::chrono::nanoseconds(spin_.load(std::memory_order_relaxed)))) {
    sleepers_.fetch_add(1);
    // The kernel looks again before it puts the thread to sleep.
    sleepWhile(highHalf(state_), seen);
    sleepers_.fetch_sub(1);
  }
  return state_.load();
}

/// After a worker has left a region: wakes the caller if it sleeps. state_ itself can be as the
/// caller has seen it when a worker has come and left meanwhile, so the caller sleeps on departures_.
void Team::departed() {
  if (!callerSleeps_.load()) return;
  departures_.fetch_add(1);
  wakeAll(&departures_);
}

template <class Done>
void Team::awaitWorkers(const Done& done) {
  if (spinUntil([&] { return done(state_.load(std::memory_order_acquire)); },
                std::chrono::nanoseconds(spin_.load(std::memory_order_relaxed))))
    return;
  callerSleeps_.store(true);
  for (;;) {
    const std::uint32_t departures = departures_.load();
    if (done(state_.load())) break;
    sleepWhile(&departures_, departures);
  }
  callerSleeps_.store(false);
}

void Team::begin(const Body& body, std::int64_t first, std::int64_t tasks, std::int64_t grain,
                 unsigned threads, Sharing sharing) {
  const bool isShared = sharing == Sharing::Dynamic;
  const unsigned owners = isShared && alone_ ? 1 : threads;
  sharedRegions_ += isShared;
  startWorkers(owners - 1);
  body_ = body;
  grain_ = grain;
  threads_ = threads;
  sharing_ = sharing;
  failed_.store(false, std::memory_order_relaxed);
  const std::int64_t grains = (tasks + grain - 1) / grain;
  for (unsigned t = 0; t < threads; ++t) {
    const std::int64_t own = std::min(t, owners), end = std::min(t + 1, owners);
    ranges_[t].begin = std::max(first, grains * own / owners * grain);
    ranges_[t].next.store(ranges_[t].begin, std::memory_order_relaxed);
    ranges_[t].ownerIsHere.store(false, std::memory_order_relaxed);
    ranges_[t].end = std::min(tasks, grains * end / owners * grain);
  }
  if (owners == 1) return;  // finish() executes all of it
  const auto number = std::uint64_t{numberOf(state_.load(std::memory_order_relaxed)) + 1u};
  state_.store(number << kNumberShift | kOpen | std::uint64_t{threads} << kThreadsShift);
  if (sleepers_.load() > 0) wakeAll(highHalf(state_));
}

void Team::executeRange(Range& range, unsigned thread) {
  while (range.next.load(std::memory_order_relaxed) < range.end) {
    const std::int64_t first = range.next.fetch_add(grain_, std::memory_order_relaxed);
    if (first >= range.end) return;
    body_.call(body_.context, first, std::min(first + grain_, range.end), thread);
  }
}

/// Executes what another thread, the owner of `range`, has not begun. `grain`: the time that one of
/// this thread's own took. The last grain is left to an owner that is at work, for so long: this
/// thread would have to fetch what the owner has in its cache, and the owner to fetch it back in the
/// next step.
void Team::takeOver(Range& range, unsigned thread, std::chrono::nanoseconds grain) {
  constexpr std::int64_t kFewGrains = 4;
  if (range.end - range.begin < kFewGrains * grain_) return executeRange(range, thread);
  const auto next = [&] { return range.next.load(std::memory_order_relaxed); };
  for (std::int64_t at = next(); at < range.end; at = next()) {
    const bool isLast =
        at + grain_ >= range.end && range.ownerIsHere.load(std::memory_order_relaxed);
    if (isLast && spinUntil([&] { return next() >= range.end; }, grain)) return;
    const std::int64_t first = range.next.fetch_add(grain_, std::memory_order_relaxed);
    if (first >= range.end) return;
    body_.call(body_.context, first, std::min(first + grain_, range.end), thread);
  }
}

void Team::execute(unsigned thread) {
  Stack* const before = here.stack;
  here.stack = &lanes_[thread].stack;
  executeTasks(thread);
  here.stack = before;
}

void Team::executeTasks(unsigned thread) {
  try {
    Range& own = ranges_[thread];
    if (sharing_ == Sharing::Together) return executeRange(own, thread);
    own.ownerIsHere.store(true, std::memory_order_relaxed);
    const auto start = std::chrono::steady_clock::now();
    executeRange(own, thread);
    const std::int64_t grains = std::max<std::int64_t>(1, (own.end - own.begin) / grain_);
    const auto grain = (std::chrono::steady_clock::now() - start) / grains;
    for (unsigned t = 1; t < threads_; ++t)
      takeOver(ranges_[(thread + t) % threads_], thread, grain);
  } catch (...) {
    fail();
  }
}

/// Keeps the first exception of a region, and drops the tasks that nobody has begun.
void Team::fail() {
  if (!failed_.exchange(true)) error_ = std::current_exception();
  for (unsigned t = 0; t < threads_; ++t)
    ranges_[t].next.store(ranges_[t].end, std::memory_order_relaxed);
}

void Team::finish() {
  const Team* const before = here.team;
  here.team = this;
  execute(0);
  here.team = before;
  if (sharing_ == Sharing::Together) {
    const auto allBegan = [&](std::uint64_t) {
      for (unsigned t = 1; t < threads_; ++t)
        if (ranges_[t].next.load(std::memory_order_relaxed) < ranges_[t].end) return false;
      return true;
    };
    awaitWorkers(allBegan);
  }
  state_.fetch_and(~kOpen);
  awaitWorkers([](std::uint64_t state) { return (state & kInside) == 0; });
  if (!failed_.load(std::memory_order_relaxed)) return;
  std::exception_ptr error;
  std::swap(error, error_);
  std::rethrow_exception(error);
}

void Team::barrier() {
  const std::uint32_t generation = generation_.load();
  if (arrived_.fetch_add(1) + 1 == threads_) {
    arrived_.store(0);
    generation_.fetch_add(1);
    wakeAll(&generation_);
    return;
  }
  const auto passed = [&] { return generation_.load(std::memory_order_acquire) != generation; };
  const std::chrono::nanoseconds spin(spin_.load(std::memory_order_relaxed));
  while (!spinUntil(passed, spin)) sleepWhile(&generation_, generation);
}

void Team::afterFork() {
  state_.store(std::uint64_t{numberOf(state_.load())} << kNumberShift);
  sleepers_.store(0);
  callerSleeps_.store(false);
  workers_ = 0;
}

Use::Use(unsigned threads, std::chrono::nanoseconds spin, bool alone)
    : team_(Teams::instance().take(threads)), around_(here.use) {
  team_->spinFor(spin);
  team_->keepAlone(alone);
  here.use = this;
}

Use::~Use() {
  here.use = around_;
  Teams::instance().giveBack(team_);
}

Borrowed::Borrowed(unsigned threads)
    : team_(here.use == nullptr ? nullptr : &here.use->team()),
      own_(team_ == nullptr || team_->most() < threads) {
  if (own_) team_ = Teams::instance().take(threads);
}

Borrowed::~Borrowed() {
  if (own_) Teams::instance().giveBack(team_);
}

unsigned threads() { return here.use != nullptr ? here.use->team().most() : defaultThreads(); }

unsigned defaultThreads() {
  static const unsigned number = [] {
    const char* text = std::getenv("OMP_NUM_THREADS");
    if (text != nullptr && *text != '\0') return threadsFrom(text);
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof(cores), &cores) == 0)
      return static_cast<unsigned>(std::max(CPU_COUNT(&cores), 1));
    return static_cast<unsigned>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
  }();
  return number;
}

bool inRegion() { return here.team != nullptr; }

unsigned threadsOfRegion() { return here.team == nullptr ? 1 : here.team->threadsOfRegion(); }

void run(const Body& body, std::int64_t tasks, std::int64_t grain, unsigned threads) {
  if (threads <= 1 || tasks <= grain || inRegion()) return body.call(body.context, 0, tasks, 0);
  const Borrowed team(threads);
  team->begin(body, 0, tasks, grain, threads, Sharing::Dynamic);
  team->finish();
}

}  // namespace pool
}  // namespace popir
