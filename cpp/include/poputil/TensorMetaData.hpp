// What a library knows of a tensor beyond the tensor. After poputil/TensorMetaData.hpp of PopLibs 3.
#ifndef poputil_TensorMetaData_hpp
#define poputil_TensorMetaData_hpp

#include <memory>

#pragma GCC visibility push(default)
namespace poputil {

/// Base of what is known.
class TensorMetaDataBase {
 public:
  virtual ~TensorMetaDataBase();
  virtual std::unique_ptr<TensorMetaDataBase> clone() const = 0;
};

/// A copyable holder; it may be empty.
class TensorMetaData {
 public:
  TensorMetaData();
  TensorMetaData(const TensorMetaData& other);
  TensorMetaData(TensorMetaData&& other) noexcept;
  TensorMetaData& operator=(const TensorMetaData& other);
  TensorMetaData& operator=(TensorMetaData&& other) noexcept;
  TensorMetaData(std::unique_ptr<TensorMetaDataBase> data);
  ~TensorMetaData();

  /// Null if it is empty.
  const TensorMetaDataBase* getData() const { return data_.get(); }

 private:
  std::unique_ptr<TensorMetaDataBase> data_;
};

}  // namespace poputil
#pragma GCC visibility pop

#endif
