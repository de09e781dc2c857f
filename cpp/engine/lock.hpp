// The lock of an engine: one thread uses it at a time, and callbacks of its own run may not use it.
#ifndef popir_engine_lock_hpp
#define popir_engine_lock_hpp

#include <atomic>
#include <mutex>
#include <thread>

namespace popir {

/// A recursive lock that handles callbacks of runs, and fork().
///
/// If the process forks while another thread holds the lock, that thread does not exist in the
/// child and its work is incomplete. In the child the lock is free, but acquire() throws until
/// forget() is called.
class __attribute__((visibility("default"))) EngineLock {
 public:
  EngineLock();
  ~EngineLock();
  EngineLock(const EngineLock&) = delete;
  EngineLock& operator=(const EngineLock&) = delete;

  /// Waits until no other thread holds the lock. A caller that holds Python's lock (the GIL) must
  /// release it first. `who` is the name of the API function, for messages.
  /// \throws poplar::runtime_error in a callback of this thread's run, and after such a fork. With
  /// `afresh`, which is for functions that reset the engine, it does not throw after a fork.
  void acquire(const char* who, bool afresh = false);
  void release();
  /// The engine has been reset, so that work which a fork cut off no longer matters.
  void forget() { cutOff_ = false; }

  /// Holds the lock for its scope.
  class Use {
   public:
    Use(EngineLock& lock, const char* who, bool afresh = false) : lock_(lock) {
      lock_.acquire(who, afresh);
    }
    ~Use() { lock_.release(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    EngineLock& lock_;
  };

  /// Holds the lock for a run: acquire() throws in callbacks of the run.
  class Run {
   public:
    Run(EngineLock& lock, const char* who) : use_(lock, who), lock_(lock) { lock_.runs_ = true; }
    ~Run() { lock_.runs_ = false; }

   private:
    Use use_;
    EngineLock& lock_;
  };

 private:
  friend struct Forks;
  void afterFork();

  std::mutex mutex_;
  std::atomic<std::thread::id> owner_{};
  unsigned depth_ = 0;  // only the owner may use this and the members below
  bool runs_ = false;
  bool cutOff_ = false;  // a fork interrupted the owner's work
};

}  // namespace popir

#endif
