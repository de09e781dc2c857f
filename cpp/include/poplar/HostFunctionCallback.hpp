// Host functions. After poplar/HostFunctionCallback.hpp of the Poplar SDK 3.
#ifndef poplar_HostFunctionCallback_hpp
#define poplar_HostFunctionCallback_hpp

#include <poplar/ArrayRef.hpp>

#include <functional>
#include <memory>
#include <utility>

#pragma GCC visibility push(default)

namespace poplar {

/// A host function. Called with one buffer per input and per output of the function.
class HostCallback {
 public:
  virtual ~HostCallback();
  virtual void operator()(ArrayRef<const void*> inputs, ArrayRef<void*> outputs) = 0;
};

/// Argument of Engine::connectHostFunction: a HostCallback, or any function of two ArrayRefs.
class HostCallbackHandle {
 public:
  template <class T,
            typename std::enable_if<std::is_base_of<HostCallback, T>::value, int>::type = 0>
  HostCallbackHandle(std::unique_ptr<T>&& callback) {
    std::shared_ptr<HostCallback> held(std::move(callback));
    function_ = [held](ArrayRef<const void*> inputs, ArrayRef<void*> outputs) {
      (*held)(inputs, outputs);
    };
  }
  template <class F, typename = decltype(std::declval<F&>()(std::declval<ArrayRef<const void*>>(),
                                                            std::declval<ArrayRef<void*>>()))>
  HostCallbackHandle(F f) : function_(std::move(f)) {}

  const std::function<void(ArrayRef<const void*>, ArrayRef<void*>)>& function() const {
    return function_;
  }

 private:
  std::function<void(ArrayRef<const void*>, ArrayRef<void*>)> function_;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
