// popart/tensorinfo.hpp: the element type and the shape of a tensor.
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

/// By name, PopART's ("FLOAT") or numpy's ("float32"). \throws error for any other.
DataType dataTypeFromString(const std::string& s);

/// The type of tensors that hold this C++ type.
template <typename T>
DataType getDataType();

/// What an element type is.
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
  /// Of one element.
  const int& nbytes() const { return nbytes_; }
  /// "FLOAT".
  const std::string& name() const { return name_; }
  /// "float32".
  const std::string& lcasename() const { return lcasename_; }
  /// Whether it is an integer or a truth value.
  bool isFixedPoint() const { return isFixedPoint_; }

 private:
  DataType type_;
  int nbytes_;
  bool isFixedPoint_;
  std::string name_;
  std::string lcasename_;
};

/// Of every element type.
const std::map<DataType, DataTypeInfo>& getDataTypeInfoMap();

class TensorInfo {
 public:
  /// Not set: UNDEFINED, and no dimensions.
  TensorInfo() = default;
  TensorInfo(DataType type, const Shape& shape) : type_(type), shape_(shape) {}
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
  Rank rank() const { return static_cast<Rank>(shape_.size()); }
  /// The number of elements; 1 for a scalar.
  int64_t nelms() const;
  /// The number of bytes of all elements.
  int64_t nbytes() const;
  /// \throws error outside of [0, rank).
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
  Shape shape_;
};

/// Writes "FLOAT [2 3]".
std::ostream& operator<<(std::ostream& os, const TensorInfo& info);

/// The shape that numpy's broadcasting gives; `who` stands in the message. \throws error if the
/// shapes do not go together.
Shape npOut(const Shape& a, const Shape& b, const std::string& who = "");
/// The same of two infos, which must have one type where `checkDataType`.
TensorInfo npOut(const TensorInfo& a, const TensorInfo& b, bool checkDataType,
                 const std::string& who = "");

}  // namespace popart

#pragma GCC visibility pop

#endif
