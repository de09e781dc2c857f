// Inputs and anchors in arrays of any class. After popart/stepio_generic.hpp of PopART 3.
#ifndef popart_stepio_generic_hpp
#define popart_stepio_generic_hpp

#include <popart/error.hpp>
#include <popart/istepio.hpp>
#include <popart/stepio_size_assertion.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// A base of classes whose arrays are of the class ARRAY_TYPE. ACCESSOR_TYPE has the static functions
/// that StepIONS::IArrayAccessor has. A derived class fills `inputsInfo` and `outputsInfo`.
template <typename ARRAY_TYPE, typename ACCESSOR_TYPE, typename ArrayInfoT>
class StepIOGeneric : public IStepIO {
 protected:
  struct ArrayInfo {
    ArrayInfoT array;
    int64_t offset;  // of the next batch, in bytes
  };

 public:
  void assertNumElements(const popx::Executablex& executable) const final {
    const auto count = [](const ArrayInfo& info) {
      return ACCESSOR_TYPE::getArraySize(info.array);
    };
    iosizecheck::assertInCorrect(executable, inputsInfo, count);
    iosizecheck::assertOutCorrect(executable, outputsInfo, count);
  }

  TensorInfo getTensorInfo(ARRAY_TYPE& array) const {
    std::vector<int64_t> shape;
    for (std::size_t d = 0; d < ACCESSOR_TYPE::getArrayRank(array); ++d)
      shape.push_back(ACCESSOR_TYPE::getArrayDim(array, d));
    return TensorInfo(ACCESSOR_TYPE::getArrayDataType(array), shape);
  }

  /// The memory of the next batch of an array; with `advance` the one after it is next, from the
  /// beginning again behind the end.
  /// \throws runtime_error for an id without an array
  template <typename T>
  T get(TensorId id, std::map<TensorId, ArrayInfo>& arrays, int64_t numElements, bool advance_,
        std::string mapName) {
    ArrayInfo& found = arrayOf(id, arrays, mapName);
    const TensorInfo whole = getTensorInfo(found.array);
    T batch;
    batch.info = TensorInfo(whole.dataType(), Shape{numElements});
    batch.data = static_cast<char*>(ACCESSOR_TYPE::getDataPointer(found.array)) + found.offset;
    if (advance_) skip(found, whole, numElements);
    return batch;
  }

  /// Skips a batch.
  /// \throws runtime_error for an id without an array
  template <typename T>
  void advance(TensorId id, std::map<TensorId, ArrayInfo>& arrays, int64_t numElements,
               std::string mapName) {
    ArrayInfo& found = arrayOf(id, arrays, mapName);
    skip(found, getTensorInfo(found.array), numElements);
  }

  ConstVoidData in(TensorId id, int64_t numElements, bool, bool) final {
    return get<ConstVoidData>(id, inputsInfo, numElements, true, "inputs");
  }
  void inComplete(TensorId, int64_t, bool) final {}
  MutableVoidData out(TensorId id, int64_t numElements) final {
    return get<MutableVoidData>(id, outputsInfo, numElements, true, "outputs");
  }

 protected:
  StepIOGeneric() = default;

  std::map<TensorId, ArrayInfo> outputsInfo;
  std::map<TensorId, ArrayInfo> inputsInfo;

 private:
  static ArrayInfo& arrayOf(const TensorId& id, std::map<TensorId, ArrayInfo>& arrays,
                            const std::string& mapName) {
    const auto found = arrays.find(id);
    if (found == arrays.end())
      throw runtime_error("The {} of a step have no array for '{}'", mapName, id);
    return found->second;
  }
  static void skip(ArrayInfo& array, const TensorInfo& info, int64_t numElements) {
    const int64_t bytes = info.nelms() > 0 ? info.nbytes() / info.nelms() * numElements : 0;
    array.offset = array.offset + bytes >= info.nbytes() ? 0 : array.offset + bytes;
  }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
