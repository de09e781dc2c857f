// Convolutions of rows of points by planes of the padded input, without columns.
//
// The padded input of some output rows is split by phases of the strides, each a plane, so that what a
// tap reads for successive outputs is a contiguous run of a plane (integer_conv.cpp does the same).
// The product of the weights and of these runs needs no copy of the input for each tap, as columns
// do. The outputs of a row are as far apart as the rows of a plane: those between its end and the next
// row are computed and not kept.
#ifndef popir_kernels_contraction_planes_hpp
#define popir_kernels_contraction_planes_hpp

#include <cstdint>
#include <memory>

#include "kernels/contraction/contraction.hpp"

namespace popir {
namespace planes {

/// What is read beyond the end of planes, and written beyond that of their rows and of sums, in floats.
constexpr std::int64_t kSlack = 16;

/// One channel of an image, of `height` x `width` points, and where its planes begin. Element [y, x] of
/// the plane of phases py and px is the input's [y * strides[0] + py + at[0], x * strides[1] + px +
/// at[1]], or 0 where there is none.
struct Channel {
  const float* in;
  std::int64_t row, height, width;  // of the input; `row` elements between its rows
  std::int64_t ahead;               // elements to what is filled some time later
  std::int64_t strides[2], at[2];
  std::int64_t phases[2];  // those that taps read, from 0 on
  std::int64_t planeHeight, planeWidth;
  float* planes;
  std::int64_t plane;  // elements from one plane to the next, of the phases py * phases[1] + px
};

/// The sums of vector v of row r: over i, weights[i][r] times the vector at planes + runs[i] + at[v]. Those of
/// a row follow one another; rows are `row` elements apart.
struct Product {
  std::int64_t rows, steps, vectors;
  const float* weights;
  const float* planes;
  const std::int64_t* runs;
  const std::int64_t* at;
  float* sums;
  std::int64_t row;
};

/// Lines of a result: line i of `lines` has `length` elements; those of the source are `fromStep`
/// elements apart.
struct Lines {
  const float* from;
  std::int64_t fromStep;
  float* to;
  std::int64_t toStep, lines, length;
  float bias;
};

/// Rows [row, row + rows) of the results of one channel of a depthwise convolution. Taps lie line by
/// line; there are at most kMostTapsOfFilter in a line, and stride[1] is 1 or 2.
struct Filter {
  const float* in;
  std::int64_t inRow, height, width;
  float* out;
  std::int64_t outRow, outWidth;
  std::int64_t row, rows;
  const float* zeros;  // as long as a line of the input
  const float* taps;
  std::int64_t kernel[2], stride[2], dilation[2], pad[2];
  float bias;
  bool relu;
};
constexpr std::int64_t kMostTapsOfFilter = 16;

/// Whether what a line reads is loaded once for all rows: of 3 x 3, 5 x 5 and 7 x 7 taps that are not
/// dilated, with the same stride both ways. Each argument is of two dimensions.
template <class Sizes>
bool sharesLines(const Sizes& kernel, const Sizes& stride, const Sizes& dilation) {
  return kernel[0] == kernel[1] && (kernel[0] == 3 || kernel[0] == 5 || kernel[0] == 7) &&
         stride[0] == stride[1] && dilation[0] == 1 && dilation[1] == 1;
}

/// The routines of one instruction set.
struct Routines {
  /// The rows of a product, at most, and the lanes of a vector.
  std::int64_t rows, lanes;
  void (*fill)(const Channel&);
  void (*multiply)(const Product&);
  void (*copy)(const Lines&);
  void (*filter)(const Filter&);
};

namespace avx2 {
extern const Routines kRoutines;
}
namespace avx512 {
extern const Routines kRoutines;
}

}  // namespace planes

namespace contraction {

/// Of this machine; null if it has none.
const planes::Routines* planesRoutines();

/// Forward, and towards data without strides, of one or two field dimensions, FLOAT, plain, without
/// post-ops, on AVX2 and AVX-512; null for others. No sum is divided, and bits depend on shapes alone.
std::unique_ptr<Contraction> makePlanes(const ConvSpec& spec, unsigned threads);
/// Nanoseconds that it takes, estimated for AVX-512; infinity where makePlanes() has none.
double planesTime(const ConvSpec& spec, unsigned threads);

}  // namespace contraction
}  // namespace popir

#endif
