// Inputs and anchors in host arrays, or by callbacks. After popart/stepio.hpp of PopART 3.
#ifndef popart_stepio_hpp
#define popart_stepio_hpp

#include <popart/iarray.hpp>
#include <popart/istepio.hpp>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

namespace StepIONS {

/// Functions of IArray as static functions.
struct IArrayAccessor {
  static void* getDataPointer(IArray& array) { return array.data(); }
  static std::size_t getArraySize(const IArray& array) { return array.nelms(); }
  static DataType getArrayDataType(IArray& array) { return array.dataType(); }
  static std::size_t getArrayRank(IArray& array) { return array.rank(); }
  static int64_t getArrayDim(IArray& array, std::size_t index) { return array.dim(index); }
};

}  // namespace StepIONS

/// The arrays of a step, by tensor id; each has all batches. They are used where they lie.
class StepIO : public IStepIO {
 public:
  StepIO(std::map<TensorId, IArray&> inputs, std::map<TensorId, IArray&> outputs);
  ~StepIO() override;

  /// The next part of an array, from its beginning again after its end.
  /// \throws runtime_error for an id without an array
  ConstVoidData in(TensorId id, int64_t numElements, bool prefetch,
                   const bool isBroadcast = false) final;
  void inComplete(TensorId, int64_t, const bool = false) final {}
  MutableVoidData out(TensorId id, int64_t numElements) final;
  void assertNumElements(const popx::Executablex& executable) const final;

  const std::map<TensorId, IArray&>& inputs() const { return inputs_; }
  const std::map<TensorId, IArray&>& outputs() const { return outputs_; }

 private:
  std::map<TensorId, IArray&> inputs_, outputs_;
  std::map<TensorId, int64_t> read_, written_;
};

/// Functions that supply and take one batch after another.
class StepIOCallback : public IStepIO {
 public:
  using InputCallback = std::function<ConstVoidData(TensorId, bool)>;
  using InputCompleteCallback = std::function<void(TensorId)>;
  using OutputCallback = std::function<MutableVoidData(TensorId)>;
  using OutputCompleteCallback = std::function<void(TensorId)>;

  StepIOCallback(InputCallback inputCallback, InputCompleteCallback inputCompleteCallback,
                 OutputCallback outputCallback, OutputCompleteCallback outputCompleteCallback);
  ~StepIOCallback() override;

  ConstVoidData in(TensorId id, int64_t, bool prefetch, bool) final { return in_(id, prefetch); }
  void inComplete(TensorId id, int64_t, bool) final { inComplete_(id); }
  MutableVoidData out(TensorId id, int64_t) final { return out_(id); }
  void outComplete(TensorId id) final { outComplete_(id); }
  /// Callbacks say the size when they are called.
  void assertNumElements(const popx::Executablex&) const final {}

 private:
  InputCallback in_;
  InputCompleteCallback inComplete_;
  OutputCallback out_;
  OutputCompleteCallback outComplete_;
};

/// Weights by id, in host buffers.
class WeightsIO : public IWeightsIO {
 public:
  ~WeightsIO() override;

  bool contains(TensorId id) const final { return weights_.count(id) != 0; }
  /// \throws runtime_error for an id that was not inserted
  MutableVoidData weight(TensorId id) const final;
  void insert(TensorId id, MutableVoidData data);
  std::vector<TensorId> ids() const;

 private:
  std::map<TensorId, MutableVoidData> weights_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
