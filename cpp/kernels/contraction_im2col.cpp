#include "kernels/contraction_im2col.hpp"

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

/// A point of a field of three dimensions, walked in order.
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

/// The input position that meets tap `t` at output position `y` of dimension d, or -1.
std::int64_t inputAt(const Geometry& g, int d, std::int64_t y, std::int64_t t) {
  const std::int64_t x = y * g.stride[d] + t * g.dilation[d] - g.padLower[d];
  if (x < 0 || x % g.inDilation[d] != 0) return -1;
  return x / g.inDilation[d] < g.in[d] ? x / g.inDilation[d] : -1;
}

std::int64_t ceilDivide(std::int64_t a, std::int64_t b) {
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

/// `length` output positions of the last dimension, from `first` on, of one line of the input.
template <class T>
void gatherLine(const Geometry& g, const T* line, std::int64_t tap, std::int64_t first,
                std::int64_t length, T* to) {
  const std::int64_t step = g.inPlaces.field[2];
  if (g.inDilation[2] != 1) {
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t x = inputAt(g, 2, first + i, tap);
      to[i] = x < 0 ? T(0) : line[x * step];
    }
    return;
  }
  const std::int64_t stride = g.stride[2];
  const std::int64_t x = first * stride + tap * g.dilation[2] - g.padLower[2];
  const std::int64_t begin = std::clamp<std::int64_t>(ceilDivide(-x, stride), 0, length);
  const std::int64_t end = std::clamp(ceilDivide(g.in[2] - x, stride), begin, length);
  std::fill_n(to, begin, T(0));
  const T* from = line + x * step;
  if (stride * step == 1)
    std::copy(from + begin, from + end, to + begin);
  else
    for (std::int64_t i = begin; i < end; ++i) to[i] = from[i * stride * step];
  std::fill(to + end, to + length, T(0));
}

/// One row of columns: channel at `in`, tap (z, y, x), `count` points from `first` on.
template <class T>
void gatherRow(const Geometry& g, const T* in, const std::array<std::int64_t, 3>& tap,
               std::int64_t first, std::int64_t count, T* row) {
  const auto& field = g.inPlaces.field;
  for (Point p(first, g.out); count > 0; p.nextLine(g.out)) {
    const std::int64_t length = std::min(count, g.out[2] - p.at[2]);
    const std::int64_t z = inputAt(g, 0, p.at[0], tap[0]), y = inputAt(g, 1, p.at[1], tap[1]);
    if (z < 0 || y < 0)
      std::fill_n(row, length, T(0));
    else
      gatherLine(g, in + z * field[0] + y * field[1], tap[2], p.at[2], length, row);
    row += length;
    count -= length;
  }
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
      turned(s.pass == Pass::DataGradient),
      inPlaces(s.in),
      outPlaces(s.out),
      weights{s.weights.strides[0], s.weights.strides[1], s.weights.strides[2], 0, 0, 0} {
  std::copy(s.weights.strides.begin() + 3, s.weights.strides.end(),
            weights.end() - static_cast<std::ptrdiff_t>(s.fieldDims()));
  taps = product(kernel);
  if (turned) {
    std::swap(in, out);
    std::swap(inPlaces, outPlaces);
    std::swap(inChannels, outChannels);
    std::swap(stride, inDilation);
    std::swap(weights[1], weights[2]);
    for (int d = 0; d < 3; ++d) padLower[d] = (kernel[d] - 1) * dilation[d] - padLower[d];
  }
  points = product(out);
}

template <class T>
void gatherColumns(const Geometry& g, const T* in, std::int64_t image, std::int64_t group,
                   std::int64_t channel, std::int64_t channels, std::int64_t first,
                   std::int64_t count, T* columns, std::int64_t row) {
  for (std::int64_t c = channel; c < channel + channels; ++c) {
    const T* from = in + g.inPlaces.of(image, group * g.inChannels + c);
    Point tap(0, g.kernel);
    for (std::int64_t t = 0; t < g.taps; ++t, tap.next(g.kernel), columns += row)
      gatherRow(g, from, tap.at, first, count, columns);
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
  for (std::int64_t q = 0; q < g.groups; ++q)
    for (std::int64_t o = 0; o < g.outChannels; ++o)
      for (std::int64_t c = 0; c < g.inChannels; ++c) {
        const T* from = weights + q * g.weights[0] + o * g.weights[1] + c * g.weights[2];
        Point tap(0, g.kernel);
        for (std::int64_t t = 0; t < g.taps; ++t, tap.next(g.kernel))
          packed[g.turned ? g.taps - 1 - t : t] =
              from[tap.at[0] * g.weights[3] + tap.at[1] * g.weights[4] + tap.at[2] * g.weights[5]];
        packed += g.taps;
      }
}

#define POPIR_INSTANTIATE(T)                                                                       \
  template void gatherColumns(const Geometry&, const T*, std::int64_t, std::int64_t, std::int64_t, \
                              std::int64_t, std::int64_t, std::int64_t, T*, std::int64_t);         \
  template void gatherPoints(const Geometry&, const T*, std::int64_t, std::int64_t, std::int64_t,  \
                             std::int64_t, T*, std::int64_t);                                      \
  template void scatterPoints(const Geometry&, const T*, std::int64_t, std::int64_t, std::int64_t, \
                              std::int64_t, std::int64_t, const T*, T*);                           \
  template void packWeights(const Geometry&, const T*, T*);
POPIR_INSTANTIATE(float)
POPIR_INSTANTIATE(double)
#undef POPIR_INSTANTIATE

}  // namespace contraction
}  // namespace popir
