// Host callbacks that read or write the data of a stream.
// After poplar/StreamCallback.hpp of the Poplar SDK 3.
#ifndef poplar_StreamCallback_hpp
#define poplar_StreamCallback_hpp

#include <poplar/Quarter.hpp>

#include <functional>
#include <memory>
#include <utility>

#pragma GCC visibility push(default)

namespace poplar {

/// What all callbacks of streams have.
class StreamCallbackBase {
 public:
  enum class Result { Success, NotAvailable };
  virtual ~StreamCallbackBase();
  /// Called after the data have been used.
  virtual void complete() = 0;
  /// Called when data that prefetch() has provided will not be used.
  virtual void invalidatePrefetched() {}
};

/// Called for each transfer of a host-to-device stream.
class StreamCallback : public StreamCallbackBase {
 public:
  ~StreamCallback() override;
  /// Fills `p` if data are available. May be called before the program needs them.
  virtual Result prefetch(void* p) = 0;
  /// Fills `p`. Called when the program needs the data and prefetch() did not provide them.
  virtual void fetch(void* p) = 0;
};

/// A callback that may wait in the middle, for a condition that another thread brings about. The run
/// waits with it.
class ResumableStreamCallback : public StreamCallback {
 public:
  ResumableStreamCallback();
  ~ResumableStreamCallback() override;
  /// Lets wait() return. Without one that waits it does nothing.
  void notify();
  /// Whether a call waits.
  bool isAwaiting() const;

 protected:
  /// Waits for notify(); for the functions of this class alone.
  void wait();

 private:
  struct Waiting;
  std::unique_ptr<Waiting> waiting_;
};

/// A callback whose data are of QUARTER and have metadata of their own. Streams move no metadata here,
/// so Engine::connectStreamToCallback() refuses it: a tensor has those of Graph::addVariable().
class StreamCallbackWithMetadata : public StreamCallback {
 public:
  explicit StreamCallbackWithMetadata(QuarterMetadata metadata) : metadata_(metadata) {}
  const QuarterMetadata& getMetadata() const { return metadata_; }

 private:
  QuarterMetadata metadata_;
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
