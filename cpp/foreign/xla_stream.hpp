// The simulated stream of a device: work that the host has queued, and that runs later, in order.
#ifndef popir_foreign_xla_stream_hpp
#define popir_foreign_xla_stream_hpp

#include <deque>
#include <exception>
#include <mutex>

namespace popir::foreign::xla {

class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  /// Queues run(data); drop(data) is called when it is done, or discarded.
  void add(void (*run)(void*), void* data, void (*drop)(void*));
  /// Runs all that is queued. What throws ends it, and the rest is discarded.
  void synchronize();
  /// Runs all that is queued, and throws what any of it has thrown since the last call.
  void finish();

 private:
  struct Task {
    void (*run)(void*);
    void* data;
    void (*drop)(void*);
  };
  std::mutex mutex_;
  std::deque<Task> tasks_;
  std::exception_ptr error_;
};

}  // namespace popir::foreign::xla

#endif
