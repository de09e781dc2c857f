// Connections of vertex fields, for Graph::addVertex.
#ifndef poplar_ConnectionDesc_hpp
#define poplar_ConnectionDesc_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace poplar {

/// An array of a host type. Valid only as long as the original array.
struct FieldValues {
  template <class T>
  static FieldValues of(const T* values, std::size_t n) {
    return {Type(equivalent_device_type<T>::kind), sizeof(T), values, n};
  }
  Type type;
  std::size_t elementBytes;
  const void* values;
  std::size_t n;
};

/// A field and its value: `{"x", tensor}`, `{"rows", tensors}`, `{"n", 5}` or `{"table", numbers}`.
class ConnectionDesc {
 public:
  ConnectionDesc(StringRef field, Tensor t) : field_(field), tensors_(1, t), single_(true) {}
  ConnectionDesc(StringRef field, ArrayRef<Tensor> tensors)
      : field_(field), tensors_(tensors.begin(), tensors.end()) {}
  ConnectionDesc(StringRef field, std::vector<Tensor> tensors)
      : field_(field), tensors_(std::move(tensors)) {}
  template <class T, class = typename std::enable_if<TypeTraits::isSimpleType<T>()>::type>
  ConnectionDesc(StringRef field, T value) : field_(field) {
    keep(&value, 1);
  }
  template <class T, class = typename std::enable_if<TypeTraits::isSimpleType<T>()>::type>
  ConnectionDesc(StringRef field, ArrayRef<T> values) : field_(field) {
    keep(values.data(), values.size());
  }
  template <class T, class = typename std::enable_if<TypeTraits::isSimpleType<T>()>::type>
  ConnectionDesc(StringRef field, const std::vector<T>& values) : field_(field) {
    keep(values.data(), values.size());
  }

  const std::string& field() const { return field_; }
  bool isValue() const { return elementBytes_ > 0; }
  bool isSingle() const { return single_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  FieldValues values() const {
    return {type_, elementBytes_, bytes_.data(), bytes_.size() / elementBytes_};
  }

 private:
  template <class T>
  void keep(const T* values, std::size_t n) {
    type_ = Type(equivalent_device_type<T>::kind);
    elementBytes_ = sizeof(T);
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(values);
    bytes_.assign(bytes, bytes + n * sizeof(T));
  }

  std::string field_;
  std::vector<Tensor> tensors_;
  bool single_ = false;
  Type type_;
  std::size_t elementBytes_ = 0;
  std::vector<unsigned char> bytes_;
};

}  // namespace poplar

#endif
