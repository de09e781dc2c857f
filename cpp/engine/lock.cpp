#include "engine/lock.hpp"

#include <pthread.h>

#include <new>
#include <poplar/exceptions.hpp>
#include <set>
#include <string>

#include "support/on_behalf.hpp"

namespace popir {

/// Handlers around fork(). The child process has only the thread that called fork().
struct Forks {
  std::mutex mutex;
  std::set<EngineLock*> locks;

  Forks() { pthread_atfork(prepare, parent, child); }

  static Forks& instance() {
    static auto* const forks = new Forks();  // engines may outlive static objects
    return *forks;
  }

  static void prepare() { instance().mutex.lock(); }
  static void parent() { instance().mutex.unlock(); }
  static void child() {
    for (EngineLock* lock : instance().locks) lock->afterFork();
    instance().mutex.unlock();
  }
};

namespace {

// Installs the handlers when the library is loaded.
[[maybe_unused]] const Forks& forks = Forks::instance();

}  // namespace

namespace {

[[noreturn]] void inOwnRun(const char* who) {
  throw poplar::runtime_error(
      std::string(who) +
      ": called from a callback of this engine's own run; do it when the run "
      "has ended");
}

}  // namespace

EngineLock::EngineLock() {
  const std::lock_guard<std::mutex> guard(Forks::instance().mutex);
  Forks::instance().locks.insert(this);
}

EngineLock::~EngineLock() {
  const std::lock_guard<std::mutex> guard(Forks::instance().mutex);
  Forks::instance().locks.erase(this);
}

namespace {

[[noreturn]] void cutOff(const char* who) {
  throw poplar::runtime_error(
      std::string(who) +
      ": this process was forked while another thread used the engine, so that its variables are "
      "those of a step that never ends; load it anew (Engine::load)");
}

}  // namespace

void EngineLock::acquire(const char* who, bool afresh) {
  const auto self = std::this_thread::get_id();
  if (owner_.load(std::memory_order_relaxed) == self) {
    if (runs_) inOwnRun(who);
    if (cutOff_ && !afresh) cutOff(who);
    ++depth_;
    return;
  }
  for (const pthread_t waiting : waitingThreads())
    if (owner_.load(std::memory_order_relaxed) == std::thread::id(waiting)) inOwnRun(who);
  mutex_.lock();
  if (cutOff_ && !afresh) {
    mutex_.unlock();
    cutOff(who);
  }
  owner_.store(self, std::memory_order_relaxed);
  depth_ = 1;
}

void EngineLock::release() {
  if (--depth_ > 0) return;
  owner_.store(std::thread::id(), std::memory_order_relaxed);
  mutex_.unlock();
}

void EngineLock::afterFork() {
  const auto owner = owner_.load(std::memory_order_relaxed);
  if (owner == std::this_thread::get_id()) return;
  new (&mutex_) std::mutex;  // its thread does not exist here, so nobody could unlock the old one
  cutOff_ = cutOff_ || owner != std::thread::id();
  owner_.store(std::thread::id(), std::memory_order_relaxed);
  depth_ = 0;
  runs_ = false;
}

}  // namespace popir
