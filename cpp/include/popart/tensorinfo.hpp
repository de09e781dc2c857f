// Element type and shape of a tensor. After popart/tensorinfo.hpp of PopART 3.
#ifndef popart_tensorinfo_hpp
#define popart_tensorinfo_hpp

#include <popart/datatype.hpp>
#include <popart/error.hpp>
#include <popart/names.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Converts PopART's ("FLOAT") or numpy's ("float32") name.
/// \throws error for any other name
DataType dataTypeFromString(const std::string& s);

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

  void set(DataType type) { type_ = type; }
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

/// Whether the shapes broadcast by numpy's rules.
bool npBroadcastable(const Shape& a, const Shape& b);
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
