// Chooses the implementation (source) of a contraction. One file: the rules are read in order, each
// for what the ones before leave.
#include "kernels/contraction/contraction.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "kernels/contraction/bf16_tiles.hpp"
#include "kernels/contraction/by_images.hpp"
#include "kernels/contraction/conv_times.hpp"
#include "kernels/contraction/depthwise_rows.hpp"
#include "kernels/contraction/divided_sums.hpp"
#include "kernels/contraction/gemm_own.hpp"
#include "kernels/contraction/planes.hpp"
#include "kernels/contraction/points.hpp"
#include "kernels/half.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace contraction {
namespace {

// The rules for our own products follow the measurements in docs/contractions.md.

/// Products so small that the call of oneDNN takes longest.
bool isSmall(const MatMulSpec& s) {
  constexpr double kSmallWork = 2e5;
  return static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) <=
         kSmallWork;
}

/// Products of 2 to 14 rows, of 7 to 14 in groups, that read more of B, of all groups, than stays near a
/// core, or near both: oneDNN is ahead of what comes from the last caches, by the measurements in
/// docs/contractions.md.
bool readsLargeB(const MatMulSpec& s) {
  constexpr std::int64_t kMostRows = 14, kLargeB = 1536 * 1024, kLargeBs = 6144 * 1024;  // elements
  const std::int64_t leastRows = s.groups == 1 ? 2 : 7;
  const bool areMany = s.groups > 1 && s.b.group != 0;
  const std::int64_t read = (areMany ? s.groups : 1) * s.k * s.n;
  return isa() == Isa::Avx512 && s.b.column == 1 && s.m >= leastRows && s.m <= kMostRows &&
         read >= (areMany ? kLargeBs : kLargeB);
}

/// Whether our own product of it is dot products with a B that is transposed in memory.
bool isOfDots(const MatMulSpec& s) {
  const auto* own = gemm::routines<float>();
  return own != nullptr && s.b.column != 1 && s.a.column == 1 && s.m <= own->dotRows &&
         (s.m == 1 || s.k >= s.m * own->dotSteps);
}

/// Small products of groups whose B is transposed in memory and does not stay near a core: oneDNN turns it
/// faster than our register blocks.
bool turnsLargeB(const MatMulSpec& s) {
  constexpr std::int64_t kFewRows = 8, kMostRows = 24, kLargeB = 256 * 1024;  // elements
  return isa() == Isa::Avx512 && s.groups > 1 && s.b.column != 1 && s.b.group != 0 &&
         s.m > kFewRows && s.m <= kMostRows && !isOfDots(s) && s.groups * s.k * s.n >= kLargeB;
}

/// Few rows that meet a large transposed B of not many steps: on Zen 4, where adding up lanes takes longer,
/// oneDNN turns it faster than dot products are.
bool turnsBOfFewRows(const MatMulSpec& s) {
  constexpr std::int64_t kLeastRows = 5, kMostRows = 15, kMostSteps = 800, kLargeB = 250'000,
                         kFewSteps = 128, kLeastRowsOfFew = 2, kLargeBOfFew = 120'000;
  const bool hasFew = s.k <= kFewSteps;
  return hasHalfUnits() && s.groups == 1 && s.b.column != 1 &&
         s.m >= (hasFew ? kLeastRowsOfFew : kLeastRows) && s.m <= kMostRows && s.k <= kMostSteps &&
         s.n >= s.k && s.k * s.n >= (hasFew ? kLargeBOfFew : kLargeB);
}

/// Products with few rows, which mostly read B.
bool hasFewRows(const MatMulSpec& s) {
  constexpr std::int64_t kFewRows = 14, kFewRowsTransposed = 8, kFewRowsOfAvx2 = 4;
  return isOfDots(s) || s.m <= (isa() == Isa::Avx2 ? kFewRowsOfAvx2
                                : s.b.column == 1  ? kFewRows
                                                   : kFewRowsTransposed);
}

/// Products of few steps, which mostly write C: in long runs, or, of some more steps and not many rows for
/// each group, in wide blocks.
bool hasFewSteps(const MatMulSpec& s) {
  constexpr std::int64_t kFewest = 4, kFew = 16, kRows = 64, kColumns = 256;
  if (isa() != Isa::Avx512 || s.b.column != 1 || s.n < kColumns) return false;
  return s.k <= kFewest || (s.k <= kFew && s.groups > 1 && s.m <= kRows);
}

/// Whether our own kernels are for so little work, or for so few rows or steps.
bool isSmallOrFew(const MatMulSpec& s) {
  return s.policy.has(Choice::FewRows) &&
         ((isSmall(s) && !turnsLargeB(s)) || hasFewSteps(s) ||
          (hasFewRows(s) && !readsLargeB(s) && !turnsBOfFewRows(s)));
}

/// Whether register blocks read a B that is transposed in memory.
bool isTurnedForBlocks(const MatMulSpec& s) { return s.b.column != 1 && !isOfDots(s); }

/// True where tiles are faster than oneDNN if B is packed once, by the measurements in
/// docs/contractions.md.
bool tilesAreFaster(const MatMulSpec& s) {
  constexpr std::int64_t kLeastWidth = 256, kLeastRows = 16, kLeastRowsOfSix = 32;
  return s.policy.has(Choice::Tiles) && tiles::haveAmx() && s.a.column == 1 && s.k >= kLeastWidth &&
         s.n >= kLeastWidth &&
         s.m >= (s.policy.math == FpMath::Highest ? kLeastRowsOfSix : kLeastRows);
}

/// Multiply-adds per thread that are worth a parallel region. Starting one costs some microseconds,
/// and much more on a busy machine.
constexpr double kWorkPerThread = 1e5;

/// The number of threads to use: 1 if there is too little work for two, else `threads`.
unsigned threadsFor(double work, unsigned threads) {
  return work < kWorkPerThread * 2 ? 1 : threads;
}

double workOf(const MatMulSpec& s) {
  return static_cast<double>(s.groups) * static_cast<double>(s.m) * static_cast<double>(s.n) *
         static_cast<double>(s.k);
}
double workOf(const ConvSpec& s) {
  double work = static_cast<double>(s.weights.elements());
  for (std::size_t d = 2; d < s.out.shape.size(); ++d) work *= static_cast<double>(s.out.shape[d]);
  return s.out.shape.empty() ? 0 : work * static_cast<double>(s.out.shape[0]);
}

/// Whether Winograd's algorithm may compute it: it is 3 x 3, of stride 1, without dilation, and of one
/// group.
bool isForWinograd(const ConvSpec& s) {
  const auto isOne = [](std::int64_t n) { return n == 1; };
  return s.policy.has(Choice::Winograd) && s.weights.shape.size() == 5 && s.weights.shape[3] == 3 &&
         s.weights.shape[4] == 3 && s.groups == 1 &&
         std::all_of(s.stride.begin(), s.stride.end(), isOne) &&
         std::all_of(s.dilation.begin(), s.dilation.end(), isOne);
}

/// Tiles of 2 x 2 of an image, and how much larger they are than the image: at the ends they reach
/// beyond it.
struct Tiling {
  std::int64_t tiles;
  double waste;
  explicit Tiling(const std::vector<std::int64_t>& shape)
      : tiles((shape[2] + 1) / 2 * ((shape[3] + 1) / 2)),
        waste(4 * static_cast<double>(tiles) / static_cast<double>(shape[2] * shape[3])) {}
};
constexpr double kMostWaste = 1.35, kMostWastePacked = 1.8;

/// True where Winograd's algorithm is faster than oneDNN's convolution, by the measurements in
/// docs/contractions.md. Weights that change take more tiles, or many channels.
bool winogradIsFaster(const ConvSpec& s, bool packed) {
  constexpr std::int64_t kLeastTilesPacked = 32, kLeastTiles = 200, kManyFilters = 64 * 64;
  if (s.pass == Pass::WeightsGradient || s.fieldDims() != 2) return false;
  const auto& written = s.pass == Pass::Forward ? s.out.shape : s.in.shape;
  const Tiling by(written);
  const std::int64_t tiles = written[0] * by.tiles,
                     filters = s.weights.shape[1] * s.weights.shape[2];
  if (packed) return tiles >= kLeastTilesPacked && by.waste <= kMostWastePacked;
  return tiles >= (filters >= kManyFilters ? kLeastTilesPacked : kLeastTiles) &&
         by.waste <= kMostWaste;
}

/// The same of gradients of weights, whose output channels threads share.
bool winogradGradientIsFaster(const ConvSpec& s, unsigned threads) {
  const std::int64_t vector = isa() == Isa::Avx512 ? 16 : 8;
  return s.pass == Pass::WeightsGradient && s.fieldDims() == 2 &&
         s.weights.shape[1] >= vector * threads && Tiling(s.out.shape).waste <= kMostWastePacked;
}

/// Gradients of the filters of depthwise convolutions that are larger than 3 x 3: oneDNN computes
/// these by a product for each channel.
bool isLargeDepthwiseGradient(const ConvSpec& s) {
  const auto& w = s.weights.shape;
  return s.policy.has(Choice::Depthwise) && s.pass == Pass::WeightsGradient && s.fieldDims() == 2 &&
         w[1] == 1 && w[2] == 1 && std::max(w[3], w[4]) > 3;
}

bool isDepthwise(const ConvSpec& s) {
  return s.groups > 1 && s.weights.shape[1] == 1 && s.weights.shape[2] == 1;
}

/// Whether it is depthwise, and its channels fill vectors of AVX-512.
bool hasWholeDepthwise(const ConvSpec& s) {
  constexpr std::int64_t kVector = 16;
  return isDepthwise(s) && s.in.shape[1] % kVector == 0;
}

/// The points of an image.
std::int64_t pointsOf(const Layout& layout) {
  return std::accumulate(layout.shape.begin() + 2, layout.shape.end(), std::int64_t(1),
                         std::multiplies<>());
}

/// The elements of a filter of one channel.
std::int64_t tapsOf(const ConvSpec& s) {
  return std::accumulate(s.weights.shape.begin() + 3, s.weights.shape.end(), std::int64_t(1),
                         std::multiplies<>());
}

/// Whether columns may compute it: it is a forward convolution whose channels are rows in memory, and
/// nothing follows.
bool isForColumns(const ConvSpec& s) {
  return s.policy.has(Choice::Columns) && s.pass == Pass::Forward && s.postOps.empty() &&
         s.in.channelBlock == Layout::kPlain && s.out.channelBlock == Layout::kPlain &&
         *std::max_element(s.inDilation.begin(), s.inDilation.end()) == 1;
}

bool oneDnnMultipliesColumns(const ConvSpec& s) {
  const auto theirs = makeOneDnn(s, 1);
  return theirs != nullptr && theirs->describe().find("gemm:") != std::string::npos;
}

/// Whether oneDNN has nothing but columns of its own, as for many groups: ours are faster.
bool oneDnnHasColumns(const ConvSpec& s) {
  return s.groups > 1 && !isDepthwise(s) && oneDnnMultipliesColumns(s);
}

/// Gradients of plain sides that products of columns compute faster than oneDNN: those of weights of
/// groups, where its kernels multiply columns too, if there are not very few columns or points; and those
/// of data of single points with strides, where its blocks would not be full.
bool gradientsByColumnsAreFaster(const ConvSpec& s) {
  constexpr std::int64_t kVector = 16, kLargeImage = 2048, kLeastColumns = 9, kManyColumns = 32,
                         kLeastPoints = 64, kLeastPointsOfFew = 128;
  if (!s.policy.has(Choice::Columns) || isa() != Isa::Avx512) return false;
  const std::int64_t columns = s.weights.shape[2] * tapsOf(s);
  if (s.pass == Pass::WeightsGradient && s.groups > 1 && tapsOf(s) > 1 &&
      columns >= kLeastColumns &&
      pointsOf(s.out) >= (columns < kManyColumns ? kLeastPointsOfFew : kLeastPoints))
    return oneDnnMultipliesColumns(s);
  // Of more channels of the output, oneDNN's multiplications are faster; a single image of more points is
  // not shared well.
  constexpr std::int64_t kMostOutputs = 90, kLargeAlone = 5000;
  const auto elements = static_cast<std::int64_t>(s.in.elements());
  const std::int64_t channels = s.in.shape[0] * s.in.shape[1];
  return s.pass == Pass::DataGradient && s.groups == 1 && tapsOf(s) == 1 && !isAll(s.stride, 1) &&
         s.in.channelBlock == Layout::kPlain && s.in.shape[1] % kVector != 0 &&
         s.weights.shape[1] <= kMostOutputs && elements >= kLargeImage * channels &&
         (s.in.shape[0] > 1 || elements <= kLargeAlone * channels);
}

/// Strided points of groups, of which oneDNN computes all: columns of few points, or for many channels of a
/// group's output, are faster than planes.
bool stridedPointsAreColumns(const ConvSpec& s) {
  constexpr std::int64_t kFewPoints = 256, kManyOutputs = 24;
  return !isDepthwise(s) && (pointsOf(s.out) <= kFewPoints || s.weights.shape[1] >= kManyOutputs);
}

/// Forward convolutions of rows that products of columns compute faster than oneDNN, by estimates that
/// follow the measurements in docs/contractions.md.
bool columnsAreFaster(const ConvSpec& s, unsigned threads) {
  if (isa() != Isa::Avx512 || isDepthwise(s) || !isForColumns(s)) return false;
  if (tapsOf(s) == 1 && isAll(s.stride, 1)) return false;
  if (tapsOf(s) == 1 && s.groups > 1) return true;  // oneDNN computes all points
  return columnsTime(s, threads) < oneDnnTime(s, threads) || oneDnnHasColumns(s);
}

/// The same of products of runs of planes, which are compared with columns too.
bool planesAreFaster(const ConvSpec& s, unsigned threads) {
  if (!s.policy.has(Choice::Planes) || isa() != Isa::Avx512) return false;
  // oneDNN has whole blocks of channels there, which are far ahead of planes.
  if (hasWholeDepthwise(s)) return false;
  // oneDNN multiplies columns there, and pads nothing.
  if (s.pass == Pass::DataGradient && s.groups > 1 && s.weights.shape[2] == 1 && !isDepthwise(s))
    return false;
  // Of one point without stride, there is nothing to share between taps or to skip over, but for
  // depthwise ones, which multiply each channel by one factor: there planes are still faster forward.
  if (tapsOf(s) == 1 && isAll(s.stride, 1) && (!isDepthwise(s) || s.pass != Pass::Forward))
    return false;
  const double time = planesTime(s, threads);
  if (!std::isfinite(time)) return false;
  if (tapsOf(s) == 1 && s.groups > 1) return !isForColumns(s) || !stridedPointsAreColumns(s);
  if (!isDepthwise(s) && isForColumns(s) && columnsTime(s, threads) <= time) return false;
  return time < oneDnnTime(s, threads) || oneDnnHasColumns(s);
}

/// Whether our own depthwise kernels read each input once for all taps in a row that it meets, and are faster
/// so than oneDNN.
bool hasRowFilter(const ConvSpec& s) {
  if (s.fieldDims() != 2 || s.stride[1] > 2 || s.dilation[1] != 1) return false;
  const std::int64_t columns = s.weights.shape[4];
  return columns == 5 || columns == 7 || (columns == 3 && isa() == Isa::Avx512);
}

/// Depthwise convolutions and gradients of their data by our own kernels in blocks, on copies of sides that
/// are plain, whether weights are packed before or not.
bool depthwiseBlocksAreFaster(const ConvSpec& s) {
  if (!s.policy.has(Choice::Depthwise) || isa() < Isa::Avx2 || !hasWholeDepthwise(s) ||
      s.pass == Pass::WeightsGradient)
    return false;
  const bool isForward = s.pass == Pass::Forward;
  if (hasRowFilter(s)) return isForward || isAll(s.stride, 1);
  return isa() == Isa::Avx512 && !isForward && tapsOf(s) > 1 && isAll(s.stride, 1);
}

/// The same of depthwise ones by rows as they lie, over blocks: ours, or oneDNN's, to which near ties are left.
bool depthwiseRowsAreFaster(const ConvSpec& s, unsigned threads) {
  constexpr double kMargin = 0.85;
  if (!s.policy.has(Choice::Depthwise) || isa() != Isa::Avx512) return false;
  if (tapsOf(s) == 1 && isAll(s.stride, 1)) return false;
  const double time = depthwiseRowsTime(s, threads);
  if (depthwiseBlocksAreFaster(s)) return time < depthwiseBlocksTime(s, threads);
  return time < (hasWholeDepthwise(s) ? kMargin : 1) * oneDnnTime(s, threads);
}

bool isBound(const PostOp& op) {
  return op.kind == PostOp::Kind::Maximum || op.kind == PostOp::Kind::Minimum;
}

/// True where our own convolutions are faster for their post-ops: oneDNN has none for bounds that
/// keeps NaN, and pays for an exponential in each Relu.
bool areOursFaster(const std::vector<PostOp>& ops) {
  return std::any_of(ops.begin(), ops.end(),
                     [](const PostOp& op) { return isBound(op) || op.kind == PostOp::Kind::Relu; });
}

/// Whether the channels are an odd multiple of half a vector of AVX-512, as 24 and 40 are. Blocks of
/// whole vectors do not hold them, so they are best last in memory.
bool isHalfVectors(const ConvSpec& s, const Layout& layout) {
  constexpr std::int64_t kVectorOfAvx512 = 16;
  return isa() == Isa::Avx512 && s.groups == 1 &&
         layout.shape[1] % kVectorOfAvx512 == kVectorOfAvx512 / 2;
}

/// Whether the channels of one side are, and those of the other side are, or fill whole vectors.
bool hasHalfVectors(const ConvSpec& s) {
  constexpr std::int64_t kHalfVector = 8;
  return (isHalfVectors(s, s.in) || isHalfVectors(s, s.out)) && s.in.shape[1] % kHalfVector == 0 &&
         s.out.shape[1] % kHalfVector == 0;
}

/// Points as products of plain sides. On Zen 4 oneDNN, whose vectors are of channels, is faster where many
/// lanes of the last vector of points would be empty. Direct sums, which half vectors have, are not: they
/// bring plain sides into blocks.
bool pointsAreFaster(const ConvSpec& s, unsigned threads) {
  constexpr double kMargin = 0.9;
  if (!s.policy.has(Choice::Points) || !isOfPoints(s)) return false;
  return !hasHalfUnits() || s.pass != Pass::Forward || s.groups > 1 || hasHalfVectors(s) ||
         oneDnnTime(s, threads) >= kMargin * pointsTime(s, threads);
}

/// True where direct sums in channel blocks are faster than oneDNN if the weights are packed once, by
/// the measurements in docs/contractions.md.
bool directIsFaster(const ConvSpec& s) {
  constexpr std::int64_t kVectorOfAvx2 = 8;
  if (!s.policy.has(Choice::DirectSums) || s.pass != Pass::Forward || s.fieldDims() != 2 ||
      isDepthwise(s))
    return false;
  const auto& w = s.weights.shape;
  const bool isPoint = w[3] * w[4] == 1, goesOn = areOursFaster(s.postOps);
  if (isPoint) return s.stride[0] * s.stride[1] == 1 && (goesOn || hasHalfVectors(s));
  return isa() == Isa::Avx2 && (goesOn || w[2] % kVectorOfAvx2 == 0);
}

/// The same of groups narrower than a vector, whether weights are packed before or not.
bool narrowGroupsAreFaster(const ConvSpec& s) {
  const std::int64_t vector = isa() == Isa::Avx512 ? 16 : 8;
  if (!s.policy.has(Choice::Depthwise) || isa() < Isa::Avx2 || !isOfNarrowGroups(s) ||
      s.weights.shape[1] >= vector || s.in.shape[1] % vector != 0)
    return false;
  // Points of plain sides are products.
  return s.weights.shape[3] * s.weights.shape[4] > 1 || s.in.channelBlock != Layout::kPlain ||
         s.out.channelBlock != Layout::kPlain;
}

/// The same of depthwise convolutions.
bool depthwiseIsFaster(const ConvSpec& s) {
  constexpr std::int64_t kWideRow = 28, kLargeFilter = 7;
  if (!s.policy.has(Choice::Depthwise) || s.pass != Pass::Forward || s.fieldDims() != 2 ||
      !isDepthwise(s))
    return false;
  if (areOursFaster(s.postOps) || hasRowFilter(s)) return true;
  return isa() == Isa::Avx2 && s.stride[0] * s.stride[1] == 1 && s.out.shape[3] >= kWideRow &&
         std::min(s.weights.shape[3], s.weights.shape[4]) >= kLargeFilter;
}

bool anyHalf(const MatMulSpec& s) { return isHalf(s.inType) || isHalf(s.outType); }
bool anyHalf(const ConvSpec& s) {
  return isHalf(s.in.type) || isHalf(s.weights.type) || isHalf(s.out.type);
}

/// Products whose C is most of the memory, and wide: our own threads share its columns, and so B, which
/// oneDNN's read whole where it cannot write columns in place.
constexpr std::int64_t kShallow = 16;
bool isOfShortSums(const MatMulSpec& s) {
  constexpr std::int64_t kSteps = 64, kLeastRows = 15, kMostRows = 250, kColumns = 256;
  return isa() == Isa::Avx512 && s.groups == 1 && s.k <= kSteps && s.m >= kLeastRows &&
         s.m <= kMostRows && s.n >= kColumns;
}

/// True where our own kernels are faster than oneDNN on AVX2, by the measurements in
/// docs/contractions.md.
bool ownIsFaster(const MatMulSpec& s) {
  constexpr std::int64_t kMostRowsOfAvx2 = 400;
  return isa() == Isa::Avx2 && s.m <= kMostRowsOfAvx2;
}
/// So little work, or so few columns, that the call of oneDNN and its columns of 48 take longer; of a C
/// with few elements, it divides long sums, where our threads share rows of one block of columns.
bool isLittleOrNarrow(const MatMulSpec& s) {
  constexpr double kLittleWork = 6e6;
  constexpr std::int64_t kFewColumns = 64, kFewColumnsOfGroups = 32, kFewElements = 1024,
                         kManySteps = 1024, kColumnsOfBlock = 24, kColumnsOfTurnedBlock = 32;
  const bool isOneBlock = s.n <= (s.b.column == 1 ? kColumnsOfBlock : kColumnsOfTurnedBlock);
  if (s.groups == 1 && s.m * s.n < kFewElements && s.k >= kManySteps && !isOneBlock) return false;
  return workOf(s) < kLittleWork || s.n < (s.groups == 1 ? kFewColumns : kFewColumnsOfGroups);
}
/// The same on AVX-512 with several threads, for a B that is not packed.
bool ownIsFasterShared(const MatMulSpec& s, unsigned threads) {
  constexpr std::int64_t kLeastColumns = 128;
  if (isa() != Isa::Avx512 || threads == 1 || readsLargeB(s) || turnsLargeB(s) ||
      turnsBOfFewRows(s))
    return false;
  if (s.policy.has(Choice::FewRows) && isLittleOrNarrow(s)) return true;
  if (s.groups > 1 || s.n < kLeastColumns) return false;
  const bool turnedA = s.a.column != 1, turnedB = s.b.column != 1;
  if (turnedB) {
    constexpr std::int64_t kRows = 256, kWide = 1000;
    return s.m <= kRows && (turnedA || s.n < kWide);
  }
  constexpr std::int64_t kRowsToCopyB = 30;
  if (s.policy.has(Choice::FewRows) && isOfShortSums(s))
    return s.k > kShallow && s.m >= kRowsToCopyB;
  // oneDNN computes columns in blocks of 48.
  constexpr std::int64_t kRows = 512, kColumns = 192, kBlock = 48;
  constexpr std::int64_t kPage = 1024;  // floats
  constexpr double kMostWaste = 1.06;
  const std::int64_t blocks = (s.n + kBlock - 1) / kBlock;
  return s.m <= kRows && s.n >= kColumns && (turnedA || s.a.row % kPage != 0) &&
         static_cast<double>(blocks * kBlock) > kMostWaste * static_cast<double>(s.n);
}

/// True where panels of four vectors are faster than oneDNN and our other kernels, for a B that is not
/// packed, by the measurements in docs/contractions.md.
bool wideIsFaster(const MatMulSpec& s, unsigned threads) {
  constexpr std::int64_t kRows = 64, kLeast = 64, kLeastColumns = 128, kLong = 256;
  if (!s.policy.has(Choice::WidePanels) || isa() != Isa::Avx512) return false;
  // With so few steps C is most of the memory, and wide panels prefetch C before they write it. In groups,
  // only if all results together are large, or each is.
  constexpr std::int64_t kLongRows = 256, kRowsOfGroup = 16, kLeastSteps = 8, kRowsOfLarge = 128,
                         kColumnsOfLarge = 512;
  constexpr double kLarge = 6e6, kLargeTogether = 1e6;
  const auto written = static_cast<double>(s.written());
  if (s.k < kLeast && s.groups == 1) return s.k >= kLeastSteps && s.m >= kRows && s.n >= kLongRows;
  if (s.k < kLeast && s.m >= kRowsOfLarge && s.n >= kColumnsOfLarge && written >= kLargeTogether)
    return true;
  if (s.k < kLeast) return s.n >= kLeast && s.m >= kRowsOfGroup && written >= kLarge;
  if (s.m <= kRows) return false;
  if (s.n < kLeast) return s.groups > 1 && s.k >= kLong;
  if (s.groups > 1) return oneDnnFallsTogether(s, threads);
  if (s.a.column != 1) return true;
  // oneDNN has good loops for a B as it lies, where threads need not share columns, and shares those of
  // far more columns than rows, which panels share rows of.
  constexpr std::int64_t kWide = 8;
  const bool sharesColumns = s.n >= kLeastColumns && s.m < 2 * s.n && s.n < kWide * s.m;
  return threads > 1 && (s.b.column != 1 || sharesColumns);
}
/// The same if B is packed once.
bool ownIsFasterPacked(const MatMulSpec& s) {
  constexpr std::int64_t kMostRows = 400, kFewColumns = 64, kFewSteps = 24;
  if (isa() != Isa::Avx512) return ownIsFaster(s);
  if (s.m <= gemm::kFewPackedRowsOfAvx512) return s.policy.has(Choice::FewRows);
  return s.policy.has(Choice::KeptPanels) &&
         (s.m <= kMostRows || s.n < kFewColumns || s.k <= kFewSteps);
}
/// Many rows of so few steps that panels which fetch C before they write it are faster than packed ones.
bool writesMoreThanItReads(const MatMulSpec& s) {
  constexpr std::int64_t kLeastRows = 600, kLeastSteps = 8, kMostSteps = 24, kLeastColumns = 96;
  return s.policy.has(Choice::WidePanels) && isa() == Isa::Avx512 && s.groups == 1 &&
         s.m >= kLeastRows && s.k >= kLeastSteps && s.k <= kMostSteps && s.n >= kLeastColumns;
}
/// Few rows of many columns that are as fast from a B as it lies.
bool isBestAsItLies(const MatMulSpec& s) {
  constexpr std::int64_t kMostRows = 14, kSteps = 128, kColumns = 256;
  return s.policy.has(Choice::FewRows) && isa() == Isa::Avx512 && s.groups == 1 &&
         s.b.column == 1 && s.k <= kSteps && s.m > gemm::kFewPackedRowsOfAvx512 &&
         s.m <= kMostRows && s.n >= kColumns;
}

/// The sources to try, fastest first.
std::vector<Source> preference(const MatMulSpec& s, unsigned threads) {
  if (wideIsFaster(s, threads)) return {Source::Wide, Source::Own, Source::Portable};
  if (isSmallOrFew(s) || ownIsFaster(s) || ownIsFasterShared(s, threads) ||
      oneDnnFallsTogether(s, threads))
    return {Source::Own, Source::OneDnn, Source::Portable};
  return {Source::OneDnn, Source::Own, Source::Portable};
}
std::vector<Source> preference(const ConvSpec& s, unsigned) {
  if (gradientsByColumnsAreFaster(s)) return {Source::Own, Source::OneDnn, Source::Portable};
  return {Source::OneDnn, Source::Own, Source::Portable};
}

std::unique_ptr<Contraction> makeTiles(const ConvSpec&, unsigned, bool) { return nullptr; }
std::unique_ptr<Contraction> makeBlocked(const MatMulSpec&, unsigned) { return nullptr; }
std::unique_ptr<Contraction> makeWide(const ConvSpec&, unsigned) { return nullptr; }
std::unique_ptr<Contraction> makePlanes(const MatMulSpec&, unsigned) { return nullptr; }
std::unique_ptr<Contraction> makeDepthwiseRows(const MatMulSpec&, unsigned) { return nullptr; }

/// A contraction by one source or, where the weights are packed once for many runs, by another one,
/// which packing makes too slow elsewhere.
class FasterPacked final : public Contraction {
 public:
  using Make = std::function<std::unique_ptr<Contraction>()>;
  FasterPacked(std::unique_ptr<Contraction> plain, Make make)
      : plain_(std::move(plain)), make_(std::move(make)) {}

  std::string describe() const override { return plain_->describe(); }
  std::string describePacked() const override { return whenPacked().describe(); }
  std::size_t packedBytes() const override { return plain_->packedBytes(); }
  bool readsBoth() const override { return plain_->readsBoth(); }
  bool movesWeights() const override { return plain_->movesWeights(); }
  void pack(const void* weights, void* packed) const override { plain_->pack(weights, packed); }
  std::size_t workBytes() const override { return plain_->workBytes(); }
  void runPacked(void* const* operands, const void* packed, void* work) const override {
    plain_->runPacked(operands, packed, work);
  }
  std::optional<Prepacked> prepacked(std::size_t operands) const override {
    return whenPacked().prepacked(operands);
  }

 private:
  const Contraction& whenPacked() const {
    if (!packed_) packed_ = make_();
    return packed_ ? *packed_ : *plain_;
  }

  std::unique_ptr<Contraction> plain_;
  Make make_;
  mutable std::unique_ptr<Contraction> packed_;
};

/// Depthwise by our kernels in blocks, with threads sharing channels where these are copied.
std::unique_ptr<Contraction> makeDepthwiseBlocks(const ConvSpec& s, unsigned threads) {
  if (s.policy.has(Choice::Images))
    if (auto made =
            makeByVectors(s, threads, [](const ConvSpec& part) { return makeDepthwise(part, 1); }))
      return made;
  return makeDepthwise(s, threads);
}

/// The source for weights that are packed once; null if it is the same as for others.
FasterPacked::Make whenPacked(const MatMulSpec& s, unsigned threads) {
  const bool gains = isa() == Isa::Avx512 ? s.b.column != 1 || s.m <= gemm::kFewPackedRowsOfAvx512
                                          : isTurnedForBlocks(s);
  if (s.policy.has(Choice::FewRows) && isSmall(s) && gains)
    return [=] { return makeOwnPacked(s, threads); };
  if (s.policy.has(Choice::FewRows) && (isSmall(s) || (isa() != Isa::Avx512 && hasFewRows(s))))
    return nullptr;
  if (isBestAsItLies(s)) return nullptr;
  return [=] {
    if (tilesAreFaster(s))
      if (auto made = makeTiles(s, threads, false)) return made;
    if (writesMoreThanItReads(s))
      if (auto made = makeWide(s, threads)) return made;
    return ownIsFasterPacked(s) ? makeOwnPacked(s, threads) : makeOneDnnPacked(s, threads);
  };
}
FasterPacked::Make whenPacked(const ConvSpec& s, unsigned threads) {
  return [=]() -> std::unique_ptr<Contraction> {
    if (s.policy.has(Choice::UnpackedWinograd) && isForWinograd(s) && winogradIsFaster(s, false) &&
        !winogradGainsByPacking(s, threads))
      return nullptr;
    if (isForWinograd(s) && winogradIsFaster(s, true))
      if (auto made = makeWinograd(s, threads, true)) return made;
    if (directIsFaster(s) && !pointsAreFaster(s, threads)) return makeDirect(s, threads);
    if (depthwiseRowsAreFaster(s, threads)) return nullptr;
    if (depthwiseBlocksAreFaster(s)) return makeDepthwiseBlocks(s, threads);
    return depthwiseIsFaster(s) || narrowGroupsAreFaster(s) ? makeDepthwise(s, threads) : nullptr;
  };
}

/// The same of 16-bit floats: few rows, or enough for each thread to have its own.
FasterPacked::Make halvesWhenPacked(const MatMulSpec& s, unsigned threads) {
  constexpr std::int64_t kRows = 28;
  if (s.policy.has(Choice::FewRows) && !s.policy.deterministic)
    if (auto made = makeHalfPanels(s, threads)) return [=] { return makeHalfPanels(s, threads); };
  if (isa() != Isa::Avx512 || !s.policy.has(Choice::KeptPanels) || s.policy.deterministic ||
      s.m < kRows * threads || tilesAreFaster(s))
    return nullptr;
  if (auto made = makeHalfRows(s, threads); made == nullptr) return nullptr;
  return [=] { return makeHalfRows(s, threads); };
}
FasterPacked::Make halvesWhenPacked(const ConvSpec&, unsigned) { return nullptr; }

std::unique_ptr<Contraction> makeBlocked(const ConvSpec& s, unsigned threads) {
  if (auto made = s.policy.has(Choice::Winograd) ? makeWinograd(s, threads, false) : nullptr)
    return std::make_unique<FasterPacked>(std::move(made),
                                          [=] { return makeWinograd(s, threads, true); });
  if (auto made = s.policy.has(Choice::Depthwise) ? makeDepthwise(s, threads) : nullptr)
    return made;
  return s.policy.has(Choice::DirectSums) ? makeDirect(s, threads) : nullptr;
}

/// A product by our own kernels alone, with B packed where that is done once.
std::unique_ptr<Contraction> makeOwnOrPacked(const MatMulSpec& s, unsigned threads) {
  auto made = makeOwn(s, threads);
  if (made == nullptr) return nullptr;
  return std::make_unique<FasterPacked>(std::move(made), [=] { return makeOwnPacked(s, threads); });
}
std::unique_ptr<Contraction> makeOwnOrPacked(const ConvSpec& s, unsigned threads) {
  return makeOwn(s, threads);
}

/// A product by oneDNN alone, in its own form where B is packed once.
std::unique_ptr<Contraction> makeOneDnnOrPacked(const MatMulSpec& s, unsigned threads) {
  auto made = makeOneDnn(s, threads);
  if (made == nullptr) return nullptr;
  return std::make_unique<FasterPacked>(std::move(made),
                                        [=] { return makeOneDnnPacked(s, threads); });
}
std::unique_ptr<Contraction> makeOneDnnOrPacked(const ConvSpec& s, unsigned threads) {
  return makeOneDnn(s, threads);
}

template <class Spec>
std::unique_ptr<Contraction> makeBy(Source source, const Spec& spec, unsigned threads) {
  switch (source) {
    case Source::OneDnn: return makeOneDnn(spec, threads);
    case Source::Own: return makeOwn(spec, threads);
    case Source::Wide: return makeWide(spec, threads);
    case Source::Planes: return makePlanes(spec, threads);
    case Source::Rows: return makeDepthwiseRows(spec, threads);
    case Source::Blocked: return makeBlocked(spec, threads);
    case Source::Tiles: return makeTiles(spec, threads, false);
    case Source::EmulatedTiles: return makeTiles(spec, threads, true);
    default: return makePortable(spec, threads);
  }
}

/// The same, with threads sharing images where oneDNN would not: it shares rows or channels too.
std::unique_ptr<Contraction> makeShared(Source source, const MatMulSpec& spec, unsigned threads) {
  return makeBy(source, spec, threads);
}
std::unique_ptr<Contraction> makeShared(Source source, const ConvSpec& spec, unsigned threads) {
  const auto part = [](const ConvSpec& own) { return makeOneDnn(own, 1); };
  if (source == Source::OneDnn && spec.policy.has(Choice::Images)) {
    if (auto made = makeByImages(spec, furtherOf(spec), threads, part)) return made;
    if (auto made = makeByGroups(spec, threads, part)) return made;
  }
  return makeBy(source, spec, threads);
}

template <class Spec>
std::unique_ptr<Contraction> makeFastest(const Spec& spec, unsigned threads);

/// What is faster than all sources in turn, by an algorithm of its own; null if nothing is.
std::unique_ptr<Contraction> makeFaster(const MatMulSpec&, unsigned) { return nullptr; }
std::unique_ptr<Contraction> makeFaster(const ConvSpec& s, unsigned threads) {
  if (isForWinograd(s) && (winogradIsFaster(s, false) || winogradGradientIsFaster(s, threads)))
    if (auto made = makeWinograd(s, threads, false)) return made;
  if (isLargeDepthwiseGradient(s)) return makeDepthwise(s, threads);
  if (narrowGroupsAreFaster(s))
    if (auto made = makeDepthwise(s, threads)) return made;
  if (pointsAreFaster(s, threads))
    if (auto made = makePoints(
            s, threads, [](const MatMulSpec& part, unsigned of) { return makeFastest(part, of); }))
      return made;
  if (depthwiseRowsAreFaster(s, threads)) return makeDepthwiseRows(s, threads);
  if (depthwiseBlocksAreFaster(s))
    if (auto made = makeDepthwiseBlocks(s, threads)) return made;
  if (planesAreFaster(s, threads)) return makePlanes(s, threads);
  return columnsAreFaster(s, threads) ? makeOwn(s, threads) : nullptr;
}

/// By sources that never divide a sum, and rules into which no number of threads goes. Nor do sums
/// depend on whether B is packed, which follows from where it lies and who else reads it: few rows of a
/// transposed B are dot products, in another order than packed ones, and are not packed.
std::unique_ptr<Contraction> makeDeterministic(const MatMulSpec& s, unsigned threads) {
  if (wideIsFaster(s, Setting::kThreadsOfChoices))
    if (auto made = makeWide(s, threads)) return made;
  auto made = isOfDots(s) ? makeOwn(s, threads) : makeOwnOrPacked(s, threads);
  return made ? std::move(made) : makePortable(s, threads);
}
std::unique_ptr<Contraction> makeDeterministic(const ConvSpec& s, unsigned threads) {
  if (auto made = makeBlocked(s, threads)) return made;
  auto made = makeOwn(s, threads);
  return made ? std::move(made) : makePortable(s, threads);
}

/// A part of a contraction, which runs on one thread.
std::unique_ptr<Contraction> makePart(const MatMulSpec& part) {
  // A is transposed in memory. Of so few rows wide panels are not chosen, and oneDNN's general loops copy A
  // first, where our own read it as it lies.
  constexpr std::int64_t kFewRows = 64;
  return part.m <= kFewRows ? makeOwn(part, 1) : makeFastest(part, 1);
}
std::unique_ptr<Contraction> makePart(const ConvSpec& part) { return makeFastest(part, 1); }

/// Whether threads may divide sums, unless sharing the result is as good.
bool mayDivideSums(const MatMulSpec& s, unsigned) { return s.policy.has(Choice::DividedSums); }
bool mayDivideSums(const ConvSpec& s, unsigned threads) {
  return s.policy.has(Choice::DividedSums) &&
         (s.groups < std::int64_t{threads} || !gradientsByColumnsAreFaster(s));
}

/// The fastest, with weights that are not packed before.
template <class Spec>
std::unique_ptr<Contraction> makeFastest(const Spec& spec, unsigned threads) {
  const auto part = [](const Spec& s) { return makePart(s); };
  if (mayDivideSums(spec, threads))
    if (auto made = makeDividedSums(spec, threads, part)) return made;
  if (auto made = makeFaster(spec, threads)) return made;
  for (Source source : preference(spec, threads))
    if (auto made = makeShared(source, spec, threads)) return made;
  return nullptr;
}

std::string text(const std::vector<std::int64_t>& shape) {
  std::string s = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) s += (i ? "," : "") + std::to_string(shape[i]);
  return s + "]";
}
std::string text(const MatMulSpec& s) {
  std::ostringstream os;
  os << "matrix product " << s.inType << " " << text({s.groups, s.m, s.k}) << " x "
     << text({s.groups, s.k, s.n}) << " -> " << s.outType;
  return os.str();
}
std::string text(const ConvSpec& s) {
  static const char* const kPasses[] = {"", ", data gradient", ", weights gradient"};
  std::ostringstream os;
  os << "convolution " << s.in.type << " " << text(s.in.shape) << " * " << s.weights.type << " "
     << text(s.weights.shape) << " -> " << s.out.type << " " << text(s.out.shape)
     << kPasses[static_cast<int>(s.pass)];
  return os.str();
}

std::unique_ptr<Contraction> makeInFloat(const MatMulSpec& s, unsigned threads, Source source) {
  return makeViaFloat(s, threads, source);
}
std::unique_ptr<Contraction> makeInFloat(const ConvSpec& s, unsigned threads, Source source) {
  return makeViaFloat(s, furtherOf(s), threads, [source](const ConvSpec& floats, unsigned of) {
    return contraction::make(floats, of, source);
  });
}

template <class Spec>
std::unique_ptr<Contraction> choose(const Spec& spec, unsigned most, Source source) {
  const unsigned threads = threadsFor(workOf(spec), most);
  std::unique_ptr<Contraction> made;
  if (anyHalf(spec)) {
    made = makeInFloat(spec, threads, source);
    if (auto make = source == Source::Any ? halvesWhenPacked(spec, threads) : nullptr; make && made)
      made = std::make_unique<FasterPacked>(std::move(made), std::move(make));
  } else if (spec.policy.deterministic && source == Source::Any) {
    made = makeDeterministic(spec, threads);
  } else if (source == Source::OneDnn) {
    made = makeOneDnnOrPacked(spec, threads);
  } else if (source == Source::Own) {
    made = makeOwnOrPacked(spec, threads);
  } else if (source != Source::Any) {
    made = makeBy(source, spec, threads);
  } else {
    made = makeFastest(spec, threads);
    if (auto make = whenPacked(spec, threads); make && made)
      made = std::make_unique<FasterPacked>(std::move(made), std::move(make));
  }
  if (made == nullptr)
    throw std::invalid_argument(text(spec) + ": not done by " +
                                (source == Source::Any ? "any source" : name(source)) + " on " +
                                name(isa()));
  return made;
}

/// C^T = B^T * A^T.
MatMulSpec transposed(const MatMulSpec& s) {
  const auto turn = [](MatMulSpec::Strides x) {
    return MatMulSpec::Strides{x.group, x.column, x.row};
  };
  MatMulSpec t = s;
  std::swap(t.m, t.n);
  t.a = turn(s.b);
  t.b = turn(s.a);
  t.c = turn(s.c);
  return t;
}

/// Computes a product by its transpose, C^T = B^T * A^T: A and B are exchanged.
class Transposed final : public Contraction {
 public:
  explicit Transposed(std::unique_ptr<Contraction> inner) : inner_(std::move(inner)) {}
  std::string describe() const override { return inner_->describe() + " transposed"; }
  std::size_t workBytes() const override { return inner_->scratchBytes(); }
  void runPacked(void* const* operands, const void*, void* work) const override {
    void* const turned[] = {operands[1], operands[0], operands[2]};
    inner_->run(turned, work);
  }

 private:
  std::unique_ptr<Contraction> inner_;
};

}  // namespace

const char* name(Source source) {
  static const char* const kNames[] = {"any",  "onednn",   "own",     "wide",  "planes",
                                       "rows", "portable", "blocked", "tiles", "emulatedTiles"};
  return kNames[static_cast<int>(source)];
}

constexpr std::size_t kWeights = 1;  // operand of every contraction

void Contraction::run(void* const* operands, void* scratch) const {
  const std::size_t bytes = packedBytes();
  if (bytes == 0) return runPacked(operands, nullptr, scratch);
  pack(operands[kWeights], scratch);
  runPacked(operands, scratch, at(scratch, aligned(bytes)));
}

std::size_t Contraction::scratchBytes() const { return aligned(packedBytes()) + workBytes(); }

namespace {

class Pack final : public Runner {
 public:
  explicit Pack(const Contraction& of) : of_(of) {}
  void run(void* const* operands, void*) const override { of_.pack(operands[0], operands[1]); }

 private:
  const Contraction& of_;
};

class RunPacked final : public Runner {
 public:
  RunPacked(const Contraction& of, std::size_t operands) : of_(of), form_(operands) {}
  void run(void* const* operands, void* scratch) const override {
    of_.runPacked(operands, operands[form_], scratch);
  }
  std::size_t scratchBytes() const override { return of_.workBytes(); }

 private:
  const Contraction& of_;
  std::size_t form_;  // index of the operand that may be packed
};

}  // namespace

std::optional<Prepacked> Contraction::prepacked(std::size_t operands) const {
  const std::size_t bytes = packedBytes();
  if (bytes == 0) return std::nullopt;
  return Prepacked{bytes, std::make_unique<Pack>(*this),
                   std::make_unique<RunPacked>(*this, operands), readsBoth(), movesWeights()};
}

std::optional<std::size_t> Contraction::packable() const { return kWeights; }

std::unique_ptr<Contraction> make(const MatMulSpec& spec, unsigned threads, Source source) {
  if (spec.c.column != 1)
    return std::make_unique<Transposed>(choose(transposed(spec), threads, source));
  return choose(spec, threads, source);
}

namespace {

/// A convolution of one field dimension as one of planes of one row, which more sources compute.
ConvSpec asPlanes(ConvSpec s) {
  if (s.fieldDims() != 1) return s;
  for (auto* each : {&s.stride, &s.dilation, &s.inDilation}) each->insert(each->begin(), 1);
  s.padLower.insert(s.padLower.begin(), 0);
  const auto insert = [](Layout& layout, std::ptrdiff_t at) {
    if (layout.shape.empty()) return;  // of a number
    if (layout.channelBlock == Layout::kPlain)
      layout.strides.insert(layout.strides.begin() + at,
                            layout.strides.back() * layout.shape.back());
    layout.shape.insert(layout.shape.begin() + at, 1);
  };
  insert(s.in, 2);
  insert(s.out, 2);
  insert(s.weights, 3);
  for (PostOp& op : s.postOps)
    if (op.extent == PostOp::Extent::Full) insert(op.layout, 2);
  return s;
}

}  // namespace

std::unique_ptr<Contraction> make(const ConvSpec& spec, unsigned threads, Source source) {
  return choose(asPlanes(spec), threads, source);
}

namespace {

/// Nanoseconds of a convolution of plain sides without post-ops by planes or columns; infinite where neither
/// is faster than oneDNN.
double rowsTime(const ConvSpec& bare, unsigned threads) {
  double time = std::numeric_limits<double>::infinity();
  if (planesAreFaster(bare, threads)) time = planesTime(bare, threads);
  if (columnsAreFaster(bare, threads)) time = std::min(time, columnsTime(bare, threads));
  return time;
}

/// Nanoseconds of the pass of post-ops over the output.
double passTime(const ConvSpec& spec, unsigned threads) {
  constexpr double kElement = 0.15, kStart = 1500;
  if (spec.postOps.empty()) return 0;
  return kStart + kElement * static_cast<double>(spec.out.elements()) / threads;
}

ConvSpec withoutPostOps(ConvSpec spec) {
  spec.postOps.clear();
  return spec;
}

/// Whether a convolution of plain sides takes less time as rows lie, and its post-ops in a pass of their own,
/// than by oneDNN, which brings channels into blocks and back.
bool rowsAndPassAreFaster(const ConvSpec& spec, unsigned threads) {
  if (spec.policy.deterministic || isa() != Isa::Avx512 || isDepthwise(spec) ||
      narrowGroupsAreFaster(spec) || spec.in.channelBlock != Layout::kPlain ||
      spec.out.channelBlock != Layout::kPlain)
    return false;
  const ConvSpec bare = withoutPostOps(spec);
  if (pointsAreFaster(bare, threads)) return true;
  if (isForWinograd(spec) && winogradIsFaster(spec, true) && makeWinograd(spec, threads, true))
    return false;
  if (directIsFaster(spec) && makeDirect(spec, threads)) return false;
  return rowsTime(bare, threads) + passTime(spec, threads) < oneDnnTime(bare, threads);
}

}  // namespace

std::unique_ptr<Contraction> makeWithPostOps(const ConvSpec& given, unsigned threads) {
  const ConvSpec spec = asPlanes(given);
  if (anyHalf(spec)) return makeViaFloat(spec, furtherOf(spec), threads, makeWithPostOps);
  threads = threadsFor(workOf(spec), threads);
  if (!spec.policy.deterministic && depthwiseRowsAreFaster(spec, threads))
    return makeDepthwiseRows(spec, threads);
  if (!spec.policy.deterministic && depthwiseBlocksAreFaster(spec))
    if (auto made = makeDepthwiseBlocks(spec, threads)) return made;
  if (rowsAndPassAreFaster(spec, threads)) return nullptr;
  if (spec.policy.deterministic || std::any_of(spec.postOps.begin(), spec.postOps.end(), isBound))
    return makeBlocked(spec, threads);
  std::unique_ptr<Contraction> made;
  if (isForWinograd(spec) && winogradIsFaster(spec, false))
    made = makeWinograd(spec, threads, false);
  if (made == nullptr) made = makeShared(Source::OneDnn, spec, threads);
  if (made) made = std::make_unique<FasterPacked>(std::move(made), whenPacked(spec, threads));
  return made;
}

namespace {

/// Whether a convolution whose sides are plain takes less time by planes or columns, or a depthwise one by
/// rows, than by oneDNN with blocks of channels that others write and read.
bool rowsBeatBlocks(const ConvSpec& spec, const Blocks& blocks, unsigned threads) {
  if (spec.policy.deterministic || hasWholeDepthwise(spec) || narrowGroupsAreFaster(spec))
    return false;
  ConvSpec plain = spec, blocked = spec;
  plain.in.channelBlock = plain.out.channelBlock = Layout::kPlain;
  blocked.in.channelBlock = blocks.in;
  blocked.out.channelBlock = blocks.out;
  threads = threadsFor(workOf(spec), threads);
  if (depthwiseRowsAreFaster(plain, threads))
    return depthwiseRowsTime(plain, threads) < oneDnnTime(blocked, threads);
  if (isDepthwise(spec) && !spec.postOps.empty()) return false;
  const ConvSpec bare = withoutPostOps(plain);
  const double time = rowsTime(bare, threads) + passTime(spec, threads);
  if (time >= oneDnnTime(blocked, threads)) return false;
  return !(isForWinograd(bare) && winogradIsFaster(bare, true) &&
           makeWinograd(bare, threads, true));
}

/// What is turned around, no source reads: it is copied before.
Layout asGiven(const Layout& l) {
  const bool turns = std::any_of(l.strides.begin(), l.strides.end(), [](auto s) { return s < 0; });
  return turns ? Layout::rowMajor(l.type, l.shape) : l;
}

}  // namespace

Blocks preferredBlocks(const ConvSpec& given, unsigned threads) {
  if (anyHalf(given)) return preferredBlocks(inFloat(given), threads);
  ConvSpec spec = asPlanes(given);
  for (Layout* l : {&spec.in, &spec.weights, &spec.out}) *l = asGiven(*l);
  auto blocks = oneDnnBlocks(withoutPostOps(spec), threads);
  if (rowsBeatBlocks(spec, blocks, threads)) return {Layout::kPlain, Layout::kPlain};
  // Our own kernels have blocks of whole vectors, in which a convolution has the bits of plain sides.
  constexpr int kHalfOfAvx512 = 8;
  if (spec.policy.deterministic && isa() == Isa::Avx512)
    for (int* block : {&blocks.in, &blocks.out})
      if (*block == kHalfOfAvx512) *block = Layout::kPlain;
  // Post-ops follow in inference, where weights are packed once, as directIsFaster() supposes.
  if (!spec.postOps.empty() && directIsFaster(spec)) {
    if (isHalfVectors(spec, spec.in)) blocks.in = Layout::kChannelsLast;
    if (isHalfVectors(spec, spec.out)) blocks.out = Layout::kChannelsLast;
  }
  return blocks;
}

}  // namespace contraction
}  // namespace popir
