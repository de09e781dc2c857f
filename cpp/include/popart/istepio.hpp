// Interface for a session's inputs and anchors. After popart/istepio.hpp of PopART 3.
#ifndef popart_istepio_hpp
#define popart_istepio_hpp

#include <popart/error.hpp>
#include <popart/names.hpp>
#include <popart/voiddata.hpp>

namespace popart {

namespace popx {
class Executablex;
}

/// Supplies the inputs and takes the outputs of a step. Session::run() calls in() and out() for one
/// batch after another: those of all inputs before the step runs, those of all outputs after it.
class IStepIO {
 public:
  virtual ~IStepIO() = default;

  // A class has in() and inComplete() with `isBroadcast`, or without it, as up to SDK 2.2. Each calls
  // the other one by default.
  /// The memory of the next batch; `prefetch` and `isBroadcast` are false.
  /// \throws error for a class that has neither
  virtual ConstVoidData in(TensorId id, int64_t numElements, bool prefetch, const bool) {
    const Asking asking(*this, "in");
    return in(id, numElements, prefetch);
  }
  virtual ConstVoidData in(TensorId id, int64_t numElements, bool prefetch) {
    const Asking asking(*this, "in");
    return in(id, numElements, prefetch, false);
  }
  /// \throws error for a class that has neither
  virtual void inComplete(TensorId id, int64_t numElements, const bool) {
    const Asking asking(*this, "inComplete");
    inComplete(id, numElements);
  }
  virtual void inComplete(TensorId id, int64_t numElements) {
    const Asking asking(*this, "inComplete");
    inComplete(id, numElements, false);
  }
  virtual MutableVoidData out(TensorId id, int64_t numElements) = 0;
  virtual void outComplete(TensorId) {}
  /// Switches the checks of sizes and types in Session::run(), which are on by default.
  void enableRuntimeAsserts(bool on) { asserts_ = on; }
  bool runtimeAssertsEnabled() const { return asserts_; }
  /// Throws error if an array has not as many elements as a step takes or gives. Session::run() does
  /// not call it, but checks by itself.
  virtual void assertNumElements(const popx::Executablex&) const = 0;

 private:
  /// Held while one function calls the other one by default.
  class Asking {
   public:
    Asking(IStepIO& io, const char* name) : io_(io) {
      if (io.isAsking_)
        throw error("IStepIO: {}() was called of a class that does not override it", name);
      io.isAsking_ = true;
    }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;
    ~Asking() { io_.isAsking_ = false; }

   private:
    IStepIO& io_;
  };

  bool asserts_ = true;
  bool isAsking_ = false;
};

/// Host buffers of weights, by id.
class IWeightsIO {
 public:
  virtual ~IWeightsIO() = default;

  virtual bool contains(TensorId id) const = 0;
  virtual MutableVoidData weight(TensorId id) const = 0;
};

}  // namespace popart

#endif
