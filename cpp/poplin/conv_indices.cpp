// Which elements of a convolution meet.
#include <poplin/ConvUtil.hpp>

#include <algorithm>

namespace poplin {
namespace {

using Range = std::pair<unsigned, unsigned>;
constexpr unsigned kNone = ~0u;

/// The size of a dimension of an operand after its transform.
unsigned transformedSize(const ConvParams::InputTransform& t, unsigned dim, unsigned size) {
  const unsigned kept = size - t.truncationLower[dim] - t.truncationUpper[dim];
  return getDilatedSize(kept, t.dilation[dim]) + t.paddingLower[dim] + t.paddingUpper[dim];
}

/// Where an element of an operand stands after the transform; kNone if it is cut off.
unsigned forward(const ConvParams::InputTransform& t, unsigned dim, unsigned size, unsigned index) {
  if (index < t.truncationLower[dim] || index >= size - t.truncationUpper[dim]) return kNone;
  const unsigned at = (index - t.truncationLower[dim]) * t.dilation[dim] + t.paddingLower[dim];
  return t.flip[dim] ? transformedSize(t, dim, size) - 1 - at : at;
}

/// The element of an operand that stands at a place after the transform; kNone for a zero.
unsigned backward(const ConvParams::InputTransform& t, unsigned dim, unsigned size, unsigned at) {
  const unsigned whole = transformedSize(t, dim, size);
  if (at >= whole) return kNone;
  if (t.flip[dim]) at = whole - 1 - at;
  if (at < t.paddingLower[dim] || at >= whole - t.paddingUpper[dim]) return kNone;
  at -= t.paddingLower[dim];
  return at % t.dilation[dim] != 0 ? kNone : at / t.dilation[dim] + t.truncationLower[dim];
}

unsigned fieldSize(const ConvParams& params, unsigned dim) {
  return static_cast<unsigned>(params.inputFieldShape[dim]);
}
unsigned kernelSize(const ConvParams& params, unsigned dim) {
  return static_cast<unsigned>(params.kernelShape[dim]);
}

/// The smallest range that holds what `found` takes.
class Bounds {
 public:
  void add(unsigned index) {
    low_ = std::min(low_, index);
    high_ = std::max(high_, index + 1);
  }
  Range range() const { return high_ == 0 ? Range(0, 0) : Range(low_, high_); }

 private:
  unsigned low_ = kNone, high_ = 0;
};

enum class Wanted { Output, Kernel, Input };

Range meeting(Wanted wanted, unsigned dim, Range outputs, Range kernels, Range inputs,
              const ConvParams& params) {
  Bounds bounds;
  for (unsigned o = outputs.first; o < outputs.second; ++o)
    for (unsigned k = kernels.first; k < kernels.second; ++k) {
      const unsigned i = getInputIndex(dim, o, k, params);
      if (i == kNone || i < inputs.first || i >= inputs.second) continue;
      bounds.add(wanted == Wanted::Output ? o : wanted == Wanted::Kernel ? k : i);
    }
  return bounds.range();
}

Range all(unsigned size) { return {0, size}; }
Range single(unsigned index) { return {index, index + 1}; }

}  // namespace

unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex,
                       const ConvParams& params) {
  const auto& out = params.outputTransform;
  const unsigned kernel =
      forward(params.kernelTransform, dim, kernelSize(params, dim), kernelIndex);
  if (kernel == kNone || outputIndex < out.paddingLower[dim]) return kNone;
  const unsigned place = (outputIndex - out.paddingLower[dim]) * out.stride[dim];
  const unsigned field = fieldSize(params, dim);
  const unsigned before = transformedSize(params.inputTransform, dim, field) -
                          transformedSize(params.kernelTransform, dim, kernelSize(params, dim)) + 1;
  const unsigned kept = before - out.truncationLower[dim] - out.truncationUpper[dim];
  if (place >= kept) return kNone;
  return backward(params.inputTransform, dim, field, place + out.truncationLower[dim] + kernel);
}

unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex,
                        const ConvParams& params) {
  for (unsigned k = 0; k < kernelSize(params, dim); ++k)
    if (getInputIndex(dim, outputIndex, k, params) == inputIndex) return k;
  return kNone;
}

Range getOutputRangeForKernelIndex(unsigned dim, Range outputRange, unsigned kernelIndex,
                                   const ConvParams& params) {
  return meeting(Wanted::Output, dim, outputRange, single(kernelIndex), all(fieldSize(params, dim)),
                 params);
}
Range getOutputRangeForInputIndex(unsigned dim, Range outputRange, unsigned inputIndex,
                                  const ConvParams& params) {
  return meeting(Wanted::Output, dim, outputRange, all(kernelSize(params, dim)), single(inputIndex),
                 params);
}
Range getOutputRangeForKernelRange(unsigned dim, Range outputRange, Range kernelIndexRange,
                                   const ConvParams& params) {
  return meeting(Wanted::Output, dim, outputRange, kernelIndexRange, all(fieldSize(params, dim)),
                 params);
}
Range getOutputRangeForInputRange(unsigned dim, Range outputRange, Range inputRange,
                                  const ConvParams& params) {
  return meeting(Wanted::Output, dim, outputRange, all(kernelSize(params, dim)), inputRange,
                 params);
}
Range getInputRange(unsigned dim, Range outputRange, unsigned kernelIndex,
                    const ConvParams& params) {
  return getInputRange(dim, outputRange, single(kernelIndex), params);
}
Range getKernelRange(unsigned dim, Range outputRange, unsigned inputIndex,
                     const ConvParams& params) {
  return getKernelRange(dim, outputRange, single(inputIndex), params);
}
Range getInputRange(unsigned dim, Range outputRange, Range kernelIndexRange,
                    const ConvParams& params) {
  return meeting(Wanted::Input, dim, outputRange, kernelIndexRange, all(fieldSize(params, dim)),
                 params);
}
Range getKernelRange(unsigned dim, Range outputRange, Range inputRange, const ConvParams& params) {
  return meeting(Wanted::Kernel, dim, outputRange, all(kernelSize(params, dim)), inputRange,
                 params);
}

}  // namespace poplin
