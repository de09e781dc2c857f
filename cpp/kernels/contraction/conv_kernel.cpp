#include "kernels/contraction/conv_kernel.hpp"

#include <algorithm>
#include <tuple>

#include "kernels/check.hpp"
#include "kernels/contraction/conv_tail.hpp"
#include "kernels/contraction/meetings.hpp"
#include "kernels/half.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<ConvKernel> kSavedConv("conv");

using contraction::Pass;

/// True if no two indices share an element. This test is sufficient, not necessary: sorted by
/// stride, each dimension must step over the span of all smaller ones.
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

contraction::ConvSpec ConvKernel::spec(const std::vector<Layout>& operands,
                                       const Setting& setting) const {
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
  s.rounding = setting.rounding;
  s.policy = setting.policy;
  return s;
}

std::unique_ptr<Runner> ConvKernel::prepare(const std::vector<Layout>& operands,
                                            const Setting& setting) const {
  return contraction::make(spec(operands, setting), setting.threads);
}

std::vector<int> ConvKernel::preferredBlocks(const std::vector<Layout>& operands,
                                             const Setting& setting) const {
  const auto blocks = contraction::preferredBlocks(spec(operands, setting), setting.threads);
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
  const auto type = [&](Pass written) { return p_.pass == written ? p_.outType : p_.inType; };
  require(p_.groups >= 1, "a convolution has a group");
  requireOperand(operands[0], access(Pass::DataGradient), type(Pass::DataGradient),
                 shape({p_.batch, p_.groups * p_.inChannels}, p_.inField));
  requireOperand(operands[1], access(Pass::WeightsGradient), type(Pass::WeightsGradient),
                 shape({p_.groups, p_.outChannels, p_.inChannels}, p_.kernel));
  requireOperand(operands[2], access(Pass::Forward), type(Pass::Forward),
                 shape({p_.batch, p_.groups * p_.outChannels}, p_.outField));
  require(!p_.bias || p_.pass == Pass::Forward, "a gradient has no bias");
  if (p_.bias) requireOperand(operands[3], Access::Read, p_.outType, {p_.groups * p_.outChannels});
  p_.options.check();
}

Work ConvKernel::work(const std::vector<Layout>&) const {
  const auto size = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  ContractionWork work;
  work.type = p_.inType;
  work.groups = size(p_.groups);
  work.batch = size(p_.batch);
  for (std::size_t d = 0; d < p_.kernel.size(); ++d)
    work.field.push_back({p_.inField[d], p_.outField[d], p_.kernel[d], p_.stride[d], p_.dilation[d],
                          p_.inDilation[d], p_.padLower[d]});
  switch (p_.pass) {
    case Pass::Forward:
      work.pass = ContractionWork::Pass::Forward;
      work.rows = size(p_.batch * product(p_.outField));
      work.inner = size(p_.inChannels);
      work.columns = size(p_.outChannels);
      work.kernelElements = size(product(p_.kernel));
      break;
    case Pass::DataGradient:
      work.pass = ContractionWork::Pass::DataGradient;
      work.rows = size(p_.batch * product(p_.inField));
      work.inner = size(p_.outChannels);
      work.columns = size(p_.inChannels);
      work.kernelElements = size(product(p_.kernel));
      break;
    case Pass::WeightsGradient:
      // The weights' gradient is itself a convolution: its images are the input channels, its
      // channels are the images, its kernel is the output field.
      work.pass = ContractionWork::Pass::WeightsGradient;
      work.rows = size(p_.inChannels * product(p_.kernel));
      work.inner = size(p_.batch);
      work.columns = size(p_.outChannels);
      work.kernelElements = size(product(p_.outField));
      break;
  }
  return contractionWork(std::move(work), p_.options, p_.multiplications());
}

std::shared_ptr<const Kernel> ConvKernel::widened(std::size_t i,
                                                  const std::vector<std::int64_t>& shape) const {
  if (i != 0) return nullptr;
  if (shape.size() != p_.inField.size() + 2 || shape[0] != p_.batch ||
      shape[1] != p_.groups * p_.inChannels)
    return nullptr;
  for (std::size_t d = 0; d < p_.inField.size(); ++d) {
    const auto more = shape[d + 2] - p_.inField[d];
    if (more < 0 || more >= p_.stride[d] || p_.inDilation[d] != 1) return nullptr;
    // Where the last window reads padding above the field, it would use the further elements.
    const auto last = (p_.outField[d] - 1) * p_.stride[d] + (p_.kernel[d] - 1) * p_.dilation[d];
    if (more > 0 && last - p_.padLower[d] >= p_.inField[d]) return nullptr;
  }
  auto problem = p_;
  problem.inField.assign(shape.begin() + 2, shape.end());
  return std::make_shared<ConvKernel>(problem);
}

std::shared_ptr<const Tail> ConvKernel::tail() const {
  if (!isFloatOrHalf(p_.outType)) return nullptr;
  auto nothing = std::make_shared<Tail>();
  nothing->program.output(nothing->program.input(0, storageLane(p_.outType)));
  nothing->extents = {Tail::Extent::Full};
  return nothing;
}

std::shared_ptr<const Kernel> ConvKernel::withTail(const Tail& tail) const {
  return ConvTailKernel::make(*this, tail);
}

}  // namespace popir
