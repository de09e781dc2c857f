// Products by oneDNN primitives, float32 only.
#include "kernels/contraction/contraction.hpp"

#if POPIR_HAVE_ONEDNN
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

#include "kernels/contraction/onednn.hpp"
#include "kernels/contraction/onednn_threads.hpp"
#include "kernels/movement/tiles.hpp"
#include "kernels/parallel.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace contraction {
namespace {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;

/// One matrix, or one per group. Group stride 0 broadcasts it.
Desc matrixDesc(std::int64_t groups, std::int64_t rows, std::int64_t columns,
                const MatMulSpec::Strides& s) {
  if (groups == 1) return Desc({rows, columns}, onednn::kFloat, Dims{s.row, s.column});
  if (s.group == 0)
    return Desc({1, rows, columns}, onednn::kFloat, Dims{rows * columns, s.row, s.column});
  return Desc({groups, rows, columns}, onednn::kFloat, Dims{s.group, s.row, s.column});
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
  dnnl::primitive_attr attr = onednn::userScratch();
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
  const Desc b = packs ? Desc(made.given.get_dims(), onednn::kFloat, dnnl::memory::format_tag::any)
                       : made.given;
  if (s.bias) {
    Dims dims(s.groups == 1 ? 2 : 3, 1), strides(dims.size(), s.n);
    dims.back() = s.n;
    strides.back() = 1;
    made.bias = Desc(dims, onednn::kFloat, strides);
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
  bool movesWeights() const override { return packedBytes_ > 0 && packScratch_ == 0; }
  void pack(const void* b, void* packed) const override {
    // Our own loops pack on all threads, and oneDNN's reorder on one.
    if (std::all_of(packs_.begin(), packs_.end(), [](const Pack& part) { return part.isPanels; })) {
      for (const Pack& part : packs_)
        packPanels(static_cast<const float*>(b) + part.from, part.columns,
                   static_cast<float*>(at(packed, part.to)));
      return;
    }
    const onednn::Threads scope(1);
    for (const Pack& part : packs_)
      part.reorder.run(static_cast<const float*>(b) + part.from, at(packed, part.to),
                       at(packed, packedBytes_));
  }
  void runPacked(void* const* operands, const void* packed, void* /*work*/) const override {
    float* floats[4] = {};
    std::copy_n(reinterpret_cast<float* const*>(operands), spec_.bias ? 4 : 3, floats);
    const auto run = [&](std::int64_t first, std::int64_t last, unsigned) {
      const onednn::Threads scope(1);
      const pool::OwnMemory own(scratchBytes_);
      for (std::int64_t i = first; i < last; ++i) {
        const Block& block = blocks_[static_cast<std::size_t>(i)];
        void* const b =
            packed == nullptr ? floats[1] + block.b : at(const_cast<void*>(packed), block.packed);
        const Kind& kind = kinds_[block.kind];
        float* const c = floats[2] + block.c;
        void* const scratch = own.data();
        auto* const dense = static_cast<float*>(at(scratch, kind.scratchBytes));
        void* pointers[6] = {floats[0] + block.a, b, kind.isDense ? dense : c, scratch};
        void** next = pointers + 4;
        if (spec_.bias) *next++ = floats[3] + block.column;
        if (kind.scaled) *next++ = const_cast<float*>(&spec_.alpha);
        kind.call.run(pointers);
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
    onednn::Call call;
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
    std::int64_t columns;
    bool isPanels;  // the form is packPanels()'s
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
      parts.push_back({column * spec_.b.column, packed, onednn::Reorder(kind.given, kind.b), n,
                       isOfPanels(kind.b, n)});
      if (!parts.back().reorder.needed()) return true;  // B is used as it lies
      packed += aligned(kind.b.get_size());
      packScratch_ = std::max(packScratch_, parts.back().reorder.scratchBytes());
    }
    packs_ = std::move(parts);
    packedBytes_ = packed;
    return true;
  }

  /// Whether a form of k x n of B is [n / kPanel][k][kPanel].
  bool isOfPanels(const Desc& form, std::int64_t n) const {
    return spec_.groups == 1 && n % kPanel == 0 && spec_.k % kPanelRows == 0 &&
           (spec_.b.column == 1 || spec_.b.row == 1) &&
           form == Desc({spec_.k, n}, onednn::kFloat, dnnl::memory::format_tag::BA16a64b);
  }
  /// Writes so many columns of B in that form, which is oneDNN's BA16a64b.
  void packPanels(const float* b, std::int64_t columns, float* to) const {
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(float));
    const auto transpose = transposeMatrix(sizeof(float));
    parallelFor(columns / kPanel, threads_, spec_.k * columns, [&](std::int64_t i) {
      const float* from = b + i * kPanel * spec_.b.column;
      float* panel = to + i * kPanel * spec_.k;
      if (spec_.b.column == 1)
        for (std::int64_t k = 0; k < spec_.k; ++k)
          std::copy_n(from + k * spec_.b.row, kPanel, panel + k * kPanel);
      else
        transpose(reinterpret_cast<const char*>(from), spec_.b.column * kBytes,
                  reinterpret_cast<char*>(panel), kPanel * kBytes, spec_.k, kPanel);
    });
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
    Kind kind{groups,
              m,
              n,
              product.scaled,
              product.isDense,
              ofProduct,
              product.given,
              product.b,
              onednn::Call(product.primitive)};
    onednn::Call& call = kind.call;
    call.add(DNNL_ARG_SRC, product.a);
    call.add(DNNL_ARG_WEIGHTS, product.b);
    call.add(DNNL_ARG_DST, product.c);
    call.add(DNNL_ARG_SCRATCHPAD, product.scratch);
    if (spec_.bias) call.add(DNNL_ARG_BIAS, product.bias);
    if (product.scaled)
      call.add(DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, Desc({1}, onednn::kFloat, Dims{1}));
    kinds_.push_back(std::move(kind));
    return kinds_.size() - 1;
  }

  static constexpr std::int64_t kPanel = 64, kPanelRows = 16;

  MatMulSpec spec_;
  unsigned threads_;
  bool isReference_ = false;
  std::string description_;
  std::vector<Kind> kinds_;
  std::vector<Block> blocks_;
  std::vector<Pack> packs_;
  std::size_t scratchBytes_ = 0, packedBytes_ = 0, packScratch_ = 0;
};

std::unique_ptr<OneDnnMatMul> product(const MatMulSpec& spec, unsigned threads, bool packs) {
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

bool oneDnnFallsTogether(const MatMulSpec& spec, unsigned threads) {
  return Blocking::apart(spec, threads).fallTogether(spec);
}

}  // namespace contraction
}  // namespace popir

#else

namespace popir {
namespace contraction {

std::unique_ptr<Contraction> makeOneDnn(const MatMulSpec&, unsigned) { return nullptr; }
std::unique_ptr<Contraction> makeOneDnnPacked(const MatMulSpec&, unsigned) { return nullptr; }
bool oneDnnFallsTogether(const MatMulSpec&, unsigned) { return false; }

}  // namespace contraction
}  // namespace popir
#endif
