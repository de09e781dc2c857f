// Inputs and anchors in host arrays. After popart/stepio.hpp of PopART 3.
#ifndef popart_stepio_hpp
#define popart_stepio_hpp

#include <popart/hostside.hpp>
#include <popart/iarray.hpp>
#include <popart/istepio.hpp>

#include <map>
#include <utility>

namespace popart {

namespace StepIONS {

/// Functions of IArray as static functions.
struct IArrayAccessor {
  static void* getDataPointer(IArray& array) { return array.data(); }
  static DataType getArrayDataType(IArray& array) { return array.dataType(); }
  static std::size_t getArrayRank(IArray& array) { return array.rank(); }
  static int64_t getArrayDim(IArray& array, std::size_t index) { return array.dim(index); }
};

}  // namespace StepIONS

/// Can be constructed; there is no session in C++ that reads it.
class StepIO : public IStepIO {
 public:
  StepIO(std::map<TensorId, IArray&> inputs, std::map<TensorId, IArray&> outputs)
      : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  ConstVoidData in(TensorId, int64_t, bool, const bool = false) override {
    hostside::refuse("StepIO::in");
  }
  void inComplete(TensorId, int64_t, const bool = false) override {}
  MutableVoidData out(TensorId, int64_t) override { hostside::refuse("StepIO::out"); }
  void assertNumElements(const popx::Executablex&) const override {}

 private:
  std::map<TensorId, IArray&> inputs_;
  std::map<TensorId, IArray&> outputs_;
};

/// Weights by id, in host buffers.
class WeightsIO : public IWeightsIO {
 public:
  bool contains(TensorId id) const override { return weights_.count(id) != 0; }
  MutableVoidData weight(TensorId id) const override { return weights_.at(id); }
  void insert(TensorId id, MutableVoidData data) { weights_[id] = data; }

 private:
  std::map<TensorId, MutableVoidData> weights_;
};

}  // namespace popart

#endif
