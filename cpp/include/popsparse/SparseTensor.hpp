// Sparse matrices on the device. After popsparse/SparseTensor.hpp of PopLibs 3.
#ifndef popsparse_SparseTensor_hpp
#define popsparse_SparseTensor_hpp

#include <poplar/Tensor.hpp>
#include <poputil/TensorMetaData.hpp>

#pragma GCC visibility push(default)
namespace popsparse {
namespace dynamic {

/// A matrix whose structure is data: what a Partitioner makes of one is written to both tensors.
class SparseTensor {
 public:
  SparseTensor() = default;
  SparseTensor(const poplar::Tensor& metaInfo, const poplar::Tensor& nzValues,
               const poputil::TensorMetaData& opMetaData = {})
      : metaInfo_(metaInfo), nzValues_(nzValues), opMetaData_(opMetaData) {}

  const poplar::Tensor& getMetaInfoTensor() const { return metaInfo_; }
  const poplar::Tensor& getNzValuesTensor() const { return nzValues_; }
  const poputil::TensorMetaData& getOpMetaData() const { return opMetaData_; }

 private:
  poplar::Tensor metaInfo_, nzValues_;
  poputil::TensorMetaData opMetaData_;
};

}  // namespace dynamic

namespace static_ {

/// A matrix whose structure is known when the graph is made.
class SparseTensor {
 public:
  SparseTensor() = default;
  explicit SparseTensor(const poplar::Tensor& nzValues,
                        const poputil::TensorMetaData& opMetaData = {})
      : nzValues_(nzValues), opMetaData_(opMetaData) {}

  const poplar::Tensor& getNzValuesTensor() const { return nzValues_; }
  const poputil::TensorMetaData& getOpMetaData() const { return opMetaData_; }

 private:
  poplar::Tensor nzValues_;
  poputil::TensorMetaData opMetaData_;
};

}  // namespace static_
}  // namespace popsparse
#pragma GCC visibility pop

#endif
