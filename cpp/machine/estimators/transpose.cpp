// The estimator of transpositions of matrices: PopLibs' choice among its vertices, and the cost of
// each. For elements of 1 byte nothing is published: they are taken to cost as much as halves, but
// in steps of 8 rows and columns, not 4.
#include <limits>

#include "machine/estimators/formulas.hpp"

namespace popir {
namespace {

/// Rows and columns that a fast vertex processes at a time.
Cycles step(poplar::Type type) { return type.sizeInBytes() == 1 ? 8 : 4; }

/// The limit of an instruction's stride, a signed field of numStrideBits bits.
Cycles longestStride(const TargetSpec& spec) { return Cycles(1) << (spec.numStrideBits - 1); }

/// Worker cycles of the fast vertices. `rows` and `columns` are in units of step().
Cycles fastWorker(Cycles rows, Cycles columns, Cycles matrices) {
  if (rows == 1 && columns == 1) return matrices < 2 ? 17 + 12 : 17 + 20 + (matrices - 2) * 4;
  if (columns == 1) return 27 + matrices * (15 + 20 + 4 * (rows - 2));
  return 29 + matrices * (18 + rows * (12 + 4 * (columns - 2)));
}

/// Worker cycles of Transpose2D for elements of 4 bytes, or for one word of longer elements.
Cycles wordsWorker(const TargetSpec& spec, Cycles rows, Cycles columns, Cycles matrices) {
  const bool strides = rows % 2 == 0 && columns % 2 == 0 && columns / 2 <= spec.rptCountMax &&
                       rows * (columns - 2) / 2 < longestStride(spec) && rows < longestStride(spec);
  if (strides) return 27 + matrices * (11 + rows / 2 * (6 + 3 * (columns / 2 - 1)));
  return 13 + matrices * (8 + columns * (5 + rows * 4 / 2));
}

/// Worker cycles of Transpose2D for elements of 2 bytes or 1.
Cycles halvesWorker(const TargetSpec& spec, Cycles rows, Cycles columns, Cycles matrices) {
  const auto reaches = [&](Cycles n) {
    return n % 4 == 0 && n / 4 <= spec.rptCountMax && 1 + 3 * (n / 4) < longestStride(spec);
  };
  if (rows % 4 == 0 && columns >= 8 && reaches(columns))
    return 39 + matrices * (12 + rows / 4 * (15 + 4 * (columns / 4 - 2)));
  if (rows == 4 && columns == 4) return 34 + 15 * matrices;
  if (columns == 4 && reaches(rows)) return 30 + matrices * (17 + 20 + 4 * (rows / 4 - 2));
  return 15 + matrices * (8 + columns * (5 + rows * 5 / 2));
}

/// Tile cycles if each worker has a vertex of its own, with a share of the matrices.
Cycles shared(const TargetSpec& spec, const TransposeWork& all) {
  auto w = all;
  w.matrices = ceilDiv(all.matrices, spec.numWorkerContexts);
  const Cycles n = step(w.type), bytes = w.type.sizeInBytes();
  if (transposesFast(spec, w))
    return supervised(spec, 0, fastWorker(w.rows / n, w.columns / n, w.matrices));
  if (bytes <= 2) return supervised(spec, 0, halvesWorker(spec, w.rows, w.columns, w.matrices));
  return supervised(spec, 0, ceilDiv(bytes, 4) * wordsWorker(spec, w.rows, w.columns, w.matrices));
}

Cycles transpose(const TargetSpec& spec, const TransposeWork& w) {
  const Cycles matrices = w.matrices, workers = spec.numWorkerContexts;
  if (matrices * w.rows * w.columns == 0) return 0;
  if (!transposesFast(spec, w)) return shared(spec, w);
  const Cycles rows = w.rows / step(w.type), columns = w.columns / step(w.type);
  if (w.rows == 4 && w.columns == 4 && matrices <= 4)  // one worker for all
    return supervised(spec, 0, fastWorker(rows, columns, matrices));
  constexpr Cycles kStart = 7;  // of the supervisor; its workers take 7 less
  if (matrices >= workers || workers % matrices != 0)
    return supervised(spec, kStart, fastWorker(rows, columns, ceilDiv(matrices, workers)) - kStart);
  // Several workers share a matrix: first its rows are divided, then its columns. A worker's part
  // costs as much as a matrix of its size.
  const Cycles perMatrix = workers / matrices, rowsEach = ceilDiv(rows, perMatrix);
  const Cycles columnsEach = ceilDiv(columns, perMatrix / ceilDiv(rows, rowsEach));
  return supervised(spec, kStart, fastWorker(rowsEach, columnsEach, 1));
}

}  // namespace

bool transposesFast(const TargetSpec& spec, const TransposeWork& w) {
  // The largest value of a 16-bit field of a vertex.
  constexpr Cycles kField = std::numeric_limits<std::uint16_t>::max();
  const Cycles n = step(w.type), bytes = w.type.sizeInBytes();
  const auto rows = w.rows, columns = w.columns, matrices = w.matrices;
  if (bytes > 2 || rows % n != 0 || columns % n != 0 || matrices > kField) return false;
  if (bytes == 1)
    return rows / n <= std::min<Cycles>(kField, spec.rptCountMax) && columns / n <= kField;
  const auto reaches = [&](Cycles length) {
    return length / n <= Cycles(spec.rptCountMax) + 2 && length / n * 3 <= longestStride(spec) + 1;
  };
  if (rows == n && columns == n) return matrices <= Cycles(spec.rptCountMax) + 2;
  if (columns == n) return reaches(rows);
  return reaches(columns) && rows / n < longestStride(spec);
}

std::vector<VertexClass> transposeClasses() {
  const auto notBytes = [](const TransposeWork& w) {
    return w.type.sizeInBytes() == 1 ? Formula::Guess : Formula::Published;
  };
  return {vertexClass<TransposeWork>("popops::Transpose", notBytes, transpose)};
}

}  // namespace popir
