// Contractions by oneDNN primitives, float32 only.
#include "kernels/contraction/contraction.hpp"

#if POPIR_HAVE_ONEDNN
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "kernels/contraction/onednn.hpp"
#include "kernels/contraction/onednn_threads.hpp"
#include "kernels/parallel.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace contraction {
namespace {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
constexpr auto kFloat = dnnl::memory::data_type::f32;

dnnl::primitive_attr userScratch() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

/// One matrix, or one per group. Group stride 0 broadcasts it.
Desc matrixDesc(std::int64_t groups, std::int64_t rows, std::int64_t columns,
                const MatMulSpec::Strides& s) {
  if (groups == 1) return Desc({rows, columns}, kFloat, Dims{s.row, s.column});
  if (s.group == 0) return Desc({1, rows, columns}, kFloat, Dims{rows * columns, s.row, s.column});
  return Desc({groups, rows, columns}, kFloat, Dims{s.group, s.row, s.column});
}

/// [0, size) in parts of `each`; the last one may be shorter.
struct Axis {
  std::int64_t size, each;
  Axis(std::int64_t all, std::int64_t parts, std::int64_t unit)
      : size(all), each(std::min(all, (all + parts * unit - 1) / (parts * unit) * unit)) {}
  std::int64_t count() const { return (size + each - 1) / each; }
  std::int64_t first(std::int64_t i) const { return i * each; }
  std::int64_t length(std::int64_t i) const { return std::min(each, size - i * each); }
};

/// Whether what oneDNN reads together of a block of m x n falls into one set of the first-level
/// cache: rows of B, or columns of A that is transposed, are whole pages apart and oneDNN does not
/// copy them first. On AVX2 it copies for blocks that are large enough (by the threshold of its
/// own); on AVX-512 there are figures for B alone. docs/contractions.md has both.
bool fallsTogether(const MatMulSpec& s, std::int64_t m, std::int64_t n) {
  constexpr std::int64_t kPage = 4096 / sizeof(float);
  constexpr double kCopiesBelow = 0.0038;
  const bool ofB = s.b.column == 1 && s.b.row % kPage == 0 && s.n >= kPage;
  if (isa() != Isa::Avx2) return ofB;
  const bool ofA = s.a.row == 1 && s.a.column % kPage == 0 && s.m >= kPage;
  return (ofA || ofB) &&
         1.0 / static_cast<double>(m) + 1.0 / static_cast<double>(n) >= kCopiesBelow;
}

/// The blocks of a product that threads share, each of which oneDNN computes on one thread.
struct Blocking {
  Axis groups, rows, columns;

  static Blocking of(const MatMulSpec& s, unsigned threads, bool byRows) {
    // More blocks than threads, so that one takes over what another is late with; not many more,
    // since each copies its part of A and of B.
    constexpr std::int64_t kBlocksOfThread = 2, kRows = 8, kColumns = 48;
    const std::int64_t wanted = threads == 1 ? 1 : kBlocksOfThread * threads;
    const std::int64_t each = (wanted + s.groups - 1) / s.groups;
    std::int64_t best = 1;  // parts of the columns
    const auto copied = [&](std::int64_t c) { return (each + c - 1) / c * s.n + c * s.m; };
    for (std::int64_t c = 1; c <= each && c * kColumns <= s.n; ++c)
      if (!byRows || copied(c) < copied(best)) best = c;
    return {Axis(s.groups, wanted, 1), Axis(s.m, byRows ? (each + best - 1) / best : 1, kRows),
            Axis(s.n, best, kColumns)};
  }

  /// The same of a product with B packed, for AVX-512: the blocks with which the thread that has most
  /// to do has least.
  static Blocking packed(const MatMulSpec& s, unsigned threads) {
    constexpr std::int64_t kBlocksOfThread = 2, kRows = 4, kColumns = 64;
    // In multiply-adds: to read an element of A or of B in a block, to copy one of a dense C, and to
    // begin with a block.
    constexpr double kRead = 8, kCopy = 16, kBegin = 3e4;
    // What it is worth that a thread may take over what another is late with.
    constexpr double kTakesOver = 0.97;
    const std::int64_t most = threads == 1 ? 1 : kBlocksOfThread * threads;
    const Axis groups(s.groups, most, 1);
    const std::int64_t each = (most + s.groups - 1) / s.groups;
    Blocking best{groups, Axis(s.m, 1, kRows), Axis(s.n, 1, kColumns)};
    const auto cost = [&](const Blocking& b) {
      const auto blocks = b.groups.count() * b.rows.count() * b.columns.count();
      const auto m = static_cast<double>(b.rows.each), n = static_cast<double>(b.columns.each);
      const auto k = static_cast<double>(std::max<std::int64_t>(s.k, 1));
      const auto rounds = static_cast<double>((blocks + threads - 1) / threads);
      const double copied = b.columns.count() > 1 ? kCopy * m * n : 0;
      const double one =
          static_cast<double>(b.groups.each) * (m * n + kRead * (m + n)) + (copied + kBegin) / k;
      return rounds * one * (blocks > threads ? kTakesOver : 1);
    };
    for (std::int64_t c = 1; c <= each; ++c)
      for (std::int64_t r = 1; r * c <= each; ++r) {
        const Blocking next{groups, Axis(s.m, r, kRows), Axis(s.n, c, kColumns)};
        if (cost(next) < cost(best)) best = next;
      }
    return best;
  }

  /// The same, with fewer and larger blocks where those fall together.
  static Blocking apart(const MatMulSpec& s, unsigned threads) {
    const Blocking usual = of(s, threads, true);
    if (!usual.fallTogether(s) || s.groups > 1) return usual;
    for (const bool byRows : {true, false}) {
      const Blocking large{usual.groups, Axis(s.m, byRows ? threads : 1, 1),
                           Axis(s.n, byRows ? 1 : threads, 1)};
      if (!large.fallTogether(s)) return large;
    }
    return usual;
  }
  bool fallTogether(const MatMulSpec& s) const {
    return fallsTogether(s, rows.length(0), columns.length(0));
  }
};

/// A primitive for matrix products on one thread, and what it asks for.
struct Product {
  dnnl::matmul primitive;
  bool scaled;                         // alpha is a scale of A, an argument
  bool isDense;                        // C without gaps between its rows, to be copied
  Desc a, given, b, c, bias, scratch;  // B as it is given, and in the form that it must have
  std::string implementation;
};

/// C = alpha * A * B, added to C or not. Alpha is an operation after the product or, `scaled`, a
/// scale of A, the only form that oneDNN's gemm:jit takes.
dnnl::primitive_attr attributesOf(const MatMulSpec& s, bool scaled) {
  dnnl::primitive_attr attr = userScratch();
  dnnl::post_ops ops;
  if (scaled)
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
  else if (s.alpha != 1.0f)
    ops.append_eltwise(dnnl::algorithm::eltwise_linear, s.alpha, 0);
  if (s.accumulate) ops.append_sum(1.0f);
  attr.set_post_ops(ops);
  return attr;
}

/// The same product with C in memory of its own.
MatMulSpec withDenseC(MatMulSpec s) {
  s.c = {s.m * s.n, s.n, 1};
  return s;
}

/// `packs`: whether oneDNN chooses the form of B.
Product makeProduct(const MatMulSpec& s, bool packs) {
  const onednn::Threads scope(1);
  Product made;
  made.a = matrixDesc(s.groups, s.m, s.k, s.a);
  made.given = matrixDesc(s.groups, s.k, s.n, s.b);
  made.c = matrixDesc(s.groups, s.m, s.n, s.c);
  const Desc b =
      packs ? Desc(made.given.get_dims(), kFloat, dnnl::memory::format_tag::any) : made.given;
  if (s.bias) {
    Dims dims(s.groups == 1 ? 2 : 3, 1), strides(dims.size(), s.n);
    dims.back() = s.n;
    strides.back() = 1;
    made.bias = Desc(dims, kFloat, strides);
  }
  const auto make = [&](bool scaled) {
    const auto attr = attributesOf(s, scaled);
    return s.bias
               ? dnnl::matmul::primitive_desc(onednn::engine(), made.a, b, made.bias, made.c, attr)
               : dnnl::matmul::primitive_desc(onednn::engine(), made.a, b, made.c, attr);
  };
  auto pd = make(false);
  // oneDNN's better loops, of blocks of brgemm, take no C with gaps, as a block of columns is.
  const char* const usual = pd.impl_info_str();
  if (packs && s.c.row != s.n && !s.accumulate &&
      (onednn::isGemm(usual) || onednn::isReference(usual))) {
    Product dense = makeProduct(withDenseC(s), packs);
    dense.isDense = true;
    const char* const better = dense.implementation.c_str();
    if (!onednn::isGemm(better) && !onednn::isReference(better)) return dense;
  }
  made.isDense = false;
  made.scaled = s.alpha != 1.0f && onednn::isReference(pd.impl_info_str());
  if (made.scaled) pd = make(true);
  made.implementation = pd.impl_info_str();
  made.b = pd.weights_desc();
  made.scratch = pd.scratchpad_desc();
  made.primitive = dnnl::matmul(pd);
  return made;
}

std::int64_t bitsOf(float number) {
  std::uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

/// The same, made once in this process: the layers of a model have few different products, and
/// oneDNN takes as long for one as all else that an engine does for a step.
Product productOf(const MatMulSpec& s, bool packs) {
  constexpr std::size_t kMost = 1024;  // as many as oneDNN itself keeps
  using Key = std::tuple<std::array<std::int64_t, 14>, std::array<bool, 3>>;
  static std::mutex mutex;
  static std::map<Key, Product> known;
  const Key key{{s.groups, s.m, s.n, s.k, s.a.group, s.a.row, s.a.column, s.b.group, s.b.row,
                 s.b.column, s.c.group, s.c.row, s.c.column, bitsOf(s.alpha)},
                {s.accumulate, s.bias, packs}};
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  if (known.size() == kMost) known.clear();
  return known.emplace(key, makeProduct(s, packs)).first->second;
}

/// A product by oneDNN, with B as it lies, or in the form that oneDNN prefers.
class OneDnnMatMul final : public Contraction {
 public:
  OneDnnMatMul(const MatMulSpec& spec, unsigned threads, bool packs)
      : spec_(spec), threads_(threads) {
    if (divide(blocking(packs), packs)) return;
    kinds_.clear();
    blocks_.clear();
    divide(Blocking::of(spec, threads, false), packs);
  }

  /// Whether a block would be computed by oneDNN's slow reference.
  bool isReference() const { return isReference_; }
  std::string describe() const override { return description_; }
  std::size_t packedBytes() const override {
    return packedBytes_ > 0 ? packedBytes_ + packScratch_ : 0;
  }
  void pack(const void* b, void* packed) const override {
    const onednn::Threads scope(1);
    for (const Pack& part : packs_)
      part.reorder.run(static_cast<const float*>(b) + part.from, at(packed, part.to),
                       at(packed, packedBytes_));
  }
  std::size_t workBytes() const override { return threads_ * scratchBytes_; }
  void runPacked(void* const* operands, const void* packed, void* work) const override {
    float* floats[4] = {};
    std::copy_n(reinterpret_cast<float* const*>(operands), spec_.bias ? 4 : 3, floats);
    const auto run = [&](std::int64_t first, std::int64_t last, unsigned thread) {
      const onednn::Threads scope(1);
      for (std::int64_t i = first; i < last; ++i) {
        const Block& block = blocks_[static_cast<std::size_t>(i)];
        void* const b =
            packed == nullptr ? floats[1] + block.b : at(const_cast<void*>(packed), block.packed);
        const Kind& kind = kinds_[block.kind];
        float* const c = floats[2] + block.c;
        void* const scratch = at(work, thread * scratchBytes_);
        auto* const dense = static_cast<float*>(at(scratch, kind.scratchBytes));
        std::vector<void*> pointers = {floats[0] + block.a, b, kind.isDense ? dense : c, scratch};
        if (spec_.bias) pointers.push_back(floats[3] + block.column);
        if (kind.scaled) pointers.push_back(const_cast<float*>(&spec_.alpha));
        const onednn::Call& call = kind.calls[thread];
        threads_ > 1 ? call.runAlone(pointers) : call.run(pointers);
        if (kind.isDense) copyRows(dense, kind, c);
      }
    };
    parallelParts(static_cast<std::int64_t>(blocks_.size()), 1, threads_, run);
  }

 private:
  /// The primitive for blocks of one size.
  struct Kind {
    std::int64_t groups, m, n;
    bool scaled, isDense;      // as Product
    std::size_t scratchBytes;  // of oneDNN; a dense C follows
    Desc given, b;
    std::vector<onednn::Call> calls;  // by thread
  };
  struct Block {
    std::size_t kind;
    std::int64_t a, b, c, column;  // of its first element
    std::size_t packed;            // bytes
  };
  struct Pack {
    std::int64_t from;
    std::size_t to;  // bytes
    onednn::Reorder reorder;
  };

  Blocking blocking(bool packs) const {
    if (!packs) return Blocking::apart(spec_, threads_);
    return isa() == Isa::Avx512 ? Blocking::packed(spec_, threads_)
                                : Blocking::of(spec_, threads_, true);
  }

  /// Fills blocks_, and packs_ if `packs`. False if rows want different forms of the same columns.
  bool divide(const Blocking& by, bool packs) {
    const auto rows = by.rows.count(), groups = by.groups.count();
    std::vector<Pack> parts;
    std::size_t packed = 0;
    for (std::int64_t j = 0; j < by.columns.count(); ++j) {
      const std::int64_t column = by.columns.first(j), n = by.columns.length(j);
      for (std::int64_t g = 0; g < groups; ++g)
        for (std::int64_t i = 0; i < rows; ++i) {
          const std::int64_t group = by.groups.first(g), row = by.rows.first(i);
          blocks_.push_back({kindOf(by.groups.length(g), by.rows.length(i), n, packs),
                             group * spec_.a.group + row * spec_.a.row,
                             group * spec_.b.group + column * spec_.b.column,
                             group * spec_.c.group + row * spec_.c.row + column, column, packed});
        }
      if (!packs) continue;
      const auto last = blocks_.size() - 1, first = blocks_.size() - static_cast<std::size_t>(rows);
      const Kind& kind = kinds_[blocks_[first].kind];
      if (kinds_[blocks_[last].kind].b != kind.b) return false;
      parts.push_back({column * spec_.b.column, packed, onednn::Reorder(kind.given, kind.b)});
      if (!parts.back().reorder.needed()) return true;  // B is used as it lies
      packed += aligned(kind.b.get_size());
      packScratch_ = std::max(packScratch_, parts.back().reorder.scratchBytes());
    }
    packs_ = std::move(parts);
    packedBytes_ = packed;
    return true;
  }

  /// Copies a dense C of a block to where it belongs.
  void copyRows(const float* dense, const Kind& kind, float* c) const {
    for (std::int64_t g = 0; g < kind.groups; ++g)
      for (std::int64_t i = 0; i < kind.m; ++i)
        std::copy_n(dense + (g * kind.m + i) * kind.n, kind.n,
                    c + g * spec_.c.group + i * spec_.c.row);
  }

  /// The number of the kind in kinds_, where it is added if it is new.
  std::size_t kindOf(std::int64_t groups, std::int64_t m, std::int64_t n, bool packs) {
    for (std::size_t i = 0; i < kinds_.size(); ++i)
      if (kinds_[i].groups == groups && kinds_[i].m == m && kinds_[i].n == n) return i;
    MatMulSpec block = spec_;
    block.groups = groups;
    block.m = m;
    block.n = n;
    const Product product = productOf(block, packs);
    isReference_ = isReference_ || onednn::isReference(product.implementation.c_str());
    description_ = "onednn " + product.implementation + (packs ? " packed" : "");
    const std::size_t ofProduct = aligned(product.scratch.get_size());
    const std::size_t ofC = product.isDense ? aligned(product.c.get_size()) : 0;
    scratchBytes_ = std::max(scratchBytes_, ofProduct + ofC);
    Kind kind{groups,        m,         n, product.scaled, product.isDense, ofProduct,
              product.given, product.b, {}};
    for (unsigned t = 0; t < threads_; ++t) {
      auto& call = kind.calls.emplace_back(product.primitive);
      call.add(DNNL_ARG_SRC, product.a);
      call.add(DNNL_ARG_WEIGHTS, product.b);
      call.add(DNNL_ARG_DST, product.c);
      call.add(DNNL_ARG_SCRATCHPAD, product.scratch);
      if (spec_.bias) call.add(DNNL_ARG_BIAS, product.bias);
      if (product.scaled) call.add(DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, Desc({1}, kFloat, Dims{1}));
    }
    kinds_.push_back(std::move(kind));
    return kinds_.size() - 1;
  }

  MatMulSpec spec_;
  unsigned threads_;
  bool isReference_ = false;
  std::string description_;
  std::vector<Kind> kinds_;
  std::vector<Block> blocks_;
  std::vector<Pack> packs_;
  std::size_t scratchBytes_ = 0, packedBytes_ = 0, packScratch_ = 0;
};

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
  if (open) return Desc(dims, kFloat, dnnl::memory::format_tag::any);
  return Desc(dims, kFloat, Dims(s.weights.strides.begin() + skip, s.weights.strides.end()));
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
      binary(dnnl::algorithm::binary_add, Desc(ones, kFloat, ones), 0, 0);
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
        op.extent == Extent::Full ? onednn::desc(op.layout) : Desc(dims, kFloat, strides);
    binary(kAlgorithms[static_cast<int>(op.kind)], desc, op.operand, op.number);
  }
  return p;
}

ConvPlan planConv(const ConvSpec& s, Formats formats) {
  using dnnl::algorithm;
  using dnnl::prop_kind;
  const Desc in = descOf(s.in, formats), out = descOf(s.out, formats);
  const Desc weights = weightsDesc(s, true);
  const Desc bias = s.bias ? Desc({s.out.shape[1]}, kFloat, dnnl::memory::format_tag::x) : Desc();
  const Dims stride(s.stride), dilation = lessOne(s.dilation), lower(s.padLower),
                               upper = padUpper(s);
  auto attr = userScratch();
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
    std::vector<void*> pointers(operands, operands + 3);
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
    pointers.push_back(scratch);
    if (bias_) pointers.push_back(operands[3]);
    for (const auto& read : postReads_)
      pointers.push_back(read.operand == 0 ? const_cast<float*>(&read.number)
                                           : operands[read.operand]);
    call_.run(pointers);
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
      return Desc({images, s.groups, rows, columns}, kFloat, dnnl::memory::format_tag::abcd);
    };
    std::int64_t points = 1;
    for (std::size_t d = 2; d < s.in.shape.size(); ++d) points *= s.in.shape[d];
    const Desc weights = plain(1, out, in), source = plain(s.in.shape[0], in, points),
               result = plain(s.in.shape[0], out, points);
    const dnnl::matmul::primitive_desc pd(onednn::engine(), weights, source, result, userScratch());
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
    call_.run({operands[1], operands[0], operands[2], work});
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

namespace {

std::unique_ptr<Contraction> product(const MatMulSpec& spec, unsigned threads, bool packs) {
  if (spec.inType != poplar::FLOAT || spec.outType != poplar::FLOAT) return nullptr;
  if (spec.alpha != 1.0f && spec.bias) return nullptr;  // alpha would scale the bias too
  if (spec.k == 0) return nullptr;                      // oneDNN would not write C
  try {
    auto made = std::make_unique<OneDnnMatMul>(spec, threads, packs);
    return made->isReference() ? nullptr : std::move(made);
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

}  // namespace

std::unique_ptr<Contraction> makeOneDnn(const MatMulSpec& spec, unsigned threads) {
  return product(spec, threads, false);
}

std::unique_ptr<Contraction> makeOneDnnPacked(const MatMulSpec& spec, unsigned threads) {
  auto made = spec.groups == 1 ? product(spec, threads, true) : nullptr;
  return made && made->packedBytes() > 0 ? std::move(made) : nullptr;
}

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

bool oneDnnFallsTogether(const MatMulSpec& spec, unsigned threads) {
  return Blocking::apart(spec, threads).fallTogether(spec);
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

std::unique_ptr<Contraction> makeOneDnn(const MatMulSpec&, unsigned) { return nullptr; }
std::unique_ptr<Contraction> makeOneDnn(const ConvSpec&, unsigned) { return nullptr; }
bool oneDnnFallsTogether(const MatMulSpec&, unsigned) { return false; }
Blocks oneDnnBlocks(const ConvSpec&, unsigned) { return {Layout::kPlain, Layout::kPlain}; }

}  // namespace contraction
}  // namespace popir
#endif
