#include "foreign/xla_stream.hpp"

#include <new>

namespace popir::foreign::xla {

Stream::~Stream() {
  for (const Task& task : tasks_) task.drop(task.data);
}

void Stream::add(void (*run)(void*), void* data, void (*drop)(void*)) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back({run, data, drop});
}

void Stream::synchronize() {
  for (;;) {
    Task task;
    {
      const std::lock_guard lock(mutex_);
      if (tasks_.empty()) return;
      task = tasks_.front();
      tasks_.pop_front();
    }
    try {
      if (!error_) task.run(task.data);
    } catch (...) {
      error_ = std::current_exception();
    }
    task.drop(task.data);
  }
}

void Stream::finish() {
  synchronize();
  if (std::exception_ptr error = error_) {
    error_ = nullptr;
    std::rethrow_exception(error);
  }
}

}  // namespace popir::foreign::xla

// What the headers under popir/cuda call.

using popir::foreign::xla::Stream;

#define POPIR_VISIBLE __attribute__((visibility("default")))

/// Queues run(data) on the stream, and drop(data) after it. The null stream runs it at once.
extern "C" POPIR_VISIBLE void popir_cuda_enqueue(void* stream, void (*run)(void*), void* data,
                                                 void (*drop)(void*)) {
  if (stream != nullptr) {
    static_cast<Stream*>(stream)->add(run, data, drop);
    return;
  }
  Stream now;
  now.add(run, data, drop);
  now.finish();
}

/// Runs what is queued.
extern "C" POPIR_VISIBLE void popir_cuda_synchronize(void* stream) {
  if (stream != nullptr) static_cast<Stream*>(stream)->synchronize();
}

/// A new stream; null if there is no memory.
extern "C" POPIR_VISIBLE void* popir_cuda_stream_create() { return new (std::nothrow) Stream; }

/// Runs what is queued, and deletes the stream.
extern "C" POPIR_VISIBLE void popir_cuda_stream_destroy(void* stream) {
  popir_cuda_synchronize(stream);
  delete static_cast<Stream*>(stream);
}
