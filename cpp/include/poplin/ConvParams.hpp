// The parameters of a convolution. After poplin/ConvParams.hpp of PopLibs 3.
#ifndef poplin_ConvParams_hpp
#define poplin_ConvParams_hpp

#include <cstddef>
#include <functional>
#include <istream>
#include <ostream>
#include <poplar/Type.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace poplin {

/// A grouped cross-correlation with transforms of its operands and of its result.
///
/// Activations are [batchSize, groups * channelsPerGroup, field...]. Weights are [groups,
/// outputChannelsPerConvGroup, inputChannelsPerConvGroup, kernel...]. In each field dimension the
/// input and the kernel are transformed first. Then they are correlated at every position where the
/// whole kernel fits. Then the result is transformed. All vectors have one entry per field
/// dimension.
///
/// For example, ONNX's Conv with pads = [1, 1] and strides = [2] has inputTransform.paddingLower =
/// paddingUpper = {1} and outputTransform.stride = {2}.
struct ConvParams {
  /// Transform of the input or of the kernel: truncation, dilation, padding, flip, in this order.
  struct InputTransform {
    /// Number of elements removed at the lower and the upper end.
    std::vector<unsigned> truncationLower;
    std::vector<unsigned> truncationUpper;
    /// Distance between neighbouring elements after dilation, with zeros in between. 1: no
    /// dilation.
    std::vector<unsigned> dilation;
    /// Number of zeros added at the lower and the upper end.
    std::vector<unsigned> paddingLower;
    std::vector<unsigned> paddingUpper;
    /// If true, the order of the elements is reversed.
    std::vector<bool> flip;

    InputTransform() = default;
    /// The identity transform for `size` dimensions.
    explicit InputTransform(std::size_t size);
    InputTransform(std::vector<unsigned> truncationLower, std::vector<unsigned> truncationUpper,
                   std::vector<unsigned> dilation, std::vector<unsigned> paddingLower,
                   std::vector<unsigned> paddingUpper, std::vector<bool> flip);
  };

  /// Transform of the result: truncation, striding, padding, in this order.
  struct OutputTransform {
    /// Number of elements removed at the lower and the upper end.
    std::vector<unsigned> truncationLower;
    std::vector<unsigned> truncationUpper;
    /// Keeps elements 0, stride, 2 * stride, ...
    std::vector<unsigned> stride;
    /// Number of zeros added at the lower and the upper end.
    std::vector<unsigned> paddingLower;
    std::vector<unsigned> paddingUpper;

    OutputTransform() = default;
    /// The identity transform for `size` dimensions.
    explicit OutputTransform(std::size_t size);
    OutputTransform(std::vector<unsigned> truncationLower, std::vector<unsigned> truncationUpper,
                    std::vector<unsigned> stride, std::vector<unsigned> paddingLower,
                    std::vector<unsigned> paddingUpper);
  };

  poplar::Type inputType;
  poplar::Type outputType;
  std::size_t batchSize = 0;
  std::vector<std::size_t> inputFieldShape;
  std::vector<std::size_t> kernelShape;
  std::size_t inputChannelsPerConvGroup = 0;
  std::size_t outputChannelsPerConvGroup = 0;
  std::size_t numConvGroups = 0;
  InputTransform inputTransform;
  InputTransform kernelTransform;
  OutputTransform outputTransform;

  ConvParams() = default;
  /// \throws poputil::poplibs_error if the parameters are invalid (see validate())
  ConvParams(poplar::Type dataType, std::size_t batchSize, std::vector<std::size_t> inputFieldShape,
             std::vector<std::size_t> kernelShape, std::size_t inputChannelsPerConvGroup,
             std::size_t outputChannelsPerConvGroup, std::size_t numConvGroups);
  ConvParams(poplar::Type inputType, poplar::Type outputType, std::size_t batchSize,
             std::vector<std::size_t> inputFieldShape, std::vector<std::size_t> kernelShape,
             std::size_t inputChannelsPerConvGroup, std::size_t outputChannelsPerConvGroup,
             std::size_t numConvGroups);
  ConvParams(poplar::Type inputType, poplar::Type outputType, std::size_t batchSize,
             std::vector<std::size_t> inputFieldShape, std::vector<std::size_t> kernelShape,
             std::size_t inputChannelsPerConvGroup, std::size_t outputChannelsPerConvGroup,
             std::size_t numConvGroups, InputTransform inputTransform,
             InputTransform kernelTransform, OutputTransform outputTransform);

  /// Size of field dimension `dim` of the result before the output transform. getOutputSize() is
  /// the size after it.
  std::size_t getUntransformedOutputSize(unsigned dim) const;
  std::size_t getOutputSize(unsigned dim) const;
  std::vector<std::size_t> getOutputFieldShape() const;
  /// Sizes after truncation, and after the whole transform.
  unsigned getTruncatedInputSize(unsigned dim) const;
  unsigned getTruncatedKernelSize(unsigned dim) const;
  unsigned getTransformedInputSize(unsigned dim) const;
  unsigned getTransformedKernelSize(unsigned dim) const;

  std::size_t getNumOutputChansPerConvGroup() const { return outputChannelsPerConvGroup; }
  std::size_t getNumOutputChans() const { return outputChannelsPerConvGroup * numConvGroups; }
  std::size_t getNumInputChansPerConvGroup() const { return inputChannelsPerConvGroup; }
  std::size_t getNumInputChans() const { return inputChannelsPerConvGroup * numConvGroups; }
  std::size_t getNumConvGroups() const { return numConvGroups; }
  std::size_t getNumFieldDims() const { return inputFieldShape.size(); }
  std::size_t getBatchSize() const { return batchSize; }
  std::size_t getInputSize(unsigned dim) const { return inputFieldShape[dim]; }
  const std::vector<std::size_t>& getInputFieldShape() const { return inputFieldShape; }
  const std::vector<std::size_t>& getKernelShape() const { return kernelShape; }

  /// \throws poputil::poplibs_error naming the invalid member: a vector whose length is not the
  /// number of field dimensions, a dilation or stride of 0, truncation beyond the size, or a kernel
  /// larger than the field
  void validate() const;
  /// The same convolution in a canonical form: where padding and truncation cancel, both are
  /// removed. Equivalent convolutions then compare equal more often.
  ConvParams canonicalize() const;
};

#define POPIR_COMPARED(T)                  \
  bool operator<(const T& a, const T& b);  \
  bool operator==(const T& a, const T& b); \
  bool operator!=(const T& a, const T& b);
POPIR_COMPARED(ConvParams::InputTransform)
POPIR_COMPARED(ConvParams::OutputTransform)
POPIR_COMPARED(ConvParams)
#undef POPIR_COMPARED

std::ostream& operator<<(std::ostream& os, const ConvParams& params);
/// Reads all of a stream as a JSON object with the members' names, those of the transforms in objects
/// of their own: {"inputType": "half", "batchSize": 4, "inputFieldShape": [8, 8], "inputTransform":
/// {"paddingLower": [1, 1]}, ...}. "dataType" is both types. What is left out keeps its value;
/// transforms become the identity.
/// \throws poplar::poplar_error for what is no JSON; poputil::poplibs_error for invalid parameters
std::istream& operator>>(std::istream& is, ConvParams& params);

std::size_t hash_value(const ConvParams::InputTransform& transform);
std::size_t hash_value(const ConvParams::OutputTransform& transform);
std::size_t hash_value(const ConvParams& params);

}  // namespace poplin
#pragma GCC visibility pop

namespace std {

template <>
struct hash<poplin::ConvParams::InputTransform> {
  std::size_t operator()(const poplin::ConvParams::InputTransform& t) const {
    return hash_value(t);
  }
};
template <>
struct hash<poplin::ConvParams::OutputTransform> {
  std::size_t operator()(const poplin::ConvParams::OutputTransform& t) const {
    return hash_value(t);
  }
};
template <>
struct hash<poplin::ConvParams> {
  std::size_t operator()(const poplin::ConvParams& p) const { return hash_value(p); }
};

}  // namespace std

#endif
