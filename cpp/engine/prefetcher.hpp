// A thread that asks a stream's callback for data ahead of the program.
#ifndef popir_engine_prefetcher_hpp
#define popir_engine_prefetcher_hpp

#include <pthread.h>
#include <sys/types.h>
#include <poplar/StreamCallback.hpp>

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace popir {

/// Calls StreamCallback::prefetch() on a thread of its own, so that a callback which waits for its
/// data holds up nobody but the next transfer of its stream. One thread uses an object at a time.
class Prefetcher {
 public:
  Prefetcher(std::shared_ptr<poplar::StreamCallback> callback, std::size_t bytes);
  /// Waits until the callback has returned.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// Asks for the next transfer. take() has to be called before the next call.
  void ask();
  /// The data, if ask() was called and the callback had them; else null. Waits for the callback, and
  /// throws what it has thrown.
  const char* take();
  /// Whether there were data; they, and what the callback has thrown, are dropped. Waits for it.
  bool drop();

 private:
  /// Waits until nothing is asked.
  std::unique_lock<std::mutex> quiet();
  void serve();

  std::shared_ptr<poplar::StreamCallback> callback_;
  std::vector<char> data_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool asked_ = false, ends_ = false;
  bool isThere_ = false;  // what the last call has given
  std::exception_ptr thrown_;
  /// The threads for which the callback is asked: it may not use an engine that they run.
  std::vector<pthread_t> askers_;
  pid_t process_;       // of the thread: a child process has none, and no data ahead
  std::thread thread_;  // last, as it uses the others
};

}  // namespace popir

#endif
