// Element type and shape of a tensor. After popart/tensorinfo.hpp of PopART 3.
#ifndef popart_tensorinfo_hpp
#define popart_tensorinfo_hpp

#include <popart/datatype.hpp>
#include <popart/error.hpp>
#include <popart/names.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Converts PopART's ("FLOAT") or numpy's ("float32") name.
/// \throws error for any other name
DataType dataTypeFromString(const std::string& s);
/// All element types by PopART's and by numpy's names, and a text that lists the former.
const std::map<std::string, DataType>& getStrToDataTypeMap();
const std::string& getAllONNXTypesString();
/// ONNX's number of the type, TensorProto::DataType.
/// \throws error for a type that ONNX does not have a number of
int64_t getONNXDataTypeAsInt(const DataType type);

/// The data type of tensors with elements of the C++ type T.
template <typename T>
DataType getDataType();

/// Properties of an element type.
class DataTypeInfo {
 public:
  DataTypeInfo(DataType type, int nbytes, bool isFixedPoint, std::string name,
               std::string lcasename)
      : type_(type),
        nbytes_(nbytes),
        isFixedPoint_(isFixedPoint),
        name_(std::move(name)),
        lcasename_(std::move(lcasename)) {}

  DataType type() const { return type_; }
  /// Bytes per element.
  const int& nbytes() const { return nbytes_; }
  /// "FLOAT".
  const std::string& name() const { return name_; }
  /// "float32".
  const std::string& lcasename() const { return lcasename_; }
  /// True for integers and BOOL.
  bool isFixedPoint() const { return isFixedPoint_; }

 private:
  DataType type_;
  int nbytes_;
  bool isFixedPoint_;
  std::string name_;
  std::string lcasename_;
};

/// The properties of every element type.
const std::map<DataType, DataTypeInfo>& getDataTypeInfoMap();

/// An element type and a shape.
class TensorInfo {
 public:
  /// An unset info: UNDEFINED, without dimensions.
  TensorInfo() = default;
  TensorInfo(DataType type, const Shape& shape) : type_(type), shape_(shape) {}
  TensorInfo(DataType type, const Shape& shape, const Shape& metaShape)
      : type_(type), shape_(shape), meta_shape_(metaShape) {}
  TensorInfo(const std::string& type, const Shape& shape)
      : TensorInfo(dataTypeFromString(type), shape) {}
  /// The shape as text: "(2,3)", "()".
  /// \throws error for another text
  template <class Text,
            class = typename std::enable_if<std::is_convertible<Text, std::string>::value>::type>
  TensorInfo(const std::string& type, const Text& shape)
      : TensorInfo(dataTypeFromString(type), shapeFromString(shape)) {}

  void set(DataType type) { type_ = type; }
  void set(DataType type, const Shape& shape, const Shape& metaShape) {
    set(type, shape);
    meta_shape_ = metaShape;
  }
  void set(DataType type, const Shape& shape) {
    type_ = type;
    shape_ = shape;
  }

  bool isSet() const { return type_ != DataType::UNDEFINED; }
  const Shape& shape() const { return shape_; }
  std::vector<std::size_t> shape_szt() const { return {shape_.begin(), shape_.end()}; }
  /// The shape of the whole tensor of which replicas keep parts; empty for a whole tensor.
  const Shape& metaShape() const { return meta_shape_; }
  Rank rank() const { return static_cast<Rank>(shape_.size()); }
  /// Number of elements; 1 for a scalar.
  int64_t nelms() const;
  /// Total size in bytes.
  int64_t nbytes() const;
  /// Size of dimension i.
  /// \throws error if i is outside of [0, rank)
  int64_t dim(int i) const;
  DataType dataType() const { return type_; }
  /// The bytes from one element of an array of `shape` to the next, for each dimension, as numpy has
  /// them. The host's shape may be another than shape(), which is a replica's.
  std::vector<int> strides(const std::vector<long>& shape) const;
  static Shape shapeFromString(const std::string& text);
  const DataTypeInfo* getDataTypeInfo() const { return &getDataTypeInfoMap().at(type_); }
  /// "FLOAT".
  const std::string& data_type() const;
  /// "float32".
  const std::string& data_type_lcase() const;
  void append(std::ostream& os) const;

  bool operator==(const TensorInfo& o) const { return type_ == o.type_ && shape_ == o.shape_; }
  bool operator!=(const TensorInfo& o) const { return !(*this == o); }

 private:
  DataType type_ = DataType::UNDEFINED;
  Shape shape_, meta_shape_;
};

/// Writes "FLOAT [2 3]".
std::ostream& operator<<(std::ostream& os, const TensorInfo& info);

/// Whether the shapes broadcast by numpy's rules. `overlap` becomes the number of dimensions that
/// both have, or of those that broadcast, counted from the last one, where they do not.
bool npBroadcastable(const Shape& a, const Shape& b);
bool npBroadcastable(const Shape& a, const Shape& b, std::size_t& overlap);
/// The type of an operator's result, of two inputs of one type.
/// \throws error for two types
DataType getOutputDataType(const TensorInfo& a, const TensorInfo& b, const std::string& who);

/// The sizes but for 1s, or but for those at `axes`.
template <typename T>
std::vector<T> squeeze(const std::vector<T>& sizes) {
  std::vector<T> left;
  std::copy_if(sizes.begin(), sizes.end(), std::back_inserter(left),
               [](const T& size) { return size != T(1); });
  return left;
}
template <typename T>
std::vector<T> squeeze(const std::vector<T>& sizes, const std::vector<T>& axes) {
  std::vector<T> left;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (std::find(axes.begin(), axes.end(), static_cast<T>(d)) == axes.end())
      left.push_back(sizes[d]);
  return left;
}
/// The sizes with 1s, which the result has at `axes`.
/// \throws error unless these are in ascending order
template <typename T>
std::vector<T> unsqueeze(const std::vector<T>& sizes, const std::vector<T>& axes) {
  if (!std::is_sorted(axes.begin(), axes.end()))
    throw error("unsqueeze: the axes must be in ascending order");
  std::vector<T> with(sizes.size() + axes.size(), T(1));
  auto next = sizes.begin();
  for (std::size_t d = 0; d < with.size(); ++d)
    if (std::find(axes.begin(), axes.end(), static_cast<T>(d)) == axes.end() && next != sizes.end())
      with[d] = *next++;
  return with;
}
/// The dimensions of `out` along which a tensor of the shape `in` is repeated to become one of `out`:
/// a gradient is summed over them.
/// \throws error if it does not broadcast to that
std::vector<int64_t> npReductionAxis(const Shape& in, const Shape& out);
/// The broadcast shape by numpy's rules. `who` appears in the message.
/// \throws error if the shapes cannot be broadcast
Shape npOut(const Shape& a, const Shape& b, const std::string& who = "");
/// The same for two infos. With `checkDataType` both must have the same type.
TensorInfo npOut(const TensorInfo& a, const TensorInfo& b, bool checkDataType,
                 const std::string& who = "");

}  // namespace popart

#pragma GCC visibility pop

#endif
