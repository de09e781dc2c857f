// Sizes of sparse layers. After popsparse/FullyConnectedParams.hpp of PopLibs 3.
#ifndef popsparse_FullyConnectedParams_hpp
#define popsparse_FullyConnectedParams_hpp

#include <popsparse/MatMulParams.hpp>

#include <cassert>
#include <cmath>
#include <cstddef>
#include <ostream>

#pragma GCC visibility push(default)
namespace popsparse {
namespace dynamic {

/// A layer of inputs [batch, input channels] with sparse weights [output channels, input channels].
class FullyConnectedParams {
 public:
  /// See MatMulParams. There is one group.
  static FullyConnectedParams createWithNzRatio(const SparsityParams& sparsityParams,
                                                double nzRatio, std::size_t batchSize,
                                                std::size_t numGroups, std::size_t inputChannels,
                                                std::size_t outputChannels) {
    return FullyConnectedParams(MatMulParams::createWithNzRatio(
        sparsityParams, nzRatio, numGroups, outputChannels, inputChannels, batchSize));
  }
  static FullyConnectedParams createWithNumNonZeroValues(
      const SparsityParams& sparsityParams, std::size_t numNonZeroElems, std::size_t batchSize,
      std::size_t numGroups, std::size_t inputChannels, std::size_t outputChannels) {
    return FullyConnectedParams(MatMulParams::createWithNumNonZeroValues(
        sparsityParams, numNonZeroElems, numGroups, outputChannels, inputChannels, batchSize));
  }

  std::size_t getBatchSize() const { return product_.getN(); }
  std::size_t getNumGroups() const { return product_.getNumGroups(); }
  std::size_t getInputChannels() const { return product_.getK(); }
  std::size_t getOutputChannels() const { return product_.getM(); }
  std::size_t getInputChannelsPerGroup() const { return product_.getK(); }
  std::size_t getOutputChannelsPerGroup() const { return product_.getM(); }
  const SparsityParams& getSparsityParams() const { return product_.getSparsityParams(); }
  double getNzRatio() const { return product_.getNzRatio(); }
  std::size_t getNumNonZeroValues() const { return product_.getNumNonZeroValues(); }
  /// The product of weights and transposed inputs. popir's own.
  const MatMulParams& product() const { return product_; }

  friend bool operator<(const FullyConnectedParams& a, const FullyConnectedParams& b) {
    return a.product_ < b.product_;
  }
  friend bool operator==(const FullyConnectedParams& a, const FullyConnectedParams& b) {
    return a.product_ == b.product_;
  }
  friend bool operator!=(const FullyConnectedParams& a, const FullyConnectedParams& b) {
    return !(a == b);
  }

 private:
  explicit FullyConnectedParams(const MatMulParams& product) : product_(product) {}

  MatMulParams product_;
};
std::ostream& operator<<(std::ostream& os, const FullyConnectedParams& p);

}  // namespace dynamic
}  // namespace popsparse
#pragma GCC visibility pop

#endif
