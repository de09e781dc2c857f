// Interface for a session's inputs and anchors. After popart/istepio.hpp of PopART 3.
#ifndef popart_istepio_hpp
#define popart_istepio_hpp

#include <popart/names.hpp>
#include <popart/voiddata.hpp>

namespace popart {

namespace popx {
class Executablex;
}

/// Nothing calls it: popir's sessions take their data from Python (`popir.PyStepIO`).
class IStepIO {
 public:
  virtual ~IStepIO() = default;

  virtual ConstVoidData in(TensorId id, int64_t numElements, bool prefetch,
                           const bool isBroadcast = false) = 0;
  virtual void inComplete(TensorId id, int64_t numElements, const bool isBroadcast = false) = 0;
  virtual MutableVoidData out(TensorId id, int64_t numElements) = 0;
  virtual void outComplete(TensorId) {}
  virtual void assertNumElements(const popx::Executablex&) const = 0;
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
