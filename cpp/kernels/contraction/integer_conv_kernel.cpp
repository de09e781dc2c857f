#include "kernels/contraction/integer_conv_kernel.hpp"

#include <algorithm>

#include "kernels/check.hpp"
#include "kernels/contraction/meetings.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<IntegerConvKernel> kSavedIntegerConv("integer conv");

}  // namespace

std::vector<int> IntegerConvKernel::preferredBlocks(const std::vector<Layout>& operands,
                                                    const Setting&) const {
  std::vector<int> wish(operands.size(), Layout::kPlain);
  // Fewer channels than these are packed denser along the lines.
  constexpr std::int64_t kWord = 4;
  const bool isDepthwise = shape_.inChannels == 1 && shape_.outChannels == 1;
  const auto fills = [&](std::int64_t channels) {
    return (isDepthwise ? shape_.groups : channels) % kWord == 0;
  };
  if (fills(shape_.inChannels)) wish[0] = Layout::kChannelsLast;
  if (fills(shape_.outChannels)) wish[2] = Layout::kChannelsLast;
  return wish;
}

std::unique_ptr<Runner> IntegerConvKernel::prepare(const std::vector<Layout>& operands,
                                                   const Setting& setting) const {
  const auto& p = shape_;
  contraction::IntegerConvSpec spec{
      inType_,  weightsType_, p.batch,  p.groups,   p.inChannels, p.outChannels, p.inField,
      p.kernel, p.outField,   p.stride, p.dilation, p.padLower,   inZero_,       weightZeros_};
  if (tail_) spec.requantization = requantizationOf(*tail_, Tail::Extent::Channel);
  spec.inLast = operands[0].channelBlock == Layout::kChannelsLast;
  spec.outLast = operands[2].channelBlock == Layout::kChannelsLast;
  return contraction::isIntegerDepthwise(spec)
             ? contraction::makeIntegerDepthwise(spec, setting.threads)
             : contraction::makeIntegerConv(spec, setting.threads);
}

std::shared_ptr<const Tail> IntegerConvKernel::tail() const { return tail_ ? tail_ : tailOfSums(); }

std::shared_ptr<const Kernel> IntegerConvKernel::withTail(const Tail& tail) const {
  if (!requantizationOf(tail, Tail::Extent::Channel)) return nullptr;
  auto made = std::make_shared<IntegerConvKernel>(*this);
  made->tail_ = std::make_shared<Tail>(tail);
  return made;
}

void IntegerConvKernel::check(const std::vector<OperandInfo>& operands) const {
  std::size_t n = 3;
  requireOperands(operands, n + (inZero_ != ZeroPoints::None) + (weightZeros_ != ZeroPoints::None) +
                                (tail_ ? tail_->extents.size() - 1 : 0));
  auto shorts = std::vector<OperandInfo>(operands.begin(), operands.begin() + n);
  if (tail_) {
    requireTail(*tail_, Tail::Extent::Channel, operands, 2, shape_.groups * shape_.outChannels);
    shorts[2].type = poplar::INT;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& type = i == 0 ? inType_ : weightsType_;
    require(type == poplar::SIGNED_CHAR || type == poplar::UNSIGNED_CHAR,
            "an operand is not of bytes");
    requireOperand(operands[i], Access::Read, type, operands[i].shape);
    shorts[i].type = poplar::SHORT;
  }
  require(shape_.pass == contraction::Pass::Forward && !shape_.bias &&
              shape_.inType == poplar::SHORT && shape_.outType == poplar::INT,
          "it is no forward convolution from short to int");
  require(std::all_of(shape_.inDilation.begin(), shape_.inDilation.end(),
                      [](std::int64_t n) { return n == 1; }),
          "the input is dilated");
  ConvKernel(shape_).check(shorts);
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  for (const auto* sizes : {&shape_.kernel, &shape_.outField})
    for (const auto size : *sizes) require(size < kMost, "a size is out of range");
  for (const auto size : shape_.kernel) require(size >= 1, "a window has no elements");
  require(contraction::isCompact(shape_.inField, shape_.kernel, shape_.outField, shape_.stride,
                                 shape_.dilation),
          "its windows reach far beyond the input");
  // Sizes of scratch memory are computed in 64 bits without checks: none is more than 2^22 times
  // the padded image.
  std::uint64_t bytes = 1 << 22;
  for (const auto size : {shape_.batch, shape_.groups, shape_.inChannels})
    bytes = saturatingProduct(bytes, static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1)));
  for (std::size_t d = 0; d < shape_.kernel.size(); ++d)
    bytes = saturatingProduct(
        bytes, static_cast<std::uint64_t>((shape_.outField[d] + 1) * shape_.stride[d] +
                                          shape_.kernel[d] * shape_.dilation[d]));
  require(bytes < (std::uint64_t{1} << 63), "its padded input is too large");
  require(inZero_ != ZeroPoints::Each, "the input has more than one zero point");
  if (inZero_ != ZeroPoints::None) requireOperand(operands[n++], Access::Read, inType_, {1});
  if (weightZeros_ != ZeroPoints::None)
    requireOperand(operands[n], Access::Read, weightsType_,
                   {weightZeros_ == ZeroPoints::One ? 1 : shape_.groups * shape_.outChannels});
}

Work IntegerConvKernel::work(const std::vector<Layout>&) const {
  return ConvKernel(shape_).work({});
}

}  // namespace popir
