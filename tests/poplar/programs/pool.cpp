// The pool of threads by itself, compiled together with cpp/kernels/pool.cpp: prints what is wrong,
// and returns how much is.
#include "kernels/pool.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <poplar/exceptions.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engine/thread_choice.hpp"
#include "kernels/parallel.hpp"

namespace {

using namespace std::chrono_literals;
using popir::parallelParts;
using popir::pool::OwnMemory;
using popir::pool::Sharing;
using popir::pool::Team;
using popir::pool::Use;

std::atomic<int> faults{0};

void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++faults;
  std::cout << "wrong: " << what << "\n";
}

int threadsOfProcess() {
  int found = 0;
  DIR* const folder = opendir("/proc/self/task");
  while (const dirent* entry = readdir(folder)) found += entry->d_name[0] != '.';
  closedir(folder);
  return found;
}

double cpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Every task once, each on a thread of the region, never two at a time on one.
void checkOnce(std::int64_t tasks, std::int64_t grain, unsigned threads) {
  std::vector<int> count(static_cast<std::size_t>(tasks));
  const auto busy = std::make_unique<std::atomic<bool>[]>(threads);
  bool alone = true, inGrains = true;
  parallelParts(tasks, grain, threads, [&](std::int64_t first, std::int64_t last, unsigned thread) {
    if (thread >= threads || busy[thread].exchange(true)) alone = false;
    if (tasks > grain && threads > 1 && last - first > grain) inGrains = false;
    for (auto i = first; i < last; ++i) ++count[static_cast<std::size_t>(i)];
    busy[thread] = false;
  });
  bool once = true;
  for (const int c : count) once = once && c == 1;
  expect(once && alone && inGrains, std::to_string(tasks) + " tasks in grains of " +
                                        std::to_string(grain) + " on " + std::to_string(threads));
}

void tasksRunOnce() {
  for (const unsigned threads : {1u, 2u, 3u, 16u})
    for (const std::int64_t tasks : {0, 1, 2, 7, 64, 1001})
      for (const std::int64_t grain : {1, 3, 100}) checkOnce(tasks, grain, threads);
  const Use use(4, 50us);
  for (int i = 0; i < 300; ++i) checkOnce(i, 1 + i % 5, 1 + static_cast<unsigned>(i) % 4);
}

/// A region inside of a region is run by the thread that asks, and numbers it 0.
void regionsNest() {
  const Use use(3, 50us);
  std::atomic<int> inner{0}, others{0};
  parallelParts(9, 1, 3, [&](std::int64_t, std::int64_t, unsigned) {
    const auto self = std::this_thread::get_id();
    parallelParts(5, 1, 3, [&](std::int64_t first, std::int64_t last, unsigned thread) {
      inner += static_cast<int>(last - first);
      if (thread != 0 || std::this_thread::get_id() != self) ++others;
    });
  });
  expect(inner == 45 && others == 0, "regions in regions");
}

/// What the tasks throw reaches the caller, whoever ran them; the team is as good as before.
void exceptionsReachTheCaller() {
  const Use use(2, 50us);
  for (int i = 0; i < 200; ++i) {
    std::string caught;
    try {
      parallelParts(64, 1, 2, [&](std::int64_t first, std::int64_t, unsigned) {
        if (first % 32 == i % 32) throw std::runtime_error("task");
      });
    } catch (const std::runtime_error& e) {
      caught = e.what();
    }
    expect(caught == "task", "an exception of a task");
  }
  const auto caller = std::this_thread::get_id();
  bool reached = false;
  for (int i = 0; i < 1000 && !reached; ++i) {
    try {
      parallelParts(2, 1, 2, [&](std::int64_t, std::int64_t, unsigned) {
        if (std::this_thread::get_id() != caller) throw std::logic_error("worker");
        std::this_thread::sleep_for(1ms);  // so that the worker gets the other task
      });
    } catch (const std::logic_error&) {
      reached = true;
    }
  }
  expect(reached, "an exception of a worker");
  checkOnce(64, 1, 2);
}

/// A caller never waits for a worker that has not begun: here the workers cannot, since each is busy
/// for another caller or asleep, and callers come and go.
void callersShareNothing() {
  std::vector<std::thread> callers;
  for (unsigned c = 0; c < 6; ++c)
    callers.emplace_back([c] {
      for (int i = 0; i < 30; ++i) {
        const Use use(2 + c % 3, std::chrono::microseconds(10 * c));
        checkOnce(50 + i, 1, 2 + c % 3);
      }
    });
  for (auto& c : callers) c.join();
}

/// What a thread that is held up in a grain has left is done by the others, the last grain too.
void nothingWaitsForThoseHeldUp() {
  const Use use(2, 200us);
  bool seen = false;
  for (int i = 0; i < 50 && !seen; ++i) {
    std::atomic<bool> holds{false};
    std::vector<unsigned> by(16);
    parallelParts(16, 1, 2, [&](std::int64_t first, std::int64_t, unsigned thread) {
      by[static_cast<std::size_t>(first)] = thread;
      if (thread == 1 && !holds.exchange(true))
        std::this_thread::sleep_for(20ms);
      else
        std::this_thread::sleep_for(100us);
    });
    if (!holds) continue;  // the worker came too late for a task
    seen = true;
    int ofOthers = 0;
    for (const unsigned thread : by) ofOthers += thread == 0;
    expect(ofOthers == 15,
           "15 tasks of the thread that was not held up, in place of " + std::to_string(ofOthers));
  }
  expect(seen, "a worker with a task");
}

/// A thread's own memory is the same in all regions, is nobody else's, and is taken and given back in
/// turn, with nothing allocated after the first region.
void memoryIsOfOneThread() {
  constexpr std::size_t kBytes = 3000, kMore = 3 << 20;
  const Use use(2, 200us);
  std::array<std::array<void*, 2>, 2> had{};
  for (int i = 0; i < 200; ++i) {
    std::array<std::array<void*, 2>, 2> now{};
    parallelParts(32, 1, 2, [&](std::int64_t first, std::int64_t, unsigned thread) {
      const OwnMemory outer(kBytes);
      auto* const text = static_cast<char*>(outer.data());
      if (i > 0 && now[thread][0] != nullptr)
        expect(now[thread][0] == text && text[kBytes - 1] == static_cast<char>(i + 1),
               "what a thread had in the same region");
      std::memset(text, i + 1, kBytes);
      {
        const OwnMemory inner(kMore), nothing(0);
        std::memset(inner.data(), 100, kMore);
        now[thread][1] = inner.data();
      }
      now[thread][0] = text;
      expect(text[0] == static_cast<char>(i + 1) && text[kBytes - 1] == static_cast<char>(i + 1),
             "memory that others write");
      expect(reinterpret_cast<std::uintptr_t>(text) % 64 == 0, "the alignment of memory");
      std::this_thread::sleep_for(std::chrono::microseconds(first % 3));
    });
    for (std::size_t t = 0; t < 2; ++t) {
      const bool settled = i > 1 && had[t][0] != nullptr && now[t][0] != nullptr;
      if (settled) expect(now[t] == had[t], "the same memory in each region");
      if (now[t][0] != nullptr) had[t] = i > 0 ? now[t] : had[t];
    }
    expect(now[0][0] != now[1][0], "memory of two threads");
  }
  parallelParts(1, 1, 1, [](std::int64_t, std::int64_t, unsigned) {  // without a team
    const OwnMemory own(100);
    std::memset(own.data(), 1, 100);
  });
}

/// Memory of threads that nobody uses is freed, and is there again for the next region.
void memoryIsFreed() {
  constexpr std::size_t kBytes = 64 << 20;
  const auto use = [] {
    const Use team(2, 50us);
    parallelParts(64, 1, 2, [](std::int64_t, std::int64_t, unsigned) {
      const OwnMemory own(kBytes);
      std::memset(own.data(), 1, kBytes);
    });
  };
  const auto resident = [] {
    std::ifstream file("/proc/self/statm");
    std::size_t all = 0, pages = 0;
    file >> all >> pages;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  };
  const std::size_t before = resident();
  use();
  expect(resident() > before + kBytes / 2, "memory that was used");
  popir::pool::freeIdleMemory();
  // AddressSanitizer keeps for a while what is freed.
  if (dlsym(RTLD_DEFAULT, "__asan_init") == nullptr)
    expect(resident() < before + kBytes / 2, "memory that was freed");
  use();
  popir::pool::freeIdleMemory();
}

/// Together: all tasks at the same time, each on its own thread, past several barriers.
void tasksMeet() {
  constexpr unsigned kThreads = 4;
  Team& team = *new Team(kThreads);  // a team stays, as its workers do
  team.need(kThreads);
  struct State {
    Team* team;
    std::atomic<int> at[3];
    std::atomic<int> early;
  } state{&team, {{0}, {0}, {0}}, {0}};
  const auto meet = [](const void* given, std::int64_t, std::int64_t, unsigned) {
    auto& s = *static_cast<State*>(const_cast<void*>(given));
    for (auto& stage : s.at) {
      ++stage;
      s.team->barrier();
      if (stage % static_cast<int>(kThreads) != 0) ++s.early;
      s.team->barrier();
    }
  };
  for (int i = 0; i < 50; ++i) {
    team.begin({meet, &state}, 1, kThreads, 1, kThreads, Sharing::Together);
    meet(&state, 0, 1, 0);
    team.finish();
  }
  expect(state.early == 0 && state.at[2] == 50 * static_cast<int>(kThreads), "barriers");
}

/// A caller that goes to sleep while a worker comes, does its task and leaves is not forgotten.
void callersWakeUp() {
  constexpr unsigned kThreads = 4;
  const auto nothing = [](const void*, std::int64_t, std::int64_t, unsigned) {};
  const auto end = std::chrono::steady_clock::now() + 2s;
  const auto call = [&] {
    Team& team = *new Team(kThreads);  // a team stays, as its workers do
    team.need(kThreads);
    for (int i = 0; i % 1000 != 0 || std::chrono::steady_clock::now() < end; ++i) {
      // The moment in which the caller stops spinning moves over that in which the worker comes.
      team.spinFor(std::chrono::nanoseconds(i * 7 % 2000));
      team.begin({nothing, nullptr}, 1, kThreads, 1, kThreads, Sharing::Together);
      team.finish();
    }
  };
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) callers.emplace_back(call);
  for (auto& c : callers) c.join();
}

/// Threads without work use no time once they have spun.
void idleThreadsSleep() {
  const Use use(3, 1ms);
  checkOnce(1000, 1, 3);
  std::this_thread::sleep_for(20ms);
  const double before = cpuSeconds();
  std::this_thread::sleep_for(200ms);
  expect(cpuSeconds() - before < 0.02, "idle threads use time");
}

/// Where the system starts no more threads, regions run on those there are, and only tasks that need
/// them all are refused.
void fewerThreadsDo() {
  const pid_t child = fork();
  if (child == 0) {
    faults = 0;
    constexpr unsigned kMany = 500;
    const Use use(kMany, 50us);
    const rlimit none{1, 1};
    setrlimit(RLIMIT_AS, &none);  // no memory for stacks
    std::atomic<int> done{0};
    parallelParts(1000, 1, kMany, [&](std::int64_t first, std::int64_t last, unsigned) {
      done += static_cast<int>(last - first);
    });
    bool refused = false;
    try {
      use.team().need(kMany);
    } catch (const poplar::runtime_error&) {
      refused = true;
    }
    _exit(done == 1000 && refused ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  expect(status == 0, "a process that gets no threads");
}

/// Regions of a Use that keeps its thread alone, but for those whose tasks need one another.
void callersStayAlone() {
  const Use use(2, 0us, true);
  const std::uint32_t before = use.team().sharedRegions();
  std::vector<std::thread::id> threads(100);
  parallelParts(100, 3, 2, [&](std::int64_t first, std::int64_t last, unsigned thread) {
    expect(thread == 0, "the number of the caller's thread");
    for (std::int64_t i = first; i < last; ++i)
      threads[static_cast<std::size_t>(i)] = std::this_thread::get_id();
  });
  for (const auto& id : threads) expect(id == std::this_thread::get_id(), "another thread came");
  expect(use.team().sharedRegions() == before + 1, "the number of regions that are shared");
  std::atomic<int> both{0};
  const auto meet = [](const void* context, std::int64_t, std::int64_t, unsigned) {
    auto& here = *static_cast<std::atomic<int>*>(const_cast<void*>(context));
    ++here;
    while (here.load() < 2) std::this_thread::yield();
  };
  use.team().need(2);
  use.team().begin({meet, &both}, 1, 2, 1, 2, Sharing::Together);
  meet(&both, 0, 1, 0);
  use.team().finish();
  expect(both == 2, "tasks that wait for one another");
}

/// Of runs that take so long on two threads and on one, how many of the last hundred were on one.
int onOneThread(std::chrono::microseconds shared, std::chrono::microseconds alone,
                popir::ThreadChoice& choice, std::chrono::nanoseconds& now) {
  int found = 0;
  for (int i = 0; i < 5000; ++i) {
    const bool isAlone = choice.alone(now);
    const auto took = isAlone ? alone : shared;
    choice.took(took);
    now += took + 100us;
    found += i >= 4900 && isAlone;
  }
  return found;
}

void shortProgramsTakeTheFasterWay() {
  popir::ThreadChoice choice;
  std::chrono::nanoseconds now = 1h;
  expect(onOneThread(500us, 900us, choice, now) == 0, "two threads are faster");
  expect(onOneThread(500us, 490us, choice, now) == 0, "two threads are hardly slower");
  expect(onOneThread(600us, 400us, choice, now) == 100, "one thread is faster");
  expect(onOneThread(300us, 400us, choice, now) == 0, "two threads are faster again");
  expect(onOneThread(600us, 400us, choice, now) == 100, "one thread is faster once more");
  expect(onOneThread(20ms, 40ms, choice, now) == 0, "runs became long");
  popir::ThreadChoice other;
  expect(onOneThread(6000us, 5000us, other, now) == 0, "long programs are not tried");
}

/// A child runs regions on new threads, in a Use that its parent began, and so does its child.
void childrenHaveThreads() {
  const Use outer(3, 50us);
  const Use use(2, 50us);
  checkOnce(100, 1, 2);
  const pid_t child = fork();
  if (child == 0) {
    faults = 0;
    const int before = threadsOfProcess();
    checkOnce(100, 1, 2);
    expect(before == 1 && threadsOfProcess() == 2, "threads of a child");
    const pid_t second = fork();
    if (second == 0) {
      checkOnce(100, 1, 2);
      _exit(faults);
    }
    int status = 0;
    waitpid(second, &status, 0);
    expect(status == 0, "a child's child");
    _exit(faults);
  }
  int status = 0;
  waitpid(child, &status, 0);
  expect(status == 0, "a child");
  checkOnce(100, 1, 2);
}

}  // namespace

int main(int argc, char**) {
  tasksRunOnce();
  regionsNest();
  exceptionsReachTheCaller();
  callersShareNothing();
  nothingWaitsForThoseHeldUp();
  memoryIsOfOneThread();
  memoryIsFreed();
  tasksMeet();
  callersWakeUp();
  idleThreadsSleep();
  callersStayAlone();
  shortProgramsTakeTheFasterWay();
  if (argc == 1) {  // ThreadSanitizer lets a child start no threads
    childrenHaveThreads();
    fewerThreadsDo();
  }
  std::cout << faults << " wrong\n";
  return faults;
}
