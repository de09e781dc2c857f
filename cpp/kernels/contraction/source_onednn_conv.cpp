// Convolutions by oneDNN primitives, float32 only.
#include "kernels/contraction/contraction.hpp"

#if POPIR_HAVE_ONEDNN
#include <algorithm>
#include <cstdint>
#include <optional>

#include "kernels/contraction/onednn.hpp"
#include "kernels/contraction/onednn_threads.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace contraction {
namespace {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;

/// The primitive of a convolution and the memory formats that it requires.
struct ConvPlan {
  dnnl::primitive primitive;
  Desc in, weights, out, bias, scratch;
  std::string implementation;
  pool::Sharing sharing = pool::Sharing::Together;
};

Dims lessOne(std::vector<std::int64_t> v) {
  for (auto& x : v) --x;
  return v;
}

Dims padUpper(const ConvSpec& s) {
  Dims pad;
  for (std::size_t d = 0; d < s.fieldDims(); ++d)
    pad.push_back((s.out.shape[d + 2] - 1) * s.stride[d] +
                  (s.weights.shape[d + 3] - 1) * s.dilation[d] + 1 - s.in.shape[d + 2] -
                  s.padLower[d]);
  return pad;
}

/// [groups, o, i, field...]; without the first dimension if there is one group. `open` lets oneDNN
/// choose the format.
Desc weightsDesc(const ConvSpec& s, bool open) {
  const std::ptrdiff_t skip = s.groups == 1 ? 1 : 0;
  const Dims dims(s.weights.shape.begin() + skip, s.weights.shape.end());
  if (open) return Desc(dims, onednn::kFloat, dnnl::memory::format_tag::any);
  return Desc(dims, onednn::kFloat,
              Dims(s.weights.strides.begin() + skip, s.weights.strides.end()));
}

template <class Pd>
ConvPlan planOf(const Pd& pd, dnnl::primitive primitive) {
  ConvPlan plan;
  plan.primitive = std::move(primitive);
  plan.scratch = pd.scratchpad_desc();
  plan.implementation = pd.impl_info_str();
  return plan;
}

/// How to choose the memory format of activations, by their shapes alone: a convolution has the same
/// bits whatever the layouts. planConv() tries these in order.
enum class Formats {
  /// Blocks of one vector of channels, if the number of channels divides by it. By itself oneDNN
  /// would take channels-last for forward passes and blocks for gradients. One format for all
  /// passes needs no reorders between them and is as fast or faster (docs/contractions.md).
  Vectors,
  Open  ///< oneDNN chooses
};

Desc descOf(const Layout& l, Formats formats) {
  const int vector = isa() == Isa::Avx512 ? 16 : 8;
  if (formats == Formats::Open || l.shape[1] % vector != 0) return onednn::openDesc(l);
  Layout blocked = l;
  blocked.channelBlock = vector;
  return onednn::desc(blocked);
}

/// The argument of a post-op: an operand of the run, or, if `operand` is 0, a number.
struct PostArgument {
  int argument;
  Desc desc;
  std::size_t operand;
  float number;
};

struct PostOps {
  dnnl::post_ops ops;
  std::vector<PostArgument> arguments;
};

PostOps postOpsOf(const ConvSpec& s) {
  using Kind = PostOp::Kind;
  using Extent = PostOp::Extent;
  const std::size_t rank = s.out.shape.size();
  const Dims ones(rank, 1);
  PostOps p;
  const auto binary = [&](dnnl::algorithm algorithm, const Desc& desc, std::size_t operand,
                          float number) {
    p.arguments.push_back(
        {DNNL_ARG_ATTR_MULTIPLE_POST_OP(p.ops.len()) | DNNL_ARG_SRC_1, desc, operand, number});
    p.ops.append_binary(algorithm, desc);
  };
  for (const PostOp& op : s.postOps) {
    if (op.kind == Kind::LeakyRelu) {
      p.ops.append_eltwise(dnnl::algorithm::eltwise_relu, op.number, 0);
      continue;
    }
    if (op.kind == Kind::Relu) {
      // oneDNN's relu turns NaN into 0, and with slope 0 turns -infinity into NaN. So Relu is elu
      // with alpha = 0, which keeps NaN: 0 * (exp(x) - 1) is -0 for x < 0. Adding 0 turns -0 into
      // 0.
      p.ops.append_eltwise(dnnl::algorithm::eltwise_elu, 0, 0);
      binary(dnnl::algorithm::binary_add, Desc(ones, onednn::kFloat, ones), 0, 0);
      continue;
    }
    static const dnnl::algorithm kAlgorithms[] = {
        dnnl::algorithm::binary_add, dnnl::algorithm::binary_sub, dnnl::algorithm::binary_mul,
        dnnl::algorithm::binary_div};
    Dims dims = ones, strides = ones;
    if (op.extent == Extent::Channel) {
      dims[1] = s.out.shape[1];
      strides[0] = dims[1];
    }
    const Desc desc =
        op.extent == Extent::Full ? onednn::desc(op.layout) : Desc(dims, onednn::kFloat, strides);
    binary(kAlgorithms[static_cast<int>(op.kind)], desc, op.operand, op.number);
  }
  return p;
}

ConvPlan planConv(const ConvSpec& s, Formats formats) {
  using dnnl::algorithm;
  using dnnl::prop_kind;
  const Desc in = descOf(s.in, formats), out = descOf(s.out, formats);
  const Desc weights = weightsDesc(s, true);
  const Desc bias =
      s.bias ? Desc({s.out.shape[1]}, onednn::kFloat, dnnl::memory::format_tag::x) : Desc();
  const Dims stride(s.stride), dilation = lessOne(s.dilation), lower(s.padLower),
                               upper = padUpper(s);
  auto attr = onednn::userScratch();
  if (!s.postOps.empty()) attr.set_post_ops(postOpsOf(s).ops);
  const auto kind =
      s.pass == Pass::Forward ? prop_kind::forward_inference : prop_kind::forward_training;
  const dnnl::convolution_forward::primitive_desc forward(
      onednn::engine(), kind, algorithm::convolution_direct, in, weights, bias, out, stride,
      dilation, lower, upper, attr);
  ConvPlan plan;
  if (s.pass == Pass::Forward) {
    plan = planOf(forward, dnnl::convolution_forward(forward));
    plan.in = forward.src_desc();
    plan.weights = forward.weights_desc();
    plan.out = forward.dst_desc();
    plan.bias = bias;
  } else if (s.pass == Pass::DataGradient) {
    const dnnl::convolution_backward_data::primitive_desc pd(
        onednn::engine(), algorithm::convolution_direct, in, weights, out, stride, dilation, lower,
        upper, forward, attr);
    plan = planOf(pd, dnnl::convolution_backward_data(pd));
    plan.in = pd.diff_src_desc();
    plan.weights = pd.weights_desc();
    plan.out = pd.diff_dst_desc();
  } else {
    const dnnl::convolution_backward_weights::primitive_desc pd(
        onednn::engine(), algorithm::convolution_direct, in, weights, out, stride, dilation, lower,
        upper, forward, attr);
    plan = planOf(pd, dnnl::convolution_backward_weights(pd));
    plan.in = pd.src_desc();
    plan.weights = pd.diff_weights_desc();
    plan.out = pd.diff_dst_desc();
  }
  return plan;
}

/// Whether the shares of a primitive never wait for one another. In a gradient of weights they do,
/// to add up, and in a convolution by matrix products.
bool isApart(const ConvSpec& s, const ConvPlan& plan) {
  return s.pass != Pass::WeightsGradient && !onednn::isGemm(plan.implementation.c_str());
}

/// Empty if oneDNN has only reference implementations.
std::optional<ConvPlan> planConv(const ConvSpec& s, unsigned threads, pool::Sharing sharing) {
  const onednn::Threads scope(threads, sharing);
  for (Formats formats : {Formats::Vectors, Formats::Open}) {
    try {
      auto plan = planConv(s, formats);
      const char* const name = plan.implementation.c_str();
      if (onednn::isReference(name) || (!s.postOps.empty() && onednn::isGemm(name))) continue;
      plan.sharing = sharing;
      return plan;
    } catch (const dnnl::error&) {
      // oneDNN has no primitive for these formats. Try the next.
    }
  }
  return std::nullopt;
}

std::optional<ConvPlan> planConv(const ConvSpec& s, unsigned threads) {
  auto plan = planConv(s, threads, pool::Sharing::Dynamic);
  if (threads == 1 || !plan || isApart(s, *plan)) return plan;
  return planConv(s, threads, pool::Sharing::Together);
}

class OneDnnConv final : public Contraction {
 public:
  OneDnnConv(const ConvSpec& s, const ConvPlan& plan, unsigned threads)
      : written_(s.pass == Pass::DataGradient      ? 0
                 : s.pass == Pass::WeightsGradient ? 1
                                                   : 2),
        threads_(threads),
        sharing_(plan.sharing),
        description_("onednn " + plan.implementation) {
    const int arguments[3][3] = {
        {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
        {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST},
        {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST},
    };
    const Desc mine[3] = {onednn::desc(s.in), weightsDesc(s, false), onednn::desc(s.out)};
    const Desc theirs[3] = {plan.in, plan.weights, plan.out};
    call_ = onednn::Call(plan.primitive);
    std::size_t reorderScratch = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      call_.add(arguments[static_cast<int>(s.pass)][i], theirs[i]);
      reorders_.emplace_back(i == written_ ? theirs[i] : mine[i],
                             i == written_ ? mine[i] : theirs[i]);
      bytes_[i] = reorders_[i].needed() ? aligned(theirs[i].get_size()) : 0;
      reorderScratch = std::max(reorderScratch, reorders_[i].scratchBytes());
    }
    call_.add(DNNL_ARG_SCRATCHPAD, plan.scratch);
    if (s.bias) call_.add(DNNL_ARG_BIAS, plan.bias);
    bias_ = s.bias;
    for (const auto& a : postOpsOf(s).arguments) {
      call_.add(a.argument, a.desc);
      postReads_.push_back({a.operand, a.number});
    }
    scratchBytes_ = std::max(reorderScratch, plan.scratch.get_size());
  }

  std::string describe() const override { return description_; }
  std::size_t packedBytes() const override {
    if (written_ == 1 || bytes_[1] == 0) return 0;
    return bytes_[1] + reorders_[1].scratchBytes();
  }
  bool movesWeights() const override { return reorders_[1].scratchBytes() == 0; }
  void pack(const void* weights, void* packed) const override {
    const onednn::Threads scope(threads_, sharing_);
    reorders_[1].run(weights, packed, at(packed, bytes_[1]));
  }
  std::size_t workBytes() const override {
    return bytes_[0] + (written_ == 1 ? bytes_[1] : 0) + bytes_[2] + scratchBytes_;
  }

  void runPacked(void* const* operands, const void* packed, void* work) const override {
    const onednn::Threads scope(threads_, sharing_);
    void* scratch = at(work, workBytes() - scratchBytes_);
    const pool::OwnArray<void*> pointers(4 + (bias_ ? 1 : 0) + postReads_.size());
    std::copy_n(operands, 3, pointers.begin());
    std::size_t offset = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!reorders_[i].needed()) continue;
      if (i == 1 && written_ != 1) {
        pointers[i] = const_cast<void*>(packed);
        continue;
      }
      pointers[i] = at(work, offset);
      offset += bytes_[i];
      if (i != written_) reorders_[i].run(operands[i], pointers[i], scratch);
    }
    void* const result = pointers[written_];
    void** next = pointers.begin() + 3;
    *next++ = scratch;
    if (bias_) *next++ = operands[3];
    for (const auto& read : postReads_)
      *next++ = read.operand == 0 ? const_cast<float*>(&read.number) : operands[read.operand];
    call_.run(pointers.begin());
    if (reorders_[written_].needed()) reorders_[written_].run(result, operands[written_], scratch);
  }

 private:
  std::size_t written_;
  unsigned threads_;
  pool::Sharing sharing_;
  bool bias_ = false;
  struct PostRead {
    std::size_t operand;
    float number;
  };
  std::vector<PostRead> postReads_;
  std::string description_;
  onednn::Call call_;
  std::vector<onednn::Reorder> reorders_;
  std::size_t bytes_[3] = {};
  std::size_t scratchBytes_ = 0;
};

/// A grouped convolution whose kernel is one point, as a product of the weights [groups, o, i] and
/// the input [n, groups, i, points]. Where groups are narrower than a vector, or do not divide by
/// it, oneDNN's convolutions take two to four times as long.
class OneDnnPointwise final : public Contraction {
 public:
  OneDnnPointwise(const ConvSpec& s, unsigned threads) : threads_(threads) {
    const onednn::Threads scope(threads);
    const std::int64_t out = s.weights.shape[1], in = s.weights.shape[2];
    const auto plain = [&](std::int64_t images, std::int64_t rows, std::int64_t columns) {
      return Desc({images, s.groups, rows, columns}, onednn::kFloat,
                  dnnl::memory::format_tag::abcd);
    };
    std::int64_t points = 1;
    for (std::size_t d = 2; d < s.in.shape.size(); ++d) points *= s.in.shape[d];
    const Desc weights = plain(1, out, in), source = plain(s.in.shape[0], in, points),
               result = plain(s.in.shape[0], out, points);
    const dnnl::matmul::primitive_desc pd(onednn::engine(), weights, source, result,
                                          onednn::userScratch());
    description_ = std::string("onednn matmul ") + pd.impl_info_str();
    scratchBytes_ = pd.scratchpad_desc().get_size();
    call_ = onednn::Call(dnnl::matmul(pd));
    call_.add(DNNL_ARG_SRC, weights);
    call_.add(DNNL_ARG_WEIGHTS, source);
    call_.add(DNNL_ARG_DST, result);
    call_.add(DNNL_ARG_SCRATCHPAD, pd.scratchpad_desc());
  }

  /// Whether the convolution is one, and this way is worth it.
  static bool fits(const ConvSpec& s) {
    const std::int64_t vector = isa() == Isa::Avx512 ? 16 : 8;
    if (s.pass != Pass::Forward || s.groups == 1 || s.bias) return false;
    if (s.weights.shape[1] == 1 && s.weights.shape[2] == 1) return false;
    if (s.weights.shape[1] % vector == 0 && s.weights.shape[2] % vector == 0) return false;
    const auto upper = padUpper(s);
    for (std::size_t d = 0; d < s.fieldDims(); ++d)
      if (s.weights.shape[d + 3] != 1 || s.stride[d] != 1 || s.padLower[d] != 0 || upper[d] != 0)
        return false;
    return s.in.dense() && s.out.dense() && s.weights.dense();
  }

  std::string describe() const override { return description_; }
  std::size_t workBytes() const override { return scratchBytes_; }
  void runPacked(void* const* operands, const void*, void* work) const override {
    const onednn::Threads scope(threads_);
    void* const pointers[] = {operands[1], operands[0], operands[2], work};
    call_.run(pointers);
  }

 private:
  unsigned threads_;
  std::string description_;
  std::size_t scratchBytes_ = 0;
  onednn::Call call_;
};

/// True if oneDNN's convolution supports the shapes and types.
bool expressible(const ConvSpec& s) {
  if (s.in.type != poplar::FLOAT || s.weights.type != poplar::FLOAT || s.out.type != poplar::FLOAT)
    return false;
  // oneDNN does not write the result of an empty sum.
  for (const Layout* l : {&s.in, &s.weights, &s.out})
    if (l->elements() == 0) return false;
  const auto upper = padUpper(s);
  for (std::size_t d = 0; d < s.fieldDims(); ++d)
    if (s.inDilation[d] != 1 || s.padLower[d] < 0 || upper[d] <= -s.stride[d]) return false;
  return true;
}

}  // namespace

std::unique_ptr<Contraction> makeOneDnn(const ConvSpec& spec, unsigned threads) {
  if (!expressible(spec)) return nullptr;
  // Its post-ops would be done by the reference implementation; a map does them afterwards.
  if (OneDnnPointwise::fits(spec))
    return spec.postOps.empty() ? std::make_unique<OneDnnPointwise>(spec, threads) : nullptr;
  const auto plan = planConv(spec, threads);
  if (!plan) return nullptr;
  const onednn::Threads scope(threads, plan->sharing);
  return std::make_unique<OneDnnConv>(spec, *plan, threads);
}

Blocks oneDnnBlocks(const ConvSpec& spec, unsigned threads) {
  Blocks blocks = {Layout::kPlain, Layout::kPlain};
  if (!expressible(spec)) return blocks;
  ConvSpec open = spec;
  open.in.channelBlock = open.out.channelBlock = Layout::kPlain;
  if (OneDnnPointwise::fits(open)) return blocks;
  // Channels-last is never preferred: other passes of the convolution choose another format and
  // would have to convert it.
  if (const auto plan = planConv(open, threads))
    blocks = {std::max(onednn::channelBlockOf(plan->in, spec.in), Layout::kPlain),
              std::max(onednn::channelBlockOf(plan->out, spec.out), Layout::kPlain)};
  return blocks;
}

}  // namespace contraction
}  // namespace popir

#else

namespace popir {
namespace contraction {

std::unique_ptr<Contraction> makeOneDnn(const ConvSpec&, unsigned) { return nullptr; }
Blocks oneDnnBlocks(const ConvSpec&, unsigned) { return {Layout::kPlain, Layout::kPlain}; }

}  // namespace contraction
}  // namespace popir
#endif
