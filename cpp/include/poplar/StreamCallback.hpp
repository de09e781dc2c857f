// poplar/StreamCallback.hpp: host code that fills or drains a stream.
#ifndef poplar_StreamCallback_hpp
#define poplar_StreamCallback_hpp

#include <functional>
#include <memory>
#include <utility>

#pragma GCC visibility push(default)

namespace poplar {

/// Called for every transfer of a host-to-device stream.
class StreamCallback {
 public:
  enum class Result { Success, NotAvailable };
  virtual ~StreamCallback();
  /// Fills `p` if data are there already; may be called before they are needed.
  virtual Result prefetch(void* p) = 0;
  /// Fills `p`.
  virtual void fetch(void* p) = 0;
  /// The data last fetched were used.
  virtual void complete() = 0;
  virtual void invalidatePrefetched() {}
};

/// A callback that never prefetches.
class LegacyStreamCallback : public StreamCallback {
 public:
  Result prefetch(void*) final { return Result::NotAvailable; }
  void complete() final {}
};

/// What Engine::connectStreamToCallback takes: a callback object or any function of `void*`.
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
