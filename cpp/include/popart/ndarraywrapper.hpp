// Wraps a buffer as an array. After popart/ndarraywrapper.hpp of PopART 3.
#ifndef popart_ndarraywrapper_hpp
#define popart_ndarraywrapper_hpp

#include <popart/half.hpp>
#include <popart/iarray.hpp>
#include <popart/tensorinfo.hpp>

#include <ostream>
#include <vector>

namespace popart {

/// A non-owning array: the buffer must outlive it.
template <typename T>
class NDArrayWrapper : public IArray {
 public:
  NDArrayWrapper(T* data, const std::vector<int64_t>& shape)
      : NDArrayWrapper(data, TensorInfo(getDataType<T>(), shape)) {}
  NDArrayWrapper(T* data, const TensorInfo& info) : data_(data), info_(info) {}

  void* data() override { return data_; }
  DataType dataType() const override { return info_.dataType(); }
  std::size_t rank() const override { return info_.shape().size(); }
  int64_t dim(std::size_t index) const override { return info_.shape().at(index); }
  std::size_t nelms() const override { return static_cast<std::size_t>(info_.nelms()); }
  const Shape shape() const override { return info_.shape(); }
  T operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_;
  TensorInfo info_;
};

/// Writes the values in memory order: "[1 2 3]".
template <typename T>
std::ostream& operator<<(std::ostream& os, const NDArrayWrapper<T>& array) {
  os << "[";
  for (std::size_t i = 0; i < array.nelms(); ++i) os << (i ? " " : "") << array[i];
  return os << "]";
}

}  // namespace popart

#endif
