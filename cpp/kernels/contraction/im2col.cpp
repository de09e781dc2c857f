#include "kernels/contraction/im2col.hpp"

#include <numeric>
#include <type_traits>
#include <vector>

#include "kernels/contraction/columns.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace contraction {
namespace {

std::array<std::int64_t, 3> three(const std::vector<std::int64_t>& v, std::int64_t fill) {
  std::array<std::int64_t, 3> a = {fill, fill, fill};
  std::copy(v.begin(), v.end(), a.end() - static_cast<std::ptrdiff_t>(v.size()));
  return a;
}

std::array<std::int64_t, 3> fieldOf(const Layout& layout, std::size_t before) {
  return three({layout.shape.begin() + static_cast<std::ptrdiff_t>(before), layout.shape.end()}, 1);
}

std::int64_t product(const std::array<std::int64_t, 3>& a) { return a[0] * a[1] * a[2]; }

/// A point of a three-dimensional field, for iteration in row-major order.
struct Point {
  std::array<std::int64_t, 3> at;
  Point(std::int64_t i, const std::array<std::int64_t, 3>& field)
      : at{i / (field[1] * field[2]), i / field[2] % field[1], i % field[2]} {}
  void next(const std::array<std::int64_t, 3>& field) {
    if (++at[2] < field[2]) return;
    at[2] = 0;
    if (++at[1] < field[1]) return;
    at[1] = 0;
    ++at[0];
  }
  void nextLine(const std::array<std::int64_t, 3>& field) {
    at[2] = field[2] - 1;
    next(field);
  }
};

/// The input position that tap `t` reads for output position `y` in dimension d; -1 for padding and
/// dilation.
std::int64_t inputAt(const Geometry& g, int d, std::int64_t y, std::int64_t t) {
  const std::int64_t x = y * g.stride[d] + t * g.dilation[d] - g.padLower[d];
  if (x < 0 || x % g.inDilation[d] != 0) return -1;
  return x / g.inDilation[d] < g.in[d] ? x / g.inDilation[d] : -1;
}

std::int64_t ceilDivide(std::int64_t a, std::int64_t b) {
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

/// The input elements that one tap reads for a run of `length` output positions along the last
/// dimension. Positions [begin, end) are in range, and every `every`-th of them reads an element.
/// The first reads at offset `at`; each next one reads `step` elements further. `every` exceeds 1
/// for a dilated input: with inDilation 2 and stride 1 every second position falls on a zero.
struct Stretch {
  std::int64_t begin, end, every, at, step;

  Stretch(const Geometry& g, std::int64_t tap, std::int64_t first, std::int64_t length) {
    const std::int64_t dilation = g.inDilation[2], stride = g.stride[2];
    const std::int64_t x = first * stride + tap * g.dilation[2] - g.padLower[2];
    every = dilation / std::gcd(stride, dilation);
    step = every * stride / dilation * g.inPlaces.field[2];
    begin = std::max<std::int64_t>(ceilDivide(-x, stride), 0);
    const std::int64_t last = begin + every;
    while (begin < last && (x + begin * stride) % dilation != 0) ++begin;
    if (begin == last) begin = length;  // this tap reads no element
    begin = std::min(begin, length);
    end = std::clamp(ceilDivide(g.in[2] * dilation - x, stride), begin, length);
    at = begin < end ? (x + begin * stride) / dilation * g.inPlaces.field[2] : 0;
  }
};

/// Calls use(line, stretch, length, offset) for each line of output points among [first, first +
/// count). `line` is the start of the input line that tap (z, y, x) reads, or null in the padding.
template <class T, class Use>
void forEachLine(const Geometry& g, T* in, const std::array<std::int64_t, 3>& tap,
                 std::int64_t first, std::int64_t count, Use use) {
  const auto& field = g.inPlaces.field;
  std::int64_t offset = 0;
  for (Point p(first, g.out); offset < count; p.nextLine(g.out)) {
    const std::int64_t length = std::min(count - offset, g.out[2] - p.at[2]);
    const std::int64_t z = inputAt(g, 0, p.at[0], tap[0]), y = inputAt(g, 1, p.at[1], tap[1]);
    T* line = z < 0 || y < 0 ? nullptr : in + z * field[0] + y * field[1];
    use(line, Stretch(g, tap[2], p.at[2], length), length, offset);
    offset += length;
  }
}

/// Gathers one row of columns: `count` points from `first` on, for the channel at `in` and tap (z,
/// y, x).
template <class T>
void gatherRow(const Geometry& g, const T* in, const std::array<std::int64_t, 3>& tap,
               std::int64_t first, std::int64_t count, T* row) {
  forEachLine(g, in, tap, first, count,
              [row](const T* line, const Stretch& s, std::int64_t length, std::int64_t offset) {
                T* to = row + offset;
                std::fill_n(to, length, T(0));
                if (line == nullptr) return;
                const T* from = line + s.at;
                for (std::int64_t i = s.begin; i < s.end; i += s.every, from += s.step)
                  to[i] = *from;
              });
}

/// Columns of an input without dilation, whose lines are gathered without a division for each.
class Lines {
 public:
  Lines(const Geometry& g, std::int64_t first, std::int64_t count)
      : g_(g),
        lines_(static_cast<std::size_t>(count / std::max<std::int64_t>(g.out[2], 1) + 2)),
        bounds_(static_cast<std::size_t>(g.kernel[2])) {
    std::int64_t offset = 0;
    for (Point p(first, g.out); offset < count; p.nextLine(g.out)) {
      const std::int64_t length = std::min(count - offset, g.out[2] - p.at[2]);
      lines_[lineCount_++] = {offset, length, p.at};
      offset += length;
    }
    for (std::int64_t t = 0; t < g.kernel[2]; ++t) {
      const std::int64_t before = g.padLower[2] - t * g.dilation[2];
      bounds_[static_cast<std::size_t>(t)] = {ceilDivide(before, g.stride[2]),
                                              ceilDivide(g.in[2] + before, g.stride[2])};
    }
  }

  /// Whether rows of this input are gathered by whole vectors: it has floats side by side, and enough
  /// channels to be worth what writeVectors() finds out for all.
  template <class T>
  bool areOfVectors(std::int64_t channels) const {
    constexpr std::int64_t kLongestStep = 1 << 16;
    return std::is_same_v<T, float> && isa() == Isa::Avx512 && g_.inPlaces.field[2] == 1 &&
           g_.stride[2] < kLongestStep && channels >= kChannelsOfVectors;
  }

  /// The vectors of a row.
  std::size_t vectorsOfARow() const {
    std::size_t count = 0;
    for (std::size_t l = 0; l < lineCount_; ++l)
      count += static_cast<std::size_t>((lines_[l].length + kColumnVector - 1) / kColumnVector);
    return count;
  }
  /// Writes those of each tap.
  void writeVectors(ColumnVector* to) const {
    Point tap(0, g_.kernel);
    for (std::int64_t t = 0; t < g_.taps; ++t, tap.next(g_.kernel))
      for (std::size_t l = 0; l < lineCount_; ++l)
        for (std::int64_t i = 0; i < lines_[l].length; i += kColumnVector)
          *to++ = vector(lines_[l], tap.at, i);
  }

  /// One row, as gatherRow().
  template <class T>
  void gather(const T* in, const std::array<std::int64_t, 3>& tap, T* row) const {
    const auto& field = g_.inPlaces.field;
    const std::int64_t step = g_.stride[2] * field[2];
    const auto [low, high] = bounds_[static_cast<std::size_t>(tap[2])];
    for (std::size_t l = 0; l < lineCount_; ++l) {
      const Line& line = lines_[l];
      T* const to = row + line.offset;
      const std::int64_t z = at(0, line, tap), y = at(1, line, tap);
      const bool isInside = z >= 0 && z < g_.in[0] && y >= 0 && y < g_.in[1];
      const std::int64_t begin = isInside ? std::clamp(low - line.at[2], kNone, line.length)
                                          : line.length,
                         end = std::clamp(high - line.at[2], begin, line.length);
      std::fill(to, to + begin, T(0));
      std::fill(to + end, to + line.length, T(0));
      if (begin == end) continue;
      const T* const from =
          in + z * field[0] + y * field[1] +
          ((line.at[2] + begin) * g_.stride[2] + tap[2] * g_.dilation[2] - g_.padLower[2]) *
              field[2];
      copy(from, step, end - begin, to + begin);
    }
  }

 private:
  static constexpr std::int64_t kNone = 0;
  struct Line {
    std::int64_t offset, length;
    std::array<std::int64_t, 3> at;  // its first point
  };

  /// Points [i, i + kColumnVector) of a line.
  ColumnVector vector(const Line& line, const std::array<std::int64_t, 3>& tap,
                      std::int64_t i) const {
    const auto& field = g_.inPlaces.field;
    const std::int64_t z = at(0, line, tap), y = at(1, line, tap), step = g_.stride[2],
                       x = (line.at[2] + i) * step + tap[2] * g_.dilation[2] - g_.padLower[2];
    ColumnVector v{0, static_cast<std::int32_t>(line.offset + i), 0};
    if (z < 0 || z >= g_.in[0] || y < 0 || y >= g_.in[1]) return v;
    v.from = z * field[0] + y * field[1] + x;
    for (std::int64_t lane = 0; lane < std::min(kColumnVector, line.length - i); ++lane)
      if (x + lane * step >= 0 && x + lane * step < g_.in[2])
        v.taken |= 1u << (step <= 2 ? lane * step : lane);
    return v;
  }

  std::int64_t at(std::size_t d, const Line& line, const std::array<std::int64_t, 3>& tap) const {
    return line.at[d] * g_.stride[d] + tap[d] * g_.dilation[d] - g_.padLower[d];
  }
  template <class T>
  static void copy(const T* from, std::int64_t step, std::int64_t count, T* to) {
    if (step == 1)
      std::copy_n(from, count, to);
    else if (step == 2)  // of a constant step the compiler makes vectors
      for (std::int64_t i = 0; i < count; ++i) to[i] = from[2 * i];
    else
      for (std::int64_t i = 0; i < count; ++i) to[i] = from[i * step];
  }

  const Geometry& g_;
  pool::OwnArray<Line> lines_;  // the first lineCount_
  std::size_t lineCount_ = 0;
  pool::OwnArray<std::array<std::int64_t, 2>> bounds_;  // by the last tap: the points that it reads
};

/// The same of any input.
struct DilatedLines {
  const Geometry& g;
  std::int64_t first, count;

  template <class T>
  void gather(const T* in, const std::array<std::int64_t, 3>& tap, T* row) const {
    gatherRow(g, in, tap, first, count, row);
  }
};

/// As gatherColumns(), each row by `lines`.
template <class T, class Gather>
void gatherEach(const Geometry& g, const T* in, std::int64_t image, std::int64_t group,
                std::int64_t channel, std::int64_t channels, T* columns, std::int64_t row,
                const Gather& lines) {
  for (std::int64_t c = channel; c < channel + channels; ++c) {
    const T* from = in + g.inPlaces.of(image, group * g.inChannels + c);
    Point tap(0, g.kernel);
    for (std::int64_t t = 0; t < g.taps; ++t, tap.next(g.kernel), columns += row)
      lines.gather(from, tap.at, columns);
  }
}

/// The same by whole vectors.
template <class T>
void gatherVectors(const Geometry& g, const T* in, std::int64_t image, std::int64_t group,
                   std::int64_t channel, std::int64_t channels, T* columns, std::int64_t row,
                   const Lines& lines) {
  if constexpr (std::is_same_v<T, float>) {
    const std::size_t each = lines.vectorsOfARow();
    const pool::OwnArray<ColumnVector> vectors(each * static_cast<std::size_t>(g.taps));
    lines.writeVectors(vectors.begin());
    for (std::int64_t c = channel; c < channel + channels; ++c) {
      const T* from = in + g.inPlaces.of(image, group * g.inChannels + c);
      const ColumnVector* of = vectors.begin();
      for (std::int64_t t = 0; t < g.taps; ++t, of += each, columns += row)
        avx512::gatherVectors(from, of, each, g.stride[2], columns);
    }
  }
}

/// The inverse of gatherRow(): adds the elements of `row` to the channel at `in`.
template <class T>
void addRow(const Geometry& g, const T* row, const std::array<std::int64_t, 3>& tap,
            std::int64_t first, std::int64_t count, T* in) {
  forEachLine(g, in, tap, first, count,
              [row](T* line, const Stretch& s, std::int64_t, std::int64_t offset) {
                if (line == nullptr) return;
                T* to = line + s.at;
                const T* from = row + offset;
                for (std::int64_t i = s.begin; i < s.end; i += s.every, to += s.step)
                  *to += from[i];
              });
}

}  // namespace

Places::Places(const Layout& l) : field{} {
  const std::size_t dims = l.shape.size() - 2;
  const std::int64_t channels = l.shape[1];
  block = 1;
  if (l.channelBlock == Layout::kPlain) {
    image = l.strides[0];
    channelBlock = l.strides[1];
    channel = 0;
    std::copy(l.strides.begin() + 2, l.strides.end(),
              field.end() - static_cast<std::ptrdiff_t>(dims));
    return;
  }
  block = l.channelBlock == Layout::kChannelsLast ? channels : l.channelBlock;
  channel = 1;
  std::int64_t step = block;
  for (std::size_t d = dims; d-- > 0;) {
    field[3 - dims + d] = step;
    step *= l.shape[2 + d];
  }
  channelBlock = step;
  image = step * (channels / block);
}

Geometry::Geometry(const ConvSpec& s)
    : images(s.in.shape[0]),
      groups(s.groups),
      outChannels(s.weights.shape[1]),
      inChannels(s.weights.shape[2]),
      in(fieldOf(s.in, 2)),
      kernel(fieldOf(s.weights, 3)),
      out(fieldOf(s.out, 2)),
      stride(three(s.stride, 1)),
      dilation(three(s.dilation, 1)),
      inDilation(three(s.inDilation, 1)),
      padLower(three(s.padLower, 0)),
      inPlaces(s.in),
      outPlaces(s.out),
      weights{s.weights.strides[0], s.weights.strides[1], s.weights.strides[2], 0, 0, 0} {
  std::copy(s.weights.strides.begin() + 3, s.weights.strides.end(),
            weights.end() - static_cast<std::ptrdiff_t>(s.fieldDims()));
  taps = product(kernel);
  points = product(out);
}

template <class T>
void gatherColumns(const Geometry& g, const T* in, std::int64_t image, std::int64_t group,
                   std::int64_t channel, std::int64_t channels, std::int64_t first,
                   std::int64_t count, T* columns, std::int64_t row) {
  if (g.inDilation != std::array<std::int64_t, 3>{1, 1, 1})
    return gatherEach(g, in, image, group, channel, channels, columns, row,
                      DilatedLines{g, first, count});
  const Lines lines(g, first, count);
  if (lines.areOfVectors<T>(channels))
    gatherVectors(g, in, image, group, channel, channels, columns, row, lines);
  else
    gatherEach(g, in, image, group, channel, channels, columns, row, lines);
}

template <class T>
void addColumns(const Geometry& g, const T* columns, std::int64_t row, std::int64_t image,
                std::int64_t group, std::int64_t channel, std::int64_t channels, std::int64_t first,
                std::int64_t count, T* in) {
  for (std::int64_t c = channel; c < channel + channels; ++c) {
    T* to = in + g.inPlaces.of(image, group * g.inChannels + c);
    Point tap(0, g.kernel);
    for (std::int64_t t = 0; t < g.taps; ++t, tap.next(g.kernel), columns += row)
      addRow(g, columns, tap.at, first, count, to);
  }
}

template <class T>
void clearChannels(const Geometry& g, std::int64_t image, std::int64_t group, std::int64_t channel,
                   std::int64_t channels, T* in) {
  const auto& field = g.inPlaces.field;
  for (std::int64_t c = channel; c < channel + channels; ++c) {
    T* to = in + g.inPlaces.of(image, group * g.inChannels + c);
    for (std::int64_t z = 0; z < g.in[0]; ++z)
      for (std::int64_t y = 0; y < g.in[1]; ++y)
        for (std::int64_t x = 0; x < g.in[2]; ++x)
          to[z * field[0] + y * field[1] + x * field[2]] = T(0);
  }
}

template <class T>
void gatherPoints(const Geometry& g, const T* out, std::int64_t image, std::int64_t group,
                  std::int64_t first, std::int64_t count, T* to, std::int64_t row) {
  const auto& field = g.outPlaces.field;
  for (std::int64_t o = 0; o < g.outChannels; ++o, to += row) {
    const T* from = out + g.outPlaces.of(image, group * g.outChannels + o);
    Point p(first, g.out);
    for (std::int64_t i = 0; i < count; p.nextLine(g.out)) {
      const T* line = from + p.at[0] * field[0] + p.at[1] * field[1];
      for (std::int64_t x = p.at[2]; x < g.out[2] && i < count; ++x) to[i++] = line[x * field[2]];
    }
  }
}

template <class T>
void scatterPoints(const Geometry& g, const T* from, std::int64_t row, std::int64_t image,
                   std::int64_t group, std::int64_t first, std::int64_t count, const T* bias,
                   T* out) {
  const auto& field = g.outPlaces.field;
  for (std::int64_t o = 0; o < g.outChannels; ++o, from += row) {
    T* to = out + g.outPlaces.of(image, group * g.outChannels + o);
    const T offset = bias == nullptr ? T(0) : bias[o];
    Point p(first, g.out);
    for (std::int64_t i = 0; i < count; p.nextLine(g.out)) {
      T* line = to + p.at[0] * field[0] + p.at[1] * field[1];
      for (std::int64_t x = p.at[2]; x < g.out[2] && i < count; ++x)
        line[x * field[2]] = from[i++] + offset;
    }
  }
}

template <class T>
void packWeights(const Geometry& g, const T* weights, T* packed) {
  T differences = 0;  // of each weight from itself: NaN if it is not finite
  for (std::int64_t q = 0; q < g.groups; ++q)
    for (std::int64_t o = 0; o < g.outChannels; ++o)
      for (std::int64_t c = 0; c < g.inChannels; ++c) {
        const T* from = weights + q * g.weights[0] + o * g.weights[1] + c * g.weights[2];
        Point tap(0, g.kernel);
        for (std::int64_t t = 0; t < g.taps; ++t, tap.next(g.kernel)) {
          packed[t] =
              from[tap.at[0] * g.weights[3] + tap.at[1] * g.weights[4] + tap.at[2] * g.weights[5]];
          differences += packed[t] - packed[t];
        }
        packed += g.taps;
      }
  *packed = differences;
}

template <class T>
void sumTaps(const Geometry& g, const T* in, const T* packed, std::int64_t image,
             std::int64_t group, std::int64_t first, std::int64_t count, const T* bias, T* out) {
  const auto &from = g.inPlaces.field, &to = g.outPlaces.field;
  packed += group * g.outChannels * g.inChannels * g.taps;
  for (std::int64_t o = 0; o < g.outChannels; ++o, packed += g.inChannels * g.taps) {
    T* const channel = out + g.outPlaces.of(image, group * g.outChannels + o);
    Point p(first, g.out);
    for (std::int64_t i = 0; i < count; ++i, p.next(g.out)) {
      T sum = 0;
      Point tap(0, g.kernel);
      for (std::int64_t t = 0; t < g.taps; ++t, tap.next(g.kernel)) {
        const std::int64_t z = inputAt(g, 0, p.at[0], tap.at[0]);
        const std::int64_t y = inputAt(g, 1, p.at[1], tap.at[1]);
        const std::int64_t x = inputAt(g, 2, p.at[2], tap.at[2]);
        if (z < 0 || y < 0 || x < 0) continue;
        const T* const at = in + z * from[0] + y * from[1] + x * from[2];
        for (std::int64_t c = 0; c < g.inChannels; ++c)
          sum += packed[c * g.taps + t] * at[g.inPlaces.of(image, group * g.inChannels + c)];
      }
      channel[p.at[0] * to[0] + p.at[1] * to[1] + p.at[2] * to[2]] =
          sum + (bias == nullptr ? T(0) : bias[o]);
    }
  }
}

#define POPIR_INSTANTIATE(T)                                                                       \
  template void gatherColumns(const Geometry&, const T*, std::int64_t, std::int64_t, std::int64_t, \
                              std::int64_t, std::int64_t, std::int64_t, T*, std::int64_t);         \
  template void addColumns(const Geometry&, const T*, std::int64_t, std::int64_t, std::int64_t,    \
                           std::int64_t, std::int64_t, std::int64_t, std::int64_t, T*);            \
  template void clearChannels(const Geometry&, std::int64_t, std::int64_t, std::int64_t,           \
                              std::int64_t, T*);                                                   \
  template void gatherPoints(const Geometry&, const T*, std::int64_t, std::int64_t, std::int64_t,  \
                             std::int64_t, T*, std::int64_t);                                      \
  template void scatterPoints(const Geometry&, const T*, std::int64_t, std::int64_t, std::int64_t, \
                              std::int64_t, std::int64_t, const T*, T*);                           \
  template void sumTaps(const Geometry&, const T*, const T*, std::int64_t, std::int64_t,           \
                        std::int64_t, std::int64_t, const T*, T*);                                 \
  template void packWeights(const Geometry&, const T*, T*);
POPIR_INSTANTIATE(float)
POPIR_INSTANTIATE(double)
#undef POPIR_INSTANTIATE

}  // namespace contraction
}  // namespace popir
