// The description of a vertex for the machine reading: a class of PopLibs' vertices, and the sizes
// of its work. Each family of classes has a struct of sizes. A kernel fills it in for the whole
// vertex (Kernel::work); planner and estimators use the same struct for the part of one tile. The
// registry in machine/estimators has the struct of each class.
//
// `type` is the element type of the first operand read. fields() lists the sizes in the order of
// Python's list of numbers (bindings/work_sizes.hpp); sizes missing there keep their defaults.
// shrink() reduces the work of a vertex to that of a tile with a share of the result.
#ifndef popir_workload_work_hpp
#define popir_workload_work_hpp

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <poplar/Type.hpp>
#include <popops/ExprOp.hpp>
#include <popops/OperationDef.hpp>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "workload/slices.hpp"

namespace popir {

/// A share of a result: `part` of its `whole` elements. `whole` is not 0.
struct Share {
  std::uint64_t part, whole;
  /// The same share of `size`, rounded up.
  std::uint64_t of(std::uint64_t size) const { return (size * part + whole - 1) / whole; }
};

/// A class without an estimator; costed as one pass over the bytes of its operands.
struct UnknownWork {
  template <class W>
  static auto fields(W&) {
    return std::tie();
  }
  void shrink(Share) {}
};

/// Work on each element by itself, the same for all: fills, selections, random numbers.
struct ElementsWork {
  poplar::Type type;
  std::uint64_t elements = 1;

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.elements);
  }
  void shrink(Share share) { elements = share.of(elements); }
};

/// How many elements are between each two of some levels.
struct HistogramWork {
  poplar::Type type;
  std::uint64_t elements = 1, levels = 1;
  bool absolute = false;  ///< of the elements' absolute values

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.elements, w.levels, w.absolute);
  }
  void shrink(Share share) { elements = share.of(elements); }
};

/// The operators of popops/ExprOp.hpp, unary, then binary, then ternary; and casts.
enum class Operator : std::uint8_t {
#define POPIR_ROW(NODE, OP, FUNCTION) OP,
  POPOPS_EXPR_UNARY_OPS(POPIR_ROW) POPOPS_EXPR_BINARY_OPS(POPIR_ROW)
      POPOPS_EXPR_TERNARY_OPS(POPIR_ROW)
#undef POPIR_ROW
  /// A conversion to another type, or a plain copy.
  CAST
};
constexpr Operator lastOf(Operator) { return Operator::CAST; }

/// The addition of a scaled tensor to another one, of `type`, in place.
struct ScaledAddWork {
  poplar::Type type;
  std::uint64_t elements = 1;
  /// Types of the tensor that is added, and of the scales; invalid: `type`.
  poplar::Type other = {}, scale = {};
  bool subtracts = false;

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.elements, w.other, w.scale, w.subtracts);
  }
  void shrink(Share share) { elements = share.of(elements); }
};

/// One element-wise operator.
struct OperatorWork {
  poplar::Type type;
  std::uint64_t elements = 1;  ///< of the result
  Operator op = Operator::ADD;
  /// If one operand is a vector: the number of elements in a row of the other operand. The vector
  /// has one element per column (BroadcastVectorInner) or one per row (BroadcastVectorOuter).
  std::uint64_t columns = 1;

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.elements, w.op, w.columns);
  }
  void shrink(Share share) { elements = share.of(elements); }
};

/// A conversion of elements from `type` to `to`.
struct CastWork {
  poplar::Type type;
  std::uint64_t elements = 1;
  poplar::Type to;

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.elements, w.type, w.to);
  }
  void shrink(Share share) { elements = share.of(elements); }
};

/// How a small float is kept in fewer bits than the native type that it fits into: 8 bits of three
/// alignments of the exponent, or 16 bits.
enum class GfloatPacking {
  None,
  OneFiveTwo,
  MinNormAlign,
  MaxNormAlign,
  Bfloat16,
  NoDenormals,
  Denormals
};
constexpr GfloatPacking lastOf(GfloatPacking) { return GfloatPacking::Denormals; }
/// What is added to a number before it is rounded: noise in all bits, or in a few.
enum class GfloatNoise { None, Full, Short };
constexpr GfloatNoise lastOf(GfloatNoise) { return GfloatNoise::Short; }

/// A cast of a half or float, `type`, to a small float, or back.
struct GfloatWork {
  poplar::Type type;
  std::uint64_t elements = 1;
  bool toGfloat = true;
  bool halves = true;                           ///< computed in half
  std::uint64_t savedBits = 16;                 ///< of an element of the small floats
  GfloatPacking packing = GfloatPacking::None;  ///< None: it is a native type
  GfloatNoise noise = GfloatNoise::None;
  bool inPlace = false;

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.elements, w.toGfloat, w.halves, w.savedBits, w.packing, w.noise, w.inPlace);
  }
  void shrink(Share share) { elements = share.of(elements); }
};

/// The activations that PopLibs has vertices of their own for, and their gradients.
enum class Activation {
  None,
  Swish,
  Gelu,
  ReluGrad,
  SigmoidGrad,
  TanhGrad,
  GeluGrad,
  GeluErfGrad,
  SwishGrad
};
constexpr Activation lastOf(Activation) { return Activation::SwishGrad; }

/// An activation, or the gradient of one.
struct ActivationWork {
  poplar::Type type;
  std::uint64_t elements = 1;
  Activation activation = Activation::Gelu;

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.elements, w.activation);
  }
  void shrink(Share share) { elements = share.of(elements); }
};

/// Several operators, joined in one generated codelet.
struct ExpressionWork {
  struct Count {
    Operator op = {};
    std::uint64_t times = 1;  ///< per element of a result

    template <class W>
    static auto fields(W& w) {
      return std::tie(w.op, w.times);
    }
  };
  poplar::Type type;
  std::uint64_t elements = 1;     ///< of each result
  std::uint64_t tensorsRead = 1;  ///< inputs with as many elements
  std::uint64_t tensorsWritten = 1;
  std::uint64_t otherInputs = 0;  ///< inputs that are broadcast
  std::vector<Count> operators = {};

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.elements, w.tensorsRead, w.tensorsWritten, w.otherInputs, w.operators);
  }
  void shrink(Share share) { elements = share.of(elements); }
};

/// What slices are multiplied with before they update a tensor's: a scale of their type, a scale of
/// float that halves have, or nothing.
enum class SliceScale { Same, Float, None };
constexpr SliceScale lastOf(SliceScale) { return SliceScale::None; }

/// Reads or updates of slices of a tensor. `planned`: those of a plan, which numbers do not describe.
struct SlicesWork {
  poplar::Type type;
  std::uint64_t slices = 1;
  std::uint64_t elementsEach = 1;
  SliceScale scale = SliceScale::Same;
  /// Of a single slice the rows of the tensor that it has, as PopLibs' dynamicSlice takes them; 0 for
  /// several slices.
  std::uint64_t rows = 0;
  std::optional<PlannedSlices> planned = {};

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.slices, w.elementsEach, w.scale, w.rows);
  }
  void shrink(Share share) { slices = share.of(slices); }
};

/// A transposition of matrices. `rows` and `columns` are those of the input.
struct TransposeWork {
  poplar::Type type;
  std::uint64_t matrices = 1;
  std::uint64_t rows = 1, columns = 1;

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.matrices, w.rows, w.columns);
  }
  void shrink(Share share) { matrices = share.of(matrices); }
};

/// A reduction: each element of the result reduces equally many of the input. It has two stages:
/// each tile reduces its own elements of the input, then the tiles of the result receive and reduce
/// the partial results. It has one stage if all elements of each result are on a single tile.
struct ReduceWork {
  poplar::Type type;
  std::uint64_t elementsRead = 1, elementsWritten = 1;
  /// Number of adjacent elements of the input that are reduced to the same element: the product of
  /// the reduced dimensions after the last kept one, or 1. At most elementsRead / elementsWritten.
  std::uint64_t run = std::numeric_limits<std::uint64_t>::max();
  popops::Operation op = popops::Operation::ADD;

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.elementsRead, w.elementsWritten, w.run, w.op);
  }
  void shrink(Share share) {
    elementsRead = share.of(elementsRead);
    elementsWritten = share.of(elementsWritten);
  }
};

/// Work on each row of a matrix: softmax, transforms of losses, the index of the extremum.
struct RowsWork {
  poplar::Type type;
  std::uint64_t rows = 1, columns = 1;

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.rows, w.columns);
  }
  void shrink(Share share) { rows = share.of(rows); }
};

/// Losses of rows, each by the class that its label names, or the gradient of them.
struct NllWork {
  poplar::Type type;
  std::uint64_t rows = 1, columns = 1;
  bool summed = true;     ///< one loss of all rows
  bool mean = true;       ///< divided by the number of rows, or what stands for it
  bool logs = true;       ///< of probabilities, not of their logarithms
  bool weighted = false;  ///< each class has a weight
  bool ignores = false;   ///< rows of one label do not count

  /// Whether what the mean is divided by is known only when labels are.
  bool counts() const { return mean && (weighted || ignores); }

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.rows, w.columns, w.summed, w.mean, w.logs, w.weighted, w.ignores);
  }
  void shrink(Share share) { rows = share.of(rows); }
};

/// Of each row of a matrix the `chosen` largest elements, in order, by a bitonic network: runs of as
/// many elements are sorted, then the better half of two runs is kept and sorted, until one is left.
struct SortedRowsWork {
  poplar::Type type;
  std::uint64_t rows = 1, columns = 1, chosen = 1;

  /// Comparisons of two elements of a row.
  std::uint64_t comparisons() const {
    std::uint64_t steps = 0;
    while (steps < 63 && (std::uint64_t{1} << steps) < chosen) ++steps;
    const std::uint64_t sorting = (columns + 1) / 2 * steps * (steps + 1) / 2;
    return sorting + (chosen < columns ? columns + (columns + 1) / 2 * steps : 0);
  }

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.rows, w.columns, w.chosen);
  }
  void shrink(Share share) { rows = share.of(rows); }
};

/// Windows of a pooling of which a vertex reads every element: where their maxima are, and regions.
struct WindowsWork {
  poplar::Type type;
  std::uint64_t elements = 1;  ///< of the pooling's output
  std::uint64_t window = 1;    ///< elements of a window

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.elements, w.window);
  }
  void shrink(Share share) { elements = share.of(elements); }
};

/// A field dimension of a convolution or a pooling, in the terms of its forward pass.
struct FieldDim {
  std::int64_t input = 1, output = 1, kernel = 1;  ///< elements
  std::int64_t stride = 1, dilation = 1, inDilation = 1;
  std::int64_t padLower = 0;  ///< zeros before the input; below 0: elements that are cut off

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.input, w.output, w.kernel, w.stride, w.dilation, w.inDilation, w.padLower);
  }
  friend bool operator<(const FieldDim& a, const FieldDim& b) { return fields(a) < fields(b); }
};

/// A pooling, or the gradient of one. Tiles share the result as planned
/// (machine/pooling/planner.hpp); of a tile's part, `field` has the sizes of what it computes.
struct PoolingWork {
  poplar::Type type;
  std::uint64_t batch = 1, channels = 1;
  std::uint64_t groupChannels = 1;  ///< channels that lie next to one another in memory
  bool gradient = false;
  std::vector<FieldDim> field = {};

  /// Elements of the result along a field dimension.
  std::int64_t resultOf(const FieldDim& d) const { return gradient ? d.input : d.output; }

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.batch, w.channels, w.groupChannels, w.gradient, w.field);
  }
  friend bool operator<(const PoolingWork& a, const PoolingWork& b) {
    return a.type != b.type ? a.type < b.type : fields(a) < fields(b);
  }
  /// Only for a pooling that is not planned because an operand has no elements.
  void shrink(Share share) { batch = share.of(batch); }
};

/// A contraction: for each kernel element a product [groups, rows, inner] x [groups, inner,
/// columns]. A convolution has rows = batch * output points, inner = input channels of a group,
/// columns = output channels of a group. A gradient has the sizes of the convolution that computes
/// it. Tiles share the work as planned (machine/contraction/planner.hpp).
struct ContractionWork {
  enum class Pass : std::uint8_t { Product, Forward, DataGradient, WeightsGradient };
  /// The pass of a layer that a product or convolution is, as PopLibs' options say. The three of
  /// training of a fully connected layer, of forward product [m, k] x [k, n], are planned together:
  /// that one, [m, n] x [n, k] for the gradient of the input, [k, m] x [m, n] for that of the weights.
  enum class Layer : std::uint8_t { None, Inference, Forward, Backward, WeightUpdate };
  poplar::Type type;
  std::uint64_t groups = 1, rows = 1, inner = 1, columns = 1, kernelElements = 1;
  std::uint64_t partialsBits = 32;              ///< size of a partial sum
  std::uint64_t availableMemoryPermille = 600;  ///< of a tile's memory, for temporary data
  bool wideWeightLoads = false;                 ///< weights are loaded 128 bits at a time
  Layer layer = Layer::None;
  /// Many partial sums are added up in several stages; by the vertex that wants them in interleaved
  /// memory. A backward pass gets its weights transposed.
  bool multiStageReduce = true, fastReduce = false, preArranged = false;
  /// The operands: those of a matrix product, or of a pass of the convolution that `batch` and
  /// `field` describe. Their tile mapping depends on it.
  Pass pass = Pass::Product;
  std::uint64_t batch = 1;
  std::vector<FieldDim> field = {};

  std::uint64_t partialBytes() const { return std::max<std::uint64_t>(1, partialsBits / 8); }
  /// Elements of the result.
  std::uint64_t results() const { return groups * rows * columns; }

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.groups, w.rows, w.inner, w.columns, w.kernelElements, w.partialsBits,
                    w.availableMemoryPermille, w.wideWeightLoads, w.layer, w.multiStageReduce,
                    w.fastReduce, w.preArranged, w.pass, w.batch, w.field);
  }
  friend bool operator<(const ContractionWork& a, const ContractionWork& b) {
    return a.type != b.type ? a.type < b.type : fields(a) < fields(b);
  }
  /// Only for a contraction that is not planned because an operand has no elements.
  void shrink(Share share) { groups = share.of(groups); }
};
constexpr ContractionWork::Pass lastOf(ContractionWork::Pass) {
  return ContractionWork::Pass::WeightsGradient;
}

constexpr ContractionWork::Layer lastOf(ContractionWork::Layer) {
  return ContractionWork::Layer::WeightUpdate;
}

/// A copy within the memory of a tile.
struct CopyWork {
  poplar::Type type;
  std::uint64_t bytes = 1;

  template <class W>
  static auto fields(W& w) {
    return std::tie(w.bytes);
  }
  void shrink(Share share) { bytes = share.of(bytes); }
};

/// A vertex, or a tile's part of one.
using VertexWork =
    std::variant<UnknownWork, ElementsWork, HistogramWork, ScaledAddWork, OperatorWork, CastWork,
                 GfloatWork, ActivationWork, ExpressionWork, SlicesWork, TransposeWork, ReduceWork,
                 RowsWork, NllWork, SortedRowsWork, WindowsWork, PoolingWork, ContractionWork,
                 CopyWork>;

/// The work of a tile that has the given share of the result.
inline VertexWork shareOf(VertexWork whole, Share share) {
  std::visit([&](auto& work) { work.shrink(share); }, whole);
  return whole;
}

/// The description of a vertex by its kernel (Kernel::work).
struct Work {
  std::string vertexClass;
  VertexWork whole;
  std::uint64_t flops = 0;
};

}  // namespace popir

#endif
