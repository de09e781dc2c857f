#include <algorithm>
#include <climits>
#include <istream>
#include <iterator>
#include <poplin/ConvParams.hpp>
#include <poplin/ConvUtil.hpp>
#include <poputil/exceptions.hpp>
#include <sstream>
#include <tuple>

#include "poplar/json_reader.hpp"
#include "poplin/contraction_options.hpp"

namespace poplin {
namespace {

using InputTransform = ConvParams::InputTransform;
using OutputTransform = ConvParams::OutputTransform;

constexpr std::size_t kMostFieldDims = 3;

auto key(const InputTransform& t) {
  return std::tie(t.truncationLower, t.truncationUpper, t.dilation, t.paddingLower, t.paddingUpper,
                  t.flip);
}
auto key(const OutputTransform& t) {
  return std::tie(t.truncationLower, t.truncationUpper, t.stride, t.paddingLower, t.paddingUpper);
}
auto key(const ConvParams& p) {
  return std::tie(p.inputType, p.outputType, p.batchSize, p.inputFieldShape, p.kernelShape,
                  p.inputChannelsPerConvGroup, p.outputChannelsPerConvGroup, p.numConvGroups,
                  p.inputTransform, p.kernelTransform, p.outputTransform);
}

template <class T>
std::string listText(const std::vector<T>& v) {
  std::ostringstream os;
  os << "[";
  for (std::size_t i = 0; i < v.size(); ++i) os << (i ? ", " : "") << v[i];
  os << "]";
  return os.str();
}

[[noreturn]] void refuse(const std::string& what) {
  throw poputil::poplibs_error("poplin::ConvParams: " + what);
}

template <class T>
void checkLength(const char* member, const std::vector<T>& v, std::size_t dims) {
  if (v.size() != dims)
    refuse(std::string(member) + " is " + listText(v) + ", expected " + std::to_string(dims) +
           " entries, one for each dimension of the field");
}

void checkNotZero(const char* member, const std::vector<unsigned>& v) {
  if (std::count(v.begin(), v.end(), 0u) > 0)
    refuse(std::string(member) + " is " + listText(v) + ", expected at least 1 everywhere");
}

void checkTransform(const char* of, const InputTransform& t,
                    const std::vector<std::size_t>& shape) {
  const auto member = [of](const char* name) { return std::string(of) + "." + name; };
  checkLength(member("truncationLower").c_str(), t.truncationLower, shape.size());
  checkLength(member("truncationUpper").c_str(), t.truncationUpper, shape.size());
  checkLength(member("dilation").c_str(), t.dilation, shape.size());
  checkLength(member("paddingLower").c_str(), t.paddingLower, shape.size());
  checkLength(member("paddingUpper").c_str(), t.paddingUpper, shape.size());
  checkLength(member("flip").c_str(), t.flip, shape.size());
  checkNotZero(member("dilation").c_str(), t.dilation);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    // This is the largest of the sizes below, so none of them overflows.
    const std::uint64_t elements = std::min<std::uint64_t>(shape[d], UINT_MAX);
    const std::uint64_t largest = (elements == 0 ? 0 : elements - 1) * t.dilation[d] + 1;
    if (shape[d] > UINT_MAX ||
        largest + t.paddingLower[d] + std::uint64_t{t.paddingUpper[d]} > UINT_MAX)
      refuse(std::string(of) + " makes dimension " + std::to_string(d) + " of " + listText(shape) +
             ", with dilation " + std::to_string(t.dilation[d]) + " and padding " +
             std::to_string(t.paddingLower[d]) + " and " + std::to_string(t.paddingUpper[d]) +
             ", larger than a field can be, 4294967295 elements");
    if (std::uint64_t{t.truncationLower[d]} + t.truncationUpper[d] >= shape[d])
      refuse(std::string(of) + " truncates dimension " + std::to_string(d) + " of " +
             listText(shape) + " by " + std::to_string(t.truncationLower[d]) + " and " +
             std::to_string(t.truncationUpper[d]) + ", expected something to remain");
  }
}

unsigned transformedSize(std::size_t size, const InputTransform& t, unsigned d) {
  const auto truncated = static_cast<unsigned>(size) - t.truncationLower[d] - t.truncationUpper[d];
  return getDilatedSize(truncated, t.dilation[d]) + t.paddingLower[d] + t.paddingUpper[d];
}

/// Truncation and padding at one end of the input.
struct End {
  unsigned* truncation;
  unsigned* padding;
};

/// Removes up to `n` elements at one end. Returns how many could not be removed.
unsigned drop(End end, unsigned dilation, unsigned size, unsigned n) {
  const unsigned fromPadding = std::min(n, *end.padding);
  *end.padding -= fromPadding;
  n -= fromPadding;
  // Truncating an element also removes the zeros of dilation after it. The last element has none.
  const unsigned elements = std::min(n / dilation, size - 1);
  *end.truncation += elements;
  return n - elements * dilation;
}

/// The number of dimensions of a transform, checked before vectors are allocated.
std::size_t fieldDims(std::size_t size) {
  if (size > kMostFieldDims)
    refuse("a transform of " + std::to_string(size) + " field dimensions, expected at most " +
           std::to_string(kMostFieldDims));
  return size;
}

void combine(std::size_t& seed, std::size_t value) {
  seed ^= value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2);
}

template <class T>
void combineAll(std::size_t& seed, const std::vector<T>& values) {
  combine(seed, values.size());
  for (const auto value : values) combine(seed, static_cast<std::size_t>(value));
}

}  // namespace

InputTransform::InputTransform(std::size_t size)
    : truncationLower(fieldDims(size), 0),
      truncationUpper(size, 0),
      dilation(size, 1),
      paddingLower(size, 0),
      paddingUpper(size, 0),
      flip(size, false) {}

InputTransform::InputTransform(std::vector<unsigned> truncationLower_,
                               std::vector<unsigned> truncationUpper_,
                               std::vector<unsigned> dilation_, std::vector<unsigned> paddingLower_,
                               std::vector<unsigned> paddingUpper_, std::vector<bool> flip_)
    : truncationLower(std::move(truncationLower_)),
      truncationUpper(std::move(truncationUpper_)),
      dilation(std::move(dilation_)),
      paddingLower(std::move(paddingLower_)),
      paddingUpper(std::move(paddingUpper_)),
      flip(std::move(flip_)) {}

OutputTransform::OutputTransform(std::size_t size)
    : truncationLower(fieldDims(size), 0),
      truncationUpper(size, 0),
      stride(size, 1),
      paddingLower(size, 0),
      paddingUpper(size, 0) {}

OutputTransform::OutputTransform(std::vector<unsigned> truncationLower_,
                                 std::vector<unsigned> truncationUpper_,
                                 std::vector<unsigned> stride_, std::vector<unsigned> paddingLower_,
                                 std::vector<unsigned> paddingUpper_)
    : truncationLower(std::move(truncationLower_)),
      truncationUpper(std::move(truncationUpper_)),
      stride(std::move(stride_)),
      paddingLower(std::move(paddingLower_)),
      paddingUpper(std::move(paddingUpper_)) {}

ConvParams::ConvParams(poplar::Type dataType, std::size_t batchSize_,
                       std::vector<std::size_t> inputFieldShape_,
                       std::vector<std::size_t> kernelShape_, std::size_t inputChannels,
                       std::size_t outputChannels, std::size_t numConvGroups_)
    : ConvParams(dataType, dataType, batchSize_, std::move(inputFieldShape_),
                 std::move(kernelShape_), inputChannels, outputChannels, numConvGroups_) {}

ConvParams::ConvParams(poplar::Type inputType_, poplar::Type outputType_, std::size_t batchSize_,
                       std::vector<std::size_t> inputFieldShape_,
                       std::vector<std::size_t> kernelShape_, std::size_t inputChannels,
                       std::size_t outputChannels, std::size_t numConvGroups_)
    : ConvParams(inputType_, outputType_, batchSize_, inputFieldShape_, kernelShape_, inputChannels,
                 outputChannels, numConvGroups_, InputTransform(inputFieldShape_.size()),
                 InputTransform(kernelShape_.size()), OutputTransform(inputFieldShape_.size())) {}

ConvParams::ConvParams(poplar::Type inputType_, poplar::Type outputType_, std::size_t batchSize_,
                       std::vector<std::size_t> inputFieldShape_,
                       std::vector<std::size_t> kernelShape_, std::size_t inputChannels,
                       std::size_t outputChannels, std::size_t numConvGroups_,
                       InputTransform inputTransform_, InputTransform kernelTransform_,
                       OutputTransform outputTransform_)
    : inputType(inputType_),
      outputType(outputType_),
      batchSize(batchSize_),
      inputFieldShape(std::move(inputFieldShape_)),
      kernelShape(std::move(kernelShape_)),
      inputChannelsPerConvGroup(inputChannels),
      outputChannelsPerConvGroup(outputChannels),
      numConvGroups(numConvGroups_),
      inputTransform(std::move(inputTransform_)),
      kernelTransform(std::move(kernelTransform_)),
      outputTransform(std::move(outputTransform_)) {
  validate();
}

void ConvParams::validate() const {
  const std::size_t dims = inputFieldShape.size();
  if (dims < 1 || dims > kMostFieldDims)
    refuse("inputFieldShape is " + listText(inputFieldShape) + ", expected 1 to " +
           std::to_string(kMostFieldDims) + " dimensions");
  checkLength("kernelShape", kernelShape, dims);
  if (numConvGroups < 1) refuse("numConvGroups is 0, expected at least 1");
  checkTransform("inputTransform", inputTransform, inputFieldShape);
  checkTransform("kernelTransform", kernelTransform, kernelShape);
  const auto& t = outputTransform;
  checkLength("outputTransform.truncationLower", t.truncationLower, dims);
  checkLength("outputTransform.truncationUpper", t.truncationUpper, dims);
  checkLength("outputTransform.stride", t.stride, dims);
  checkLength("outputTransform.paddingLower", t.paddingLower, dims);
  checkLength("outputTransform.paddingUpper", t.paddingUpper, dims);
  checkNotZero("outputTransform.stride", t.stride);
  for (unsigned d = 0; d < dims; ++d) {
    if (getTransformedInputSize(d) < getTransformedKernelSize(d))
      refuse("in dimension " + std::to_string(d) + " the transformed kernel has " +
             std::to_string(getTransformedKernelSize(d)) + " elements, the transformed input " +
             std::to_string(getTransformedInputSize(d)) + "; expected no more");
    if (std::uint64_t{t.truncationLower[d]} + t.truncationUpper[d] >= getUntransformedOutputSize(d))
      refuse("outputTransform truncates dimension " + std::to_string(d) + " by " +
             std::to_string(t.truncationLower[d]) + " and " + std::to_string(t.truncationUpper[d]) +
             ", expected something to remain of " + std::to_string(getUntransformedOutputSize(d)));
  }
}

unsigned ConvParams::getTruncatedInputSize(unsigned d) const {
  return static_cast<unsigned>(inputFieldShape[d]) - inputTransform.truncationLower[d] -
         inputTransform.truncationUpper[d];
}
unsigned ConvParams::getTruncatedKernelSize(unsigned d) const {
  return static_cast<unsigned>(kernelShape[d]) - kernelTransform.truncationLower[d] -
         kernelTransform.truncationUpper[d];
}
unsigned ConvParams::getTransformedInputSize(unsigned d) const {
  return transformedSize(inputFieldShape[d], inputTransform, d);
}
unsigned ConvParams::getTransformedKernelSize(unsigned d) const {
  return transformedSize(kernelShape[d], kernelTransform, d);
}
std::size_t ConvParams::getUntransformedOutputSize(unsigned d) const {
  return getTransformedInputSize(d) - getTransformedKernelSize(d) + 1;
}
std::size_t ConvParams::getOutputSize(unsigned d) const {
  const auto& t = outputTransform;
  const std::size_t truncated =
      getUntransformedOutputSize(d) - t.truncationLower[d] - t.truncationUpper[d];
  return (truncated + t.stride[d] - 1) / t.stride[d] + t.paddingLower[d] + t.paddingUpper[d];
}
std::vector<std::size_t> ConvParams::getOutputFieldShape() const {
  std::vector<std::size_t> shape;
  for (unsigned d = 0; d < getNumFieldDims(); ++d) shape.push_back(getOutputSize(d));
  return shape;
}

ConvParams ConvParams::canonicalize() const {
  validate();
  ConvParams p = *this;
  auto& in = p.inputTransform;
  auto& kernel = p.kernelTransform;
  auto& out = p.outputTransform;
  for (unsigned d = 0; d < getNumFieldDims(); ++d) {
    // Kernel padding adds nothing to the sums. Without it the kernel fits at more positions;
    // truncate those from the output instead.
    const bool kernelFlip = kernel.flip[d];
    out.truncationLower[d] += kernelFlip ? kernel.paddingUpper[d] : kernel.paddingLower[d];
    out.truncationUpper[d] += kernelFlip ? kernel.paddingLower[d] : kernel.paddingUpper[d];
    kernel.paddingLower[d] = kernel.paddingUpper[d] = 0;
    // Elements after the last stride are never used, so they can be truncated, too.
    const auto size = static_cast<unsigned>(p.getUntransformedOutputSize(d)) -
                      out.truncationLower[d] - out.truncationUpper[d];
    out.truncationUpper[d] += (size - 1) % out.stride[d];
    // Instead of truncating the output, truncate the input, where possible.
    const End lower = {&in.truncationLower[d], &in.paddingLower[d]};
    const End upper = {&in.truncationUpper[d], &in.paddingUpper[d]};
    const bool flip = in.flip[d];
    out.truncationLower[d] = drop(flip ? upper : lower, in.dilation[d], p.getTruncatedInputSize(d),
                                  out.truncationLower[d]);
    out.truncationUpper[d] = drop(flip ? lower : upper, in.dilation[d], p.getTruncatedInputSize(d),
                                  out.truncationUpper[d]);
    // With one element, dilation and order do not matter.
    if (p.getTruncatedInputSize(d) == 1) in.dilation[d] = 1;
    if (p.getTruncatedKernelSize(d) == 1) {
      kernel.dilation[d] = 1;
      kernel.flip[d] = false;
    }
    if (p.getOutputSize(d) - out.paddingLower[d] - out.paddingUpper[d] == 1) out.stride[d] = 1;
  }
  return p;
}

unsigned getDilatedSize(unsigned size, unsigned dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

ConvParams canonicalizeParams(const ConvParams& params) { return params.canonicalize(); }

ConvParams getGradientParams(const ConvParams& params) {
  const ConvParams p = params.canonicalize();
  const auto dims = p.getNumFieldDims();
  ConvParams g = p;
  g.inputFieldShape = p.getOutputFieldShape();
  std::swap(g.inputChannelsPerConvGroup, g.outputChannelsPerConvGroup);
  auto& in = g.inputTransform;
  auto& kernel = g.kernelTransform;
  auto& out = g.outputTransform;
  std::swap(kernel.truncationLower, kernel.truncationUpper);
  for (unsigned d = 0; d < dims; ++d) {
    const unsigned reach = p.getTransformedKernelSize(d) - 1;
    in.truncationLower[d] = p.outputTransform.paddingLower[d];
    in.truncationUpper[d] = p.outputTransform.paddingUpper[d];
    in.dilation[d] = p.outputTransform.stride[d];
    in.paddingLower[d] = p.outputTransform.truncationLower[d] + reach;
    in.paddingUpper[d] = p.outputTransform.truncationUpper[d] + reach;
    // The gradient of a reversed input is the reversed gradient. So both operands are reversed.
    kernel.flip[d] = p.kernelTransform.flip[d] != p.inputTransform.flip[d];
    in.flip[d] = p.inputTransform.flip[d];
    out.truncationLower[d] = p.inputTransform.paddingLower[d];
    out.truncationUpper[d] = p.inputTransform.paddingUpper[d];
    out.stride[d] = p.inputTransform.dilation[d];
    out.paddingLower[d] = p.inputTransform.truncationLower[d];
    out.paddingUpper[d] = p.inputTransform.truncationUpper[d];
  }
  return g.canonicalize();
}

ConvParams getWeightUpdateParams(const ConvParams& fwdParams) {
  const ConvParams p = fwdParams.canonicalize();
  const auto dims = p.getNumFieldDims();
  ConvParams g = p;
  std::swap(g.batchSize, g.inputChannelsPerConvGroup);
  g.kernelShape = p.getOutputFieldShape();
  auto& in = g.inputTransform;
  auto& kernel = g.kernelTransform;
  auto& out = g.outputTransform;
  for (unsigned d = 0; d < dims; ++d) {
    kernel.truncationLower[d] = p.outputTransform.paddingLower[d];
    kernel.truncationUpper[d] = p.outputTransform.paddingUpper[d];
    kernel.dilation[d] = p.outputTransform.stride[d];
    kernel.paddingLower[d] = p.outputTransform.truncationLower[d];
    kernel.paddingUpper[d] = p.outputTransform.truncationUpper[d];
    // A reversed kernel: the gradient comes out reversed, so both operands are reversed.
    kernel.flip[d] = p.kernelTransform.flip[d];
    in.flip[d] = p.inputTransform.flip[d] != p.kernelTransform.flip[d];
    out.truncationLower[d] = p.kernelTransform.paddingLower[d];
    out.truncationUpper[d] = p.kernelTransform.paddingUpper[d];
    out.stride[d] = p.kernelTransform.dilation[d];
    out.paddingLower[d] = p.kernelTransform.truncationLower[d];
    out.paddingUpper[d] = p.kernelTransform.truncationUpper[d];
  }
  return g;
}

bool operator<(const InputTransform& a, const InputTransform& b) { return key(a) < key(b); }
bool operator==(const InputTransform& a, const InputTransform& b) { return key(a) == key(b); }
bool operator!=(const InputTransform& a, const InputTransform& b) { return !(a == b); }
bool operator<(const OutputTransform& a, const OutputTransform& b) { return key(a) < key(b); }
bool operator==(const OutputTransform& a, const OutputTransform& b) { return key(a) == key(b); }
bool operator!=(const OutputTransform& a, const OutputTransform& b) { return !(a == b); }
bool operator<(const ConvParams& a, const ConvParams& b) { return key(a) < key(b); }
bool operator==(const ConvParams& a, const ConvParams& b) { return key(a) == key(b); }
bool operator!=(const ConvParams& a, const ConvParams& b) { return !(a == b); }

std::size_t hash_value(const InputTransform& t) {
  std::size_t seed = 0;
  for (const auto* v :
       {&t.truncationLower, &t.truncationUpper, &t.dilation, &t.paddingLower, &t.paddingUpper})
    combineAll(seed, *v);
  combineAll(seed, t.flip);
  return seed;
}
std::size_t hash_value(const OutputTransform& t) {
  std::size_t seed = 0;
  for (const auto* v :
       {&t.truncationLower, &t.truncationUpper, &t.stride, &t.paddingLower, &t.paddingUpper})
    combineAll(seed, *v);
  return seed;
}
std::size_t hash_value(const ConvParams& p) {
  std::size_t seed = static_cast<std::size_t>(p.inputType.kind());
  combine(seed, static_cast<std::size_t>(p.outputType.kind()));
  combineAll(seed, p.inputFieldShape);
  combineAll(seed, p.kernelShape);
  for (auto n :
       {p.batchSize, p.inputChannelsPerConvGroup, p.outputChannelsPerConvGroup, p.numConvGroups,
        hash_value(p.inputTransform), hash_value(p.kernelTransform), hash_value(p.outputTransform)})
    combine(seed, n);
  return seed;
}

std::ostream& operator<<(std::ostream& os, const ConvParams& p) {
  const auto transform = [&](const char* name, const InputTransform& t) {
    if (t == InputTransform(t.flip.size())) return;
    os << ", " << name << " {truncation " << listText(t.truncationLower) << " "
       << listText(t.truncationUpper) << ", dilation " << listText(t.dilation) << ", padding "
       << listText(t.paddingLower) << " " << listText(t.paddingUpper) << ", flip "
       << listText(t.flip) << "}";
  };
  os << "convolution {" << p.inputType << " to " << p.outputType << ", batch " << p.batchSize
     << ", field " << listText(p.inputFieldShape) << ", kernel " << listText(p.kernelShape)
     << ", channels " << p.inputChannelsPerConvGroup << " to " << p.outputChannelsPerConvGroup
     << " in " << p.numConvGroups << " groups";
  transform("input", p.inputTransform);
  transform("kernel", p.kernelTransform);
  const auto& t = p.outputTransform;
  if (t != OutputTransform(t.stride.size()))
    os << ", output {truncation " << listText(t.truncationLower) << " "
       << listText(t.truncationUpper) << ", stride " << listText(t.stride) << ", padding "
       << listText(t.paddingLower) << " " << listText(t.paddingUpper) << "}";
  return os << "}";
}

namespace {

using poplar::ProfileValue;

/// The members of a JSON object, one by one.
class Members {
 public:
  explicit Members(const ProfileValue& object) : map_(object.asMap()) {}

  const ProfileValue* find(const char* name) const {
    const auto found = map_.find(name);
    return found == map_.end() ? nullptr : &found->second;
  }
  void read(const char* name, std::size_t& number) const {
    if (const auto* value = find(name)) number = static_cast<std::size_t>(value->asInt());
  }
  void read(const char* name, poplar::Type& type) const {
    const auto* value = find(name);
    if (value == nullptr) return;
    const auto& text = value->asString();
    if (text != "half" && text != "float")
      throw poputil::poplibs_error("poplin::ConvParams: the type '" + text +
                                   "' was read; give half or float");
    type = text == "half" ? poplar::HALF : poplar::FLOAT;
  }
  template <class T>
  void read(const char* name, std::vector<T>& list) const {
    const auto* value = find(name);
    if (value == nullptr) return;
    list.clear();
    for (const auto& each : value->asVector())
      list.push_back(each.type() == ProfileValue::Type::BOOL ? static_cast<T>(each.asBool())
                                                             : static_cast<T>(each.asInt()));
  }

 private:
  const ProfileValue::Map& map_;
};

void read(const Members& members, const char* name, InputTransform& transform) {
  const auto* value = members.find(name);
  if (value == nullptr) return;
  const Members own(*value);
  own.read("truncationLower", transform.truncationLower);
  own.read("truncationUpper", transform.truncationUpper);
  own.read("dilation", transform.dilation);
  own.read("paddingLower", transform.paddingLower);
  own.read("paddingUpper", transform.paddingUpper);
  own.read("flip", transform.flip);
}

}  // namespace

std::istream& operator>>(std::istream& is, ConvParams& p) {
  const auto value =
      popir::readJson("poplin::ConvParams", std::string(std::istreambuf_iterator<char>(is), {}));
  const Members members(value);
  members.read("dataType", p.inputType);
  members.read("dataType", p.outputType);
  members.read("inputType", p.inputType);
  members.read("outputType", p.outputType);
  members.read("batchSize", p.batchSize);
  members.read("numConvGroups", p.numConvGroups);
  members.read("inputChannelsPerConvGroup", p.inputChannelsPerConvGroup);
  members.read("outputChannelsPerConvGroup", p.outputChannelsPerConvGroup);
  members.read("inputFieldShape", p.inputFieldShape);
  members.read("kernelShape", p.kernelShape);
  p.inputTransform = InputTransform(p.inputFieldShape.size());
  p.kernelTransform = InputTransform(p.inputFieldShape.size());
  p.outputTransform = OutputTransform(p.inputFieldShape.size());
  read(members, "inputTransform", p.inputTransform);
  read(members, "kernelTransform", p.kernelTransform);
  if (const auto* output = members.find("outputTransform")) {
    const Members own(*output);
    own.read("truncationLower", p.outputTransform.truncationLower);
    own.read("truncationUpper", p.outputTransform.truncationUpper);
    own.read("stride", p.outputTransform.stride);
    own.read("paddingLower", p.outputTransform.paddingLower);
    own.read("paddingUpper", p.outputTransform.paddingUpper);
  }
  p.validate();
  return is;
}

}  // namespace poplin
