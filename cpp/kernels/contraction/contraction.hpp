// Contractions: matrix products, convolutions, and gradients of convolutions. Several sources
// implement them; contraction.cpp selects one for each shape.
#ifndef popir_kernels_contraction_contraction_hpp
#define popir_kernels_contraction_contraction_hpp

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"

#pragma GCC visibility push(default)  // tests and benchmarks use these through the bindings
namespace popir {
namespace contraction {

/// C[g] = alpha * A[g] * B[g] + bias + C[g]. The bias [n] is added to each row if `bias`, C[g] if
/// `accumulate`. A is [groups, m, k], B [groups, k, n], C [groups, m, n].
struct MatMulSpec {
  /// Strides in elements. Stride 0 is allowed only to broadcast A or B over groups.
  struct Strides {
    std::int64_t group, row, column;
  };
  poplar::Type inType, outType;
  std::int64_t groups, m, n, k;
  /// Rows or columns have stride 1. With a bias the columns of C have stride 1.
  Strides a, b, c;
  float alpha = 1;
  bool accumulate = false;
  bool bias = false;
  /// So many such products follow each other, with results of their own.
  std::int64_t runs = 1;
  /// Rounding mode of a 16-bit result.
  Rounding rounding = {};
  Policy policy = {};

  /// The elements of all results.
  std::int64_t written() const { return runs * groups * m * n; }
};

enum class Pass { Forward, DataGradient, WeightsGradient };
constexpr Pass lastOf(Pass) { return Pass::WeightsGradient; }

/// An operation on each element of a convolution's result before it is stored.
struct PostOp {
  enum class Kind {
    Add,
    Subtract,
    Multiply,
    Divide,
    Relu,       ///< x < 0 ? 0 : x. NaN stays NaN. The sign of a zero is not kept.
    LeakyRelu,  ///< x < 0 ? number * x : x
    Maximum,    ///< NaN if one of the two is. The sign of a zero is not kept.
    Minimum,    ///< The same.
  };
  /// The shape of the second argument.
  enum class Extent {
    Number,   ///< `number`, for all elements
    Scalar,   ///< a one-element operand, for all elements
    Channel,  ///< an operand [output channels]
    Full,     ///< an operand of the shape of out, but not out itself
  };
  Kind kind;
  Extent extent = Extent::Number;
  float number = 0;
  /// Index of the operand in the run, and its layout: of Scalar and Channel only the type counts.
  std::size_t operand = 0;
  Layout layout = {};
};

/// An operand of what follows a convolution.
struct FurtherOperand {
  std::size_t index;  ///< in the run
  PostOp::Extent extent;
  Layout layout;
};

/// A convolution and its gradients. Forward:
///   out[n, g, o, y] = sum over i, t of in[n, g, i, x] * weights[g, o, i, t]
/// with x = (y * stride + t * dilation - padLower) / inDilation in each of one to three field
/// dimensions. Terms where x is not an integer or is outside of the field are zero. A negative
/// padLower crops the input. DataGradient computes `in` from `out` and `weights`. WeightsGradient
/// computes `weights` from `in` and `out`.
struct ConvSpec {
  Pass pass;
  std::int64_t groups;
  std::vector<std::int64_t> stride, dilation, inDilation, padLower;
  /// Forward only: adds a bias [output channels].
  bool bias = false;
  /// [n, groups * channels, field...], plain or blocked.
  Layout in, out;
  /// [groups, output channels per group, input channels per group, field...], plain.
  Layout weights;
  /// Forward only, in order of execution.
  std::vector<PostOp> postOps;
  /// Rounding mode of a 16-bit result.
  Rounding rounding = {};
  Policy policy = {};

  std::size_t fieldDims() const { return stride.size(); }
};

/// A prepared contraction. Operands of a matrix product: A, B, C. Operands of a convolution: in,
/// weights, out, of which the pass writes one. The bias and the operands of post-ops follow.
class Contraction : public Runner {
 public:
  /// The source and its implementation, for reports: "own avx512", "onednn jit:...".
  virtual std::string describe() const = 0;
  /// The same where the weights are packed once for many runs.
  virtual std::string describePacked() const { return describe(); }

  /// Size of the packed weights (B of a matrix product), in bytes. 0 if the weights are used in
  /// their given layout, and for WeightsGradient.
  virtual std::size_t packedBytes() const { return 0; }
  virtual void pack(const void* /*weights*/, void* /*packed*/) const {}
  /// Whether runPacked() reads the weights in their given layout, too.
  virtual bool readsBoth() const { return false; }
  /// As Prepacked::moves. The default is the safe answer.
  virtual bool movesWeights() const { return false; }
  /// Runs with packed weights in place of the weights. `packed` is null if packedBytes() is 0.
  virtual void runPacked(void* const* operands, const void* packed, void* work) const = 0;
  virtual std::size_t workBytes() const { return 0; }

  /// Calls pack() into the scratch memory, then runPacked().
  void run(void* const* operands, void* scratch) const final;
  std::size_t scratchBytes() const final;
  std::optional<Prepacked> prepacked(std::size_t operands) const override;
  std::optional<std::size_t> packable() const final;
};

/// Any: chosen by contraction.cpp.
enum class Source { Any, OneDnn, Own, Wide, Planes, Rows, Portable, Blocked, Tiles, EmulatedTiles };

/// "any", "onednn", "own", "wide", "planes", "rows", "portable", "blocked", "tiles" or "emulatedTiles".
const char* name(Source source);

/// \throws std::invalid_argument if no source, or not the requested one, supports the shapes and
/// types; the message names them
std::unique_ptr<Contraction> make(const MatMulSpec& spec, unsigned threads,
                                  Source source = Source::Any);
std::unique_ptr<Contraction> make(const ConvSpec& spec, unsigned threads,
                                  Source source = Source::Any);

/// Makes a convolution that also runs its post-ops. Null if no source does.
std::unique_ptr<Contraction> makeWithPostOps(const ConvSpec& spec, unsigned threads);

/// The channel blocks (Layout::channelBlock, or kPlain) of in and out that the selected source
/// prefers. They are the same for all passes where possible. Channel blocks in `spec` are ignored.
struct Blocks {
  int in, out;
};
Blocks preferredBlocks(const ConvSpec& spec, unsigned threads);

}  // namespace contraction
}  // namespace popir
#pragma GCC visibility pop

namespace popir {
namespace contraction {

// The sources. Each returns null for an unsupported spec. They require stride 1 for the columns of
// C, and write the result even if the sums are empty.

std::unique_ptr<Contraction> makeOneDnn(const MatMulSpec& spec, unsigned threads);
std::unique_ptr<Contraction> makeOneDnn(const ConvSpec& spec, unsigned threads);
/// The product with B in oneDNN's own form, which is packed; null if there is no other form.
std::unique_ptr<Contraction> makeOneDnnPacked(const MatMulSpec& spec, unsigned threads);
/// Convolutions in channel blocks, for AVX2 and AVX-512, float32 only: of 3 x 3 by Winograd's
/// algorithm, any by direct sums, and depthwise. Forward, with all post-ops; of 3 x 3 the gradient of
/// data too, of depthwise ones that of weights, from operands that are plain, too. `packed`: for
/// weights that are packed once for many runs.
std::unique_ptr<Contraction> makeWinograd(const ConvSpec& spec, unsigned threads, bool packed);
/// False where weights that are packed once would be far larger than they are, and makeWinograd() for
/// weights that change is about as fast, by the measurements in docs/contractions.md.
bool winogradGainsByPacking(const ConvSpec& spec, unsigned threads);
std::unique_ptr<Contraction> makeDirect(const ConvSpec& spec, unsigned threads);
std::unique_ptr<Contraction> makeDepthwise(const ConvSpec& spec, unsigned threads);
/// Our own kernels for AVX2 and AVX-512: FLOAT and DOUBLE.
std::unique_ptr<Contraction> makeOwn(const MatMulSpec& spec, unsigned threads);
std::unique_ptr<Contraction> makeOwn(const ConvSpec& spec, unsigned threads);
/// The product of FLOAT by panels of four vectors, for AVX-512.
std::unique_ptr<Contraction> makeWide(const MatMulSpec& spec, unsigned threads);
/// The product with B packed.
std::unique_ptr<Contraction> makeOwnPacked(const MatMulSpec& spec, unsigned threads);
/// On tiles of bfloat16, for one group of float32. `emulated` takes any machine; it is for tests.
std::unique_ptr<Contraction> makeTiles(const MatMulSpec& spec, unsigned threads, bool emulated);
/// Plain C++ for every machine: FLOAT and DOUBLE; matrix products also of integers of 16
/// (shorts.hpp), 32 and 64 bits.
std::unique_ptr<Contraction> makePortable(const MatMulSpec& spec, unsigned threads);
std::unique_ptr<Contraction> makePortable(const ConvSpec& spec, unsigned threads);
/// An operand whose elements fill a contiguous range of memory, in any order.
/// An operand in memory: runs of neighbouring elements, `step` apart, in groups `groupStep` apart.
struct Operand {
  poplar::Type type;
  std::int64_t run;
  bool read, written;
  std::int64_t runs = 1, step = 0, groups = 1, groupStep = 0;

  std::int64_t elements() const { return groups * runs * run; }
};
/// For 16-bit float operands: converts them and computes in float with `inner`, whose operands have
/// their runs one after another.
std::unique_ptr<Contraction> makeViaFloat(std::unique_ptr<Contraction> inner,
                                          std::vector<Operand> operands, unsigned threads,
                                          const Rounding& rounding);
/// The same with `source`.
std::unique_ptr<Contraction> makeViaFloat(const MatMulSpec& spec, unsigned threads, Source source);
/// The same with what `make` makes of the convolution in float: the result is rounded once, after the
/// last post-op. Null if `make` gives null.
using MakeConv = std::function<std::unique_ptr<Contraction>(const ConvSpec&, unsigned threads)>;
std::unique_ptr<Contraction> makeViaFloat(const ConvSpec& spec,
                                          const std::vector<FurtherOperand>& further,
                                          unsigned threads, const MakeConv& make);
/// The operands of the post-ops of a convolution.
std::vector<FurtherOperand> furtherOf(const ConvSpec& spec);
/// The convolution with all its operands in float.
ConvSpec inFloat(ConvSpec spec);
/// Of one group of 16-bit floats whose B is packed: rows are converted by the thread that multiplies
/// them. Null for other products.
std::unique_ptr<Contraction> makeHalfRows(const MatMulSpec& spec, unsigned threads);
/// The same of few rows, for AVX2 and AVX-512: B stays in 16-bit floats.
std::unique_ptr<Contraction> makeHalfPanels(const MatMulSpec& spec, unsigned threads);

/// Whether rows that are pages apart slow oneDNN down, however it divides the product.
bool oneDnnFallsTogether(const MatMulSpec& spec, unsigned threads);
Blocks oneDnnBlocks(const ConvSpec& spec, unsigned threads);

/// Whether a convolution of two field dimensions has groups of 2, 4 or 8 channels, and as many outputs.
inline bool isOfNarrowGroups(const ConvSpec& s) {
  const auto& w = s.weights.shape;
  return s.fieldDims() == 2 && s.groups > 1 && w[1] == w[2] &&
         (w[1] == 2 || w[1] == 4 || w[1] == 8);
}

/// Whether all of some numbers, one for each dimension, are `value`.
inline bool isAll(const std::vector<std::int64_t>& values, std::int64_t value) {
  return std::all_of(values.begin(), values.end(), [=](std::int64_t x) { return x == value; });
}

/// Rounds `n` bytes up to the alignment of scratch memory.
inline std::size_t aligned(std::size_t n) { return (n + 63) / 64 * 64; }
/// Address in scratch memory.
inline void* at(void* scratch, std::size_t offset) { return static_cast<char*>(scratch) + offset; }

}  // namespace contraction
}  // namespace popir

#endif
