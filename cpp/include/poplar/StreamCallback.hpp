// Host callbacks that read or write the data of a stream.
// After poplar/StreamCallback.hpp of the Poplar SDK 3.
#ifndef poplar_StreamCallback_hpp
#define poplar_StreamCallback_hpp

#include <functional>
#include <memory>
#include <utility>

#pragma GCC visibility push(default)

namespace poplar {

/// Called for each transfer of a host-to-device stream.
class StreamCallback {
 public:
  enum class Result { Success, NotAvailable };
  virtual ~StreamCallback();
  /// Fills `p` if data are available. May be called before the program needs them.
  virtual Result prefetch(void* p) = 0;
  /// Fills `p`. Called when the program needs the data and prefetch() did not provide them.
  virtual void fetch(void* p) = 0;
  /// Called after the data have been used.
  virtual void complete() = 0;
  virtual void invalidatePrefetched() {}
};

/// A callback without prefetch.
class LegacyStreamCallback : public StreamCallback {
 public:
  Result prefetch(void*) final { return Result::NotAvailable; }
  void complete() final {}
};

/// Argument of Engine::connectStreamToCallback: a StreamCallback, or any function of `void*`.
class StreamCallbackHandle {
 public:
  StreamCallbackHandle(std::unique_ptr<StreamCallback> callback) : callback_(std::move(callback)) {}
  template <class T,
            typename std::enable_if<std::is_base_of<StreamCallback, T>::value, int>::type = 0>
  StreamCallbackHandle(std::unique_ptr<T>&& callback) : callback_(std::move(callback)) {}
  template <class F, typename = decltype(std::declval<F&>()(static_cast<void*>(nullptr)))>
  StreamCallbackHandle(F f) : function_(std::move(f)) {}

  std::shared_ptr<StreamCallback> callback() const { return callback_; }
  const std::function<void(void*)>& function() const { return function_; }

 private:
  std::shared_ptr<StreamCallback> callback_;
  std::function<void(void*)> function_;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
