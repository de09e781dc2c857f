#include "kernels/conv_kernel.hpp"

#include <algorithm>
#include <tuple>

#include "kernels/check.hpp"
#include "kernels/half.hpp"
#include "kernels/meetings.hpp"

namespace popir {
namespace {

using contraction::Pass;

/// No element appears twice. Enough: sorted by stride, each dimension steps over the ones inside
/// it.
bool distinct(const Layout& l) {
  std::vector<std::pair<std::int64_t, std::int64_t>> dims;  // stride, size
  for (std::size_t d = 0; d < l.shape.size(); ++d)
    if (l.shape[d] != 1) dims.emplace_back(l.strides[d], l.shape[d]);
  std::sort(dims.begin(), dims.end());
  std::int64_t span = 1;
  for (const auto& [stride, size] : dims) {
    if (stride < span) return false;
    span = stride * (size - 1) + span;
  }
  return true;
}

std::int64_t product(const std::vector<std::int64_t>& v) {
  std::int64_t n = 1;
  for (auto x : v) n *= x;
  return n;
}

}  // namespace

bool operator<(const ConvKernel::Problem& a, const ConvKernel::Problem& b) {
  const auto key = [](const ConvKernel::Problem& p) {
    return std::tie(p.pass, p.inType, p.outType, p.batch, p.groups, p.inChannels, p.outChannels,
                    p.inField, p.kernel, p.outField, p.stride, p.dilation, p.inDilation, p.padLower,
                    p.bias, p.options);
  };
  return key(a) < key(b);
}

std::uint64_t ConvKernel::Problem::multiplications() const {
  std::uint64_t n = 1;
  for (const std::int64_t size : {batch, groups, inChannels, outChannels})
    n = saturatingProduct(n, static_cast<std::uint64_t>(size));
  for (std::size_t d = 0; d < kernel.size(); ++d)
    n = saturatingProduct(n, meetings({inField[d], outField[d], kernel[d], stride[d], dilation[d],
                                       inDilation[d], padLower[d]}));
  return n;
}

const char* ConvKernel::name() const {
  static const char* const kNames[] = {"conv", "conv_data_gradient", "conv_weights_gradient"};
  return kNames[static_cast<int>(p_.pass)];
}

bool ConvKernel::accepts(std::size_t i, const Layout& layout) const {
  if (i == 1 || i == 3) return layout.dense();
  if (layout.channelBlock == Layout::kChannelsLast) return true;
  if (layout.channelBlock != Layout::kPlain)
    return (layout.channelBlock == 8 || layout.channelBlock == 16) &&
           layout.shape[1] % layout.channelBlock == 0;
  return isHalf(layout.type) ? layout.dense() : distinct(layout);
}

contraction::ConvSpec ConvKernel::spec(const std::vector<Layout>& operands) const {
  contraction::ConvSpec s;
  s.pass = p_.pass;
  s.groups = p_.groups;
  s.stride = p_.stride;
  s.dilation = p_.dilation;
  s.inDilation = p_.inDilation;
  s.padLower = p_.padLower;
  s.bias = p_.bias;
  s.in = operands[0];
  s.weights = operands[1];
  s.out = operands[2];
  return s;
}

std::unique_ptr<Runner> ConvKernel::prepare(const std::vector<Layout>& operands,
                                            unsigned threads) const {
  return contraction::make(spec(operands), threads);
}

std::vector<int> ConvKernel::preferredBlocks(const std::vector<Layout>& operands,
                                             unsigned threads) const {
  const auto blocks = contraction::preferredBlocks(spec(operands), threads);
  if (blocks.in == Layout::kPlain && blocks.out == Layout::kPlain) return {};
  std::vector<int> wish(operands.size(), Layout::kPlain);
  wish[0] = blocks.in;
  wish[2] = blocks.out;
  return wish;
}

void ConvKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, p_.bias ? 4 : 3);
  const std::size_t fields = p_.inField.size();
  require(fields >= 1 && fields <= 3, "a convolution has one to three field dimensions");
  for (const auto* sizes :
       {&p_.kernel, &p_.outField, &p_.stride, &p_.dilation, &p_.inDilation, &p_.padLower})
    require(sizes->size() == fields, "its numbers are of different field dimensions");
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  for (std::size_t d = 0; d < fields; ++d) {
    for (const auto* steps : {&p_.stride, &p_.dilation, &p_.inDilation})
      require((*steps)[d] >= 1 && (*steps)[d] < kMost, "a stride or dilation is less than 1");
    require(p_.padLower[d] > -kMost && p_.padLower[d] < kMost, "padding is out of range");
  }
  const auto shape = [](std::vector<std::int64_t> first, const std::vector<std::int64_t>& field) {
    first.insert(first.end(), field.begin(), field.end());
    return first;
  };
  const auto access = [&](Pass written) {
    return p_.pass == written ? Access::Write : Access::Read;
  };
  require(p_.groups >= 1, "a convolution has a group");
  requireOperand(operands[0], access(Pass::DataGradient), p_.inType,
                 shape({p_.batch, p_.groups * p_.inChannels}, p_.inField));
  requireOperand(operands[1], access(Pass::WeightsGradient), p_.inType,
                 shape({p_.groups, p_.outChannels, p_.inChannels}, p_.kernel));
  requireOperand(operands[2], access(Pass::Forward), p_.outType,
                 shape({p_.batch, p_.groups * p_.outChannels}, p_.outField));
  require(!p_.bias || p_.pass == Pass::Forward, "a gradient has no bias");
  if (p_.bias) requireOperand(operands[3], Access::Read, p_.outType, {p_.groups * p_.outChannels});
  p_.options.check();
}

Work ConvKernel::work(const std::vector<Layout>&) const {
  ContractionSizes s = {p_.groups, p_.batch * product(p_.outField), p_.inChannels, p_.outChannels,
                        product(p_.kernel)};
  if (p_.pass == Pass::DataGradient) {
    s.points = p_.batch * product(p_.inField);
    std::swap(s.inChannels, s.outChannels);
  } else if (p_.pass == Pass::WeightsGradient) {
    // Its images are the input channels, its channels the images, its taps the output points.
    s.points = p_.inChannels * product(p_.kernel);
    s.inChannels = p_.batch;
    s.taps = product(p_.outField);
  }
  auto work = contractionWork(p_.inType, s, p_.options, p_.multiplications());
  work.sizes.push_back(1 + static_cast<std::uint64_t>(p_.pass));
  work.sizes.push_back(static_cast<std::uint64_t>(p_.batch));
  for (std::size_t d = 0; d < p_.kernel.size(); ++d)
    for (const auto size : {p_.inField[d], p_.outField[d], p_.kernel[d], p_.stride[d],
                            p_.dilation[d], p_.inDilation[d], p_.padLower[d]})
      work.sizes.push_back(static_cast<std::uint64_t>(size));
  return work;
}

}  // namespace popir
