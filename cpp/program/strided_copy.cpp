#include "program/strided_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kernels/movement/tiles.hpp"
#include "kernels/parallel.hpp"

namespace popir {
namespace {

// Above this many bytes a copy is shared among the threads.
constexpr std::size_t kParallelBytes = 256 * 1024;
constexpr int kPartsOfThread = 8;
// A pair of loops that transposes works on square blocks of this many rows and columns.
constexpr std::int64_t kTile = 64;

struct Loop {
  std::int64_t n, from, to;
};

/// n times x. By blocks of it, since longer stores are faster than those of elements.
template <class T>
void fillRow(T* dst, std::int64_t n, T x) {
  constexpr std::int64_t kBlock = 1024 / sizeof(T);
  std::fill(dst, dst + std::min(n, kBlock), x);
  for (std::int64_t i = kBlock; i < n; i += kBlock)
    std::memcpy(dst + i, dst, static_cast<std::size_t>(std::min(n - i, kBlock)) * sizeof(T));
}

template <class T>
void copyRow(const T* src, T* dst, const Loop& d) {
  if (d.from == 1 && d.to == 1) {
    std::memcpy(dst, src, static_cast<std::size_t>(d.n) * sizeof(T));
  } else if (d.from == 0 && d.to == 1) {
    fillRow(dst, d.n, *src);
  } else if (d.from == 2 && d.to == 1) {  // known to the compiler, which has vectors for it
    const T* __restrict__ from = src;
    T* __restrict__ to = dst;
    for (std::int64_t i = 0; i < d.n; ++i) to[i] = from[2 * i];
  } else {
    for (std::int64_t i = 0; i < d.n; ++i) dst[i * d.to] = src[i * d.from];
  }
}

template <class T>
void copyTransposed(const T* src, T* dst, const Loop& a, const Loop& b) {
  const TransposeMatrix transpose = transposeMatrix(sizeof(T));
  for (std::int64_t i = 0; i < a.n; i += kTile)
    for (std::int64_t j = 0; j < b.n; j += kTile) {
      const auto iEnd = std::min(i + kTile, a.n), jEnd = std::min(j + kTile, b.n);
      if (a.from == 1 && b.to == 1) {
        constexpr std::int64_t kBytes = sizeof(T);
        transpose(reinterpret_cast<const char*>(src + i + j * b.from), b.from * kBytes,
                  reinterpret_cast<char*>(dst + i * a.to + j), a.to * kBytes, iEnd - i, jEnd - j);
        continue;
      }
      for (auto k = i; k < iEnd; ++k)
        for (auto l = j; l < jEnd; ++l) dst[k * a.to + l * b.to] = src[k * a.from + l * b.from];
    }
}

/// A loop of `rows` iterations inside the long loop `b`, such as the colours of a picture that are
/// brought side by side.
template <int rows, class T>
void copyFew(const T* src, T* dst, const Loop& a, const Loop& b) {
  if (b.from == 1 && b.to == rows && a.to == 1) {  // strides that the compiler has vectors for
    const T* __restrict__ from = src;
    T* __restrict__ to = dst;
    for (std::int64_t i = 0; i < b.n; ++i)
      for (int k = 0; k < rows; ++k) to[i * rows + k] = from[k * a.from + i];
    return;
  }
  for (std::int64_t i = 0; i < b.n; ++i)
    for (int k = 0; k < rows; ++k) dst[k * a.to + i * b.to] = src[k * a.from + i * b.from];
}

/// Runs of `n` neighbours, `known` bytes each, or 0 if only the run knows.
template <std::size_t known, class T>
void copyRuns(const T* src, T* dst, const Loop& d, std::int64_t n) {
  const std::size_t bytes = known > 0 ? known : static_cast<std::size_t>(n) * sizeof(T);
  for (std::int64_t i = 0; i < d.n; ++i) std::memcpy(dst + i * d.to, src + i * d.from, bytes);
}

/// Whether the loops write a block of memory without gaps, of loops[0].to elements for each iteration
/// of the first.
bool isBlock(const Loop* loops, std::size_t n) {
  for (std::size_t k = 0; k + 1 < n; ++k)
    if (loops[k].to != loops[k + 1].to * loops[k + 1].n) return false;
  return loops[n - 1].to == 1;
}

template <class T>
void copyNest(const T* src, T* dst, const Loop* loops, std::size_t n) {
  if (n == 0) {
    *dst = *src;
  } else if (n == 1) {
    copyRow(src, dst, loops[0]);
  } else if (n == 2 && loops[0].n >= 4 && loops[1].n >= 4 && std::abs(loops[1].from) > 1 &&
             std::abs(loops[0].from) < std::abs(loops[1].from)) {
    copyTransposed(src, dst, loops[0], loops[1]);
  } else if (n == 2 && (loops[1].n == 2 || loops[1].n == 3) && loops[1].to == 1) {
    (loops[1].n == 2 ? copyFew<2, T> : copyFew<3, T>)(src, dst, loops[1], loops[0]);
  } else if (n == 2 && loops[1].from == 1 && loops[1].to == 1) {
    switch (static_cast<std::size_t>(loops[1].n) * sizeof(T)) {
      case 32: return copyRuns<32>(src, dst, loops[0], loops[1].n);
      case 64: return copyRuns<64>(src, dst, loops[0], loops[1].n);
      case 128: return copyRuns<128>(src, dst, loops[0], loops[1].n);
      default: return copyRuns<0>(src, dst, loops[0], loops[1].n);
    }
  } else if (loops[0].from == 0 && isBlock(loops, n)) {
    // What is repeated is copied from where it was written first.
    copyNest(src, dst, loops + 1, n - 1);
    const auto bytes = static_cast<std::size_t>(loops[0].to) * sizeof(T);
    for (std::int64_t i = 1; i < loops[0].n; ++i) std::memcpy(dst + i * loops[0].to, dst, bytes);
  } else {
    for (std::int64_t i = 0; i < loops[0].n; ++i)
      copyNest(src + i * loops[0].from, dst + i * loops[0].to, loops + 1, n - 1);
  }
}

struct Plan {
  unsigned src, dst;
  std::int64_t from, to;
  std::vector<Loop> loops;
  std::int64_t elements;
};

template <class T>
class StridedCopy : public Runner {
 public:
  StridedCopy(std::vector<Plan> plans, unsigned threads)
      : plans_(std::move(plans)), threads_(static_cast<int>(threads)) {}

  void run(void* const* operands, void*) const override {
    for (const auto& p : plans_) {
      const auto* src = static_cast<const T*>(operands[p.src]) + p.from;
      auto* dst = static_cast<T*>(operands[p.dst]) + p.to;
      if (threads_ > 1 && !p.loops.empty() &&
          static_cast<std::size_t>(p.elements) * sizeof(T) >= kParallelBytes)
        shared(src, dst, p);
      else
        copyNest(src, dst, p.loops.data(), p.loops.size());
    }
  }

 private:
  /// Threads share what is written in the order in which it lies, as they do the steps around: a
  /// thread copies what it has in its cache. The outermost loops are shared, as many as have enough
  /// iterations together, the last of them in pieces (or the one after it: see below).
  void shared(const T* src, T* dst, const Plan& p) const {
    const std::int64_t parts = std::int64_t{kPartsOfThread} * threads_;
    std::size_t last = 0;
    std::int64_t outer = 1;  // iterations of the loops before the last
    const auto transposes = [&](std::size_t k) {
      return k + 2 == p.loops.size() && p.loops[k].from < p.loops[k + 1].from;
    };
    while (last + 1 < p.loops.size() && !transposes(last) && outer * p.loops[last].n < parts)
      outer *= p.loops[last++].n;
    // A matrix that is transposed is cut along what is read, if it has too few rows for whole lines of
    // what each part reads.
    constexpr std::int64_t kLine = 64 / sizeof(T);
    const bool hasFewRows = transposes(last) && p.loops[last].n < parts * kLine;
    const std::size_t cut = hasFewRows ? last + 1 : last;
    const std::int64_t n = p.loops[cut].n;
    const std::int64_t pieces = std::min(n, (parts + outer - 1) / outer), tasks = outer * pieces;
    parallelParts(tasks, (tasks + parts - 1) / parts, static_cast<unsigned>(threads_),
                  [&](std::int64_t first, std::int64_t end, unsigned) {
                    while (first < end) {
                      const std::int64_t at = first / pieces, piece = first % pieces;
                      const std::int64_t count = std::min(pieces - piece, end - first);
                      copyPieces(src, dst, p, last, cut, at, n * piece / pieces,
                                 n * (piece + count) / pieces);
                      first += count;
                    }
                  });
  }

  /// Iteration `at` of the loops before `last`, and [begin, end) of the loop `cut`.
  static void copyPieces(const T* src, T* dst, const Plan& p, std::size_t last, std::size_t cut,
                         std::int64_t at, std::int64_t begin, std::int64_t end) {
    for (std::size_t k = last; k-- > 0; at /= p.loops[k].n) {
      const std::int64_t i = at % p.loops[k].n;
      src += i * p.loops[k].from;
      dst += i * p.loops[k].to;
    }
    const std::size_t count = p.loops.size() - last;
    const pool::OwnArray<Loop> inner(count);
    std::copy_n(p.loops.begin() + static_cast<std::ptrdiff_t>(last), count, inner.begin());
    Loop& part = inner[cut - last];
    part.n = end - begin;
    copyNest(src + begin * part.from, dst + begin * part.to, inner.begin(), count);
  }

  std::vector<Plan> plans_;
  int threads_;
};

}  // namespace

std::unique_ptr<Runner> makeStridedCopy(std::vector<Move> moves, std::size_t elementBytes,
                                        unsigned threads) {
  std::vector<Plan> plans;
  for (auto& m : moves) {
    const auto elements = m.nest.elements();
    if (elements == 0) continue;
    // Order loops by descending write stride, so that writes are as sequential as possible.
    std::stable_sort(
        m.nest.dims.begin(), m.nest.dims.end(),
        [](const NestDim& a, const NestDim& b) { return std::abs(a.to) > std::abs(b.to); });
    m.nest.coalesce();
    Plan p{m.src, m.dst, m.nest.from, m.nest.to, {}, elements};
    for (const auto& d : m.nest.dims) p.loops.push_back({d.n, d.from, d.to});
    plans.push_back(std::move(p));
  }
  switch (elementBytes) {
    case 1: return std::make_unique<StridedCopy<std::uint8_t>>(std::move(plans), threads);
    case 2: return std::make_unique<StridedCopy<std::uint16_t>>(std::move(plans), threads);
    case 4: return std::make_unique<StridedCopy<std::uint32_t>>(std::move(plans), threads);
    default: return std::make_unique<StridedCopy<std::uint64_t>>(std::move(plans), threads);
  }
}

}  // namespace popir
