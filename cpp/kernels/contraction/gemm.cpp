#include "kernels/contraction/gemm.hpp"

#include <numeric>

namespace popir {
namespace gemm {
namespace {

/// A product with fewer multiplications per thread runs on one thread, since starting others takes
/// longer.
constexpr double kMultiplicationsOfAThread = 5e4;
/// Where they have at least this number of columns, each thread has two tasks, so that one that waits
/// for its processor leaves the other to the rest.
constexpr std::int64_t kColumnsOfTask = 192, kRowsOfTask = 56;
/// The least rows of a part: with fewer, each element that is loaded from B is used too few times.
constexpr std::int64_t kLeastRows = 16;
/// The same where there are too few columns for all threads.
constexpr std::int64_t kLeastRowsOfFewColumns = 4;
/// Steps of k of which there are so few that C is most of the memory, and rows are whole runs of it.
constexpr std::int64_t kFewSteps = 4;

constexpr std::int64_t kColumns = 64, kDepth = 64, kRows = 4;
/// With this many rows or fewer, packing B does not pay off.
constexpr std::int64_t kFewRows = 16;

/// Adds k rows of kColumns of B, `step` apart, to rows [i, i + rows) and columns [0, n) of C.
template <class T>
void addRows(const BlockOf<T>& d, std::int64_t i, std::int64_t rows, std::int64_t n, std::int64_t k,
             const T* b, std::int64_t step, bool first) {
  T sums[kRows][kColumns] = {};
  for (std::int64_t p = 0; p < k; ++p, b += step)
    for (std::int64_t r = 0; r < rows; ++r) {
      const T x = d.a[(i + r) * d.aRow + p * d.aColumn];
      for (std::int64_t j = 0; j < kColumns; ++j) sums[r][j] += x * b[j];
    }
  for (std::int64_t r = 0; r < rows; ++r) {
    T* c = d.c + (i + r) * d.cRow;
    for (std::int64_t j = 0; j < n; ++j) {
      T x = d.alpha * sums[r][j];
      if (first && d.bias != nullptr) x += d.bias[j];
      c[j] = first && !d.accumulate ? x : c[j] + x;
    }
  }
}

/// Threads that share rows each read all of B. Threads that share columns take lines of C from each other
/// at every row: where one part ends within a line, and where the hardware prefetches beyond it. Whether
/// the first costs less; one row costs as much as to read `elements` of B.
bool readsCostLess(const contraction::MatMulSpec& s, std::int64_t elements) {
  return s.k * s.n < elements * s.m;
}
/// For a B that is packed during the run, and before it.
constexpr std::int64_t kReadsOfRow = 1000, kReadsOfRowKept = 2000;

/// Parts of each group, so that each thread has as much of them.
std::int64_t partsOfGroup(std::int64_t groups, std::int64_t threads) {
  constexpr std::int64_t kMany = 4;  // for each thread: one more or less is not much
  if (groups < threads) return (threads + groups - 1) / groups;
  return groups >= kMany * threads ? 1 : threads / std::gcd(groups, threads);
}

}  // namespace

Tasks::Tasks(const contraction::MatMulSpec& s, std::int64_t unit, unsigned wanted)
    : groups(s.groups), rowParts(1), columnParts(1), m(s.m), n(s.n), columnUnit(unit) {
  const double work = static_cast<double>(groups) * m * n * s.k;
  threads = work < kMultiplicationsOfAThread * wanted ? 1 : wanted;
  const std::int64_t parts = partsOfGroup(groups, threads);
  if (parts == 1) return;
  const std::int64_t units = (n + unit - 1) / unit;
  const bool sharesRows = m > n || readsCostLess(s, kReadsOfRow);
  if (s.k <= kFewSteps && m >= kLeastRows * parts)
    rowParts = m < kLeastRows * 2 * parts ? parts : 2 * parts;
  else if (sharesRows && m >= kLeastRows * parts)
    rowParts = m < kRowsOfTask * 2 * parts ? parts : 2 * parts;
  else if (units >= parts)
    columnParts = n < 2 * parts * kColumnsOfTask ? parts : 2 * parts;
  else
    rowParts = std::clamp<std::int64_t>(m / kLeastRowsOfFewColumns, 1, parts);
}

Tasks Tasks::square(const contraction::MatMulSpec& s, std::int64_t unit, unsigned wanted) {
  Tasks made(s, unit, wanted);
  made.rowParts = made.columnParts = 1;
  const std::int64_t parts = partsOfGroup(made.groups, made.threads);
  if (parts == 1) return made;
  const std::int64_t units = (made.n + unit - 1) / unit;
  // Elements that a thread reads of A and B, for each step; and half of C if threads share its rows,
  // since the steps around share rows.
  const auto read = [&](std::int64_t rows) {
    const std::int64_t columns = (parts + rows - 1) / rows;
    const std::int64_t crossing = columns > 1 ? s.m * s.n / 2 / std::max<std::int64_t>(s.k, 1) : 0;
    return (made.m + rows - 1) / rows + (units + columns - 1) / columns * unit + crossing;
  };
  for (std::int64_t rows = 2; rows <= parts && made.m >= rows * kLeastRows; ++rows)
    if (read(rows) <= read(made.rowParts)) made.rowParts = rows;
  // Two tasks for each thread, neighbours in columns: they read the same rows.
  const std::int64_t columns = (parts + made.rowParts - 1) / made.rowParts;
  made.columnParts = std::min(units, 2 * columns);
  return made;
}

Tasks Tasks::ofKept(const contraction::MatMulSpec& s, std::int64_t unit, unsigned wanted) {
  // Rows of each part: of so many, what threads read of B twice costs less than what they would write
  // and read of each other's rows in the steps around; with fewer, rows are shared where columns
  // would be unevenly, by this factor.
  constexpr std::int64_t kManyRows = 28, kLeastRowsOfPart = 8;
  constexpr double kMostWaste = 1.04;
  Tasks made(s, unit, wanted);
  const std::int64_t parts = partsOfGroup(made.groups, made.threads);
  if (parts == 1) return made;
  const std::int64_t units = (made.n + unit - 1) / unit;
  const double busiest = static_cast<double>((units + parts - 1) / parts * unit * parts);
  const bool isEven = busiest <= kMostWaste * static_cast<double>(made.n);
  const std::int64_t least = units < parts                                  ? kLeastRowsOfFewColumns
                             : isEven && !readsCostLess(s, kReadsOfRowKept) ? kManyRows
                                                                            : kLeastRowsOfPart;
  if (made.m < least * parts) return made;
  made.columnParts = 1;
  made.rowParts = made.m < 2 * parts * kRowsOfTask ? parts : 2 * parts;
  return made;
}

std::int64_t Tasks::mostColumns() const {
  const std::int64_t units = (n + columnUnit - 1) / columnUnit;
  return std::min(n, (units + columnParts - 1) / columnParts * columnUnit);
}

template <class T>
void portable(const BlockOf<T>& d) {
  T tile[kDepth][kColumns];
  for (std::int64_t j = 0; j < d.n; j += kColumns) {
    const std::int64_t n = std::min(kColumns, d.n - j);
    BlockOf<T> part = d;
    part.c += j;
    if (d.bias != nullptr) part.bias += j;
    for (std::int64_t k = 0; k == 0 || k < d.k; k += kDepth) {
      const std::int64_t depth = std::min(kDepth, d.k - k);
      const T* b = d.b + k * d.bRow + j * d.bColumn;
      const bool inPlace = d.m <= kFewRows && d.bColumn == 1 && n == kColumns;
      for (std::int64_t p = 0; !inPlace && p < depth; ++p)
        for (std::int64_t q = 0; q < kColumns; ++q)
          tile[p][q] = q < n ? b[p * d.bRow + q * d.bColumn] : T(0);
      part.a = d.a + k * d.aColumn;
      for (std::int64_t i = 0; i < d.m; i += kRows)
        addRows(part, i, std::min(kRows, d.m - i), n, depth, inPlace ? b : tile[0],
                inPlace ? d.bRow : kColumns, k == 0);
    }
  }
}

template void portable(const BlockOf<float>&);
template void portable(const BlockOf<double>&);
template void portable(const BlockOf<std::uint32_t>&);
template void portable(const BlockOf<std::uint64_t>&);

}  // namespace gemm
}  // namespace popir
