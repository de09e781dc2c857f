// A non-owning view of a contiguous array. After poplar/ArrayRef.hpp of the Poplar SDK 3.
#ifndef poplar_ArrayRef_hpp
#define poplar_ArrayRef_hpp

#include <array>
#include <cassert>
#include <cstddef>
#include <initializer_list>
#include <vector>

#pragma GCC visibility push(default)

namespace poplar {

/// A pointer and a length. Valid only as long as the array it was made from.
template <class T>
class ArrayRef {
 public:
  using value_type = T;
  using const_iterator = const T*;
  using iterator = const_iterator;
  using size_type = std::size_t;

  ArrayRef() noexcept : data_(nullptr), size_(0) {}
  ArrayRef(const T* data, std::size_t size) : data_(data), size_(size) {}
  ArrayRef(const std::vector<T>& v) : data_(v.data()), size_(v.size()) {}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  /// For arguments only: the list is destroyed at the end of the full expression.
  ArrayRef(std::initializer_list<T> list) : data_(list.begin()), size_(list.size()) {}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9
#pragma GCC diagnostic pop
#endif
  template <std::size_t N>
  ArrayRef(const T (&array)[N]) : data_(array), size_(N) {}
  template <std::size_t N>
  ArrayRef(const std::array<T, N>& array) : data_(array.data()), size_(N) {}

  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  const T& front() const { return data_[0]; }
  const T& back() const { return data_[size_ - 1]; }
  const_iterator begin() const noexcept { return data_; }
  const_iterator end() const noexcept { return data_ + size_; }
  std::vector<T> cloneAsVector() const { return std::vector<T>(begin(), end()); }

 private:
  const T* data_;
  std::size_t size_;
};

}  // namespace poplar

namespace gccs {
using poplar::ArrayRef;
}

#pragma GCC visibility pop

#endif
