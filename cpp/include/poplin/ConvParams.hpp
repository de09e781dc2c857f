// poplin/ConvParams.hpp: which convolution, in the terms of PopLibs.
#ifndef poplin_ConvParams_hpp
#define poplin_ConvParams_hpp

#include <cstddef>
#include <functional>
#include <ostream>
#include <poplar/Type.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace poplin {

/// A grouped cross-correlation of `batchSize` fields, with what is done to its operands around it.
///
/// Activations are [batchSize, groups * channelsPerGroup, field...], weights
/// [groups, outputChannelsPerConvGroup, inputChannelsPerConvGroup, kernel...]. In each field
/// dimension the input and the kernel are transformed, correlated at every position where the whole
/// kernel fits, and the result is transformed. All vectors have one entry per field dimension.
struct ConvParams {
  /// Applied to the input and to the kernel, in the order of the fields.
  struct InputTransform {
    /// Elements dropped at the two ends.
    std::vector<unsigned> truncationLower;
    std::vector<unsigned> truncationUpper;
    /// Distance between neighbours afterwards, with zeros between them; 1 changes nothing.
    std::vector<unsigned> dilation;
    /// Zeros added at the two ends.
    std::vector<unsigned> paddingLower;
    std::vector<unsigned> paddingUpper;
    /// Order reversed.
    std::vector<bool> flip;

    InputTransform() = default;
    /// The transform that changes nothing, for `size` dimensions.
    explicit InputTransform(std::size_t size);
    InputTransform(std::vector<unsigned> truncationLower, std::vector<unsigned> truncationUpper,
                   std::vector<unsigned> dilation, std::vector<unsigned> paddingLower,
                   std::vector<unsigned> paddingUpper, std::vector<bool> flip);
  };

  /// Applied to the result, in the order of the fields.
  struct OutputTransform {
    /// Elements dropped at the two ends.
    std::vector<unsigned> truncationLower;
    std::vector<unsigned> truncationUpper;
    /// Every stride-th element is kept, the first included.
    std::vector<unsigned> stride;
    /// Zeros added at the two ends.
    std::vector<unsigned> paddingLower;
    std::vector<unsigned> paddingUpper;

    OutputTransform() = default;
    /// The transform that changes nothing, for `size` dimensions.
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
  /// \throws poputil::poplibs_error if the parameters make no convolution (see validate()).
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

  /// Size of the result before and after the output transform.
  std::size_t getUntransformedOutputSize(unsigned dim) const;
  std::size_t getOutputSize(unsigned dim) const;
  std::vector<std::size_t> getOutputFieldShape() const;
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

  /// \throws poputil::poplibs_error naming the member that does not fit: vectors of other lengths
  ///         than the field's, dilation or stride of 0, more dropped than there is, a kernel larger
  ///         than the field.
  void validate() const;
  /// The same convolution with padding, truncation and output truncation cancelled where they
  /// undo each other, so that equal convolutions compare equal more often.
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
