// Who may use an engine: one thread at a time, and none while a run of its own calls back.
#ifndef popir_poplar_engine_lock_hpp
#define popir_poplar_engine_lock_hpp

#include <atomic>
#include <mutex>
#include <thread>

namespace popir {

/// A recursive lock that knows runs and forks.
///
/// In a child that was forked while another thread had the lock, that thread is gone and its work
/// is half done: the lock is free there, and refuses until forget() is called.
class __attribute__((visibility("default"))) EngineLock {
 public:
  EngineLock();
  ~EngineLock();
  EngineLock(const EngineLock&) = delete;
  EngineLock& operator=(const EngineLock&) = delete;

  /// Waits until no other thread has it. Who holds Python's lock must give it up before.
  /// \throws poplar::runtime_error in a callback of this thread's run, and after such a fork unless
  /// `afresh`; `who` is the function that was called.
  void acquire(const char* who, bool afresh = false);
  void release();
  /// What was cut off by a fork has been made anew.
  void forget() { cutOff_ = false; }

  /// Has the lock for as long as it lives.
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

  /// The same, for a run: the callbacks of the run cannot use the engine.
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
  unsigned depth_ = 0;  // what follows belongs to the owner
  bool runs_ = false;
  bool cutOff_ = false;
};

}  // namespace popir

#endif
