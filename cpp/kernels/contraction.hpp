// Contractions: matrix products and convolutions with their gradients. One seam; behind it several
// sources, of which contraction.cpp chooses one for each shape.
#ifndef popir_kernels_contraction_hpp
#define popir_kernels_contraction_hpp

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"

#pragma GCC visibility push(default)  // tests and measurements come through the bindings
namespace popir {
namespace contraction {

/// C[g] = alpha * A[g] * B[g], plus a bias [n] for every row, plus C[g] itself if `accumulate`.
/// A is [groups, m, k], B [groups, k, n], C [groups, m, n].
struct MatMulSpec {
  /// In elements. A stride of group, row or column is 0 only where A or B is broadcast over groups.
  struct Strides {
    std::int64_t group, row, column;
  };
  poplar::Type inType, outType;
  std::int64_t groups, m, n, k;
  /// Stride 1 in the rows or in the columns, for C with a bias in the columns.
  Strides a, b, c;
  float alpha = 1;
  bool accumulate = false;
  bool bias = false;
  /// Of a result that is a 16-bit float.
  Rounding rounding = {};
};

enum class Pass { Forward, DataGradient, WeightsGradient };

/// What is done to each element of a convolution's result before it is stored.
struct PostOp {
  enum class Kind {
    Add,
    Subtract,
    Multiply,
    Divide,
    Relu,       ///< x < 0 ? 0 : x; NaN stays. The sign of a zero is not kept.
    LeakyRelu,  ///< x < 0 ? number * x : x
  };
  /// Whom the other argument is for.
  enum class Extent {
    Number,   ///< `number`, for all elements
    Scalar,   ///< an operand of one element, for all
    Channel,  ///< an operand [channels of out]
    Full,     ///< an operand of out's shape, which must not be out itself
  };
  Kind kind;
  Extent extent = Extent::Number;
  float number = 0;
  /// Which operand of the run it is, and if it is Full, how that lies.
  std::size_t operand = 0;
  Layout layout = {};
};

/// out[n, g, o, y] = sum over i, t of in[n, g, i, x] * weights[g, o, i, t], where, in each of one
/// to three field dimensions, x = (y * stride + t * dilation - padLower) / inDilation, and terms
/// with x no integer or outside of the field are none. A negative padLower drops elements.
/// DataGradient makes `in` from `out` and `weights`, WeightsGradient `weights` from `in` and `out`.
struct ConvSpec {
  Pass pass;
  std::int64_t groups;
  std::vector<std::int64_t> stride, dilation, inDilation, padLower;
  /// Forward alone: a bias [output channels].
  bool bias = false;
  /// [n, groups * channels, field...], plain or blocked.
  Layout in, out;
  /// [groups, output channels, input channels, field...] of one group each, plain.
  Layout weights;
  /// Forward alone, in order.
  std::vector<PostOp> postOps;
  /// Of a result that is a 16-bit float.
  Rounding rounding = {};

  std::size_t fieldDims() const { return stride.size(); }
};

/// A prepared contraction. Operands in the order of a matrix product: A, B, C; of a convolution:
/// in, weights, out; of which one is written. Then the bias, if any, and what post-ops read.
class Contraction : public Runner {
 public:
  /// Which source and which of its implementations, for reports: "own avx512", "onednn jit:...".
  virtual std::string describe() const = 0;

  /// Bytes of the weights (B; nothing in a WeightsGradient) in the form that this contraction
  /// wants, 0 if it takes them as they are. Who knows that weights stay the same may keep that
  /// form.
  virtual std::size_t packedBytes() const { return 0; }
  virtual void pack(const void* /*weights*/, void* /*packed*/) const {}
  /// `packed`, null if packedBytes() is 0, takes the place of the weights.
  virtual void runPacked(void* const* operands, const void* packed, void* work) const = 0;
  virtual std::size_t workBytes() const { return 0; }

  /// pack() into the scratch memory, then runPacked().
  void run(void* const* operands, void* scratch) const final;
  std::size_t scratchBytes() const final;
};

/// Any: the chooser's choice.
enum class Source { Any, OneDnn, Own, Portable };

/// "any", "onednn", "own" or "portable".
const char* name(Source source);

/// \throws std::invalid_argument if no source, or not the one asked for, can do it: which one,
/// which
///         shapes and types.
std::unique_ptr<Contraction> make(const MatMulSpec& spec, unsigned threads,
                                  Source source = Source::Any);
std::unique_ptr<Contraction> make(const ConvSpec& spec, unsigned threads,
                                  Source source = Source::Any);

/// Null if the post-ops cannot be done with the convolution.
std::unique_ptr<Contraction> makeWithPostOps(const ConvSpec& spec, unsigned threads);

/// The channel blocks (Layout::channelBlock, or kPlain) of in and out that the chooser's choice
/// works in, one for all passes where it can be; what `spec` says of blocks is not looked at.
struct Blocks {
  int in, out;
};
Blocks preferredBlocks(const ConvSpec& spec, unsigned threads);

}  // namespace contraction
}  // namespace popir
#pragma GCC visibility pop

namespace popir {
namespace contraction {

// The sources. Each gives null for what it does not do. They want columns of C with stride 1, and
// write the result also where there is nothing to add up.

std::unique_ptr<Contraction> makeOneDnn(const MatMulSpec& spec, unsigned threads);
std::unique_ptr<Contraction> makeOneDnn(const ConvSpec& spec, unsigned threads);
/// Our own kernels for AVX2 and AVX-512, float32 alone.
std::unique_ptr<Contraction> makeOwn(const MatMulSpec& spec, unsigned threads);
std::unique_ptr<Contraction> makeOwn(const ConvSpec& spec, unsigned threads);
/// Plain C++ for every machine: FLOAT and DOUBLE, in matrix products the 32-bit and 64-bit
/// integers.
std::unique_ptr<Contraction> makePortable(const MatMulSpec& spec, unsigned threads);
std::unique_ptr<Contraction> makePortable(const ConvSpec& spec, unsigned threads);
/// For operands of the 16-bit floats: in float, by `source`, between conversions.
std::unique_ptr<Contraction> makeViaFloat(const MatMulSpec& spec, unsigned threads, Source source);
std::unique_ptr<Contraction> makeViaFloat(const ConvSpec& spec, unsigned threads, Source source);

Blocks oneDnnBlocks(const ConvSpec& spec, unsigned threads);

/// `n` bytes, rounded up to the alignment of scratch memory.
inline std::size_t aligned(std::size_t n) { return (n + 63) / 64 * 64; }
/// A part of scratch memory.
inline void* at(void* scratch, std::size_t offset) { return static_cast<char*>(scratch) + offset; }

}  // namespace contraction
}  // namespace popir

#endif
