// What convolutions of rows of points read and write, for those that compute them as they lie in memory
// (planes.cpp, depthwise_rows.cpp).
#ifndef popir_kernels_contraction_rows_plan_hpp
#define popir_kernels_contraction_rows_plan_hpp

#include <array>
#include <cstdint>
#include <utility>

#include "kernels/contraction/contraction.hpp"

namespace popir {
namespace contraction {

inline std::int64_t dividedUp(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Channels of rows: elements from one image, channel and row to the next.
struct Side {
  std::int64_t image, channel, row;
};

/// A forward convolution of two field dimensions, missing ones of one element; a gradient of data as one
/// whose filters are turned around.
struct Plan {
  std::int64_t images, groups, outputs, inputs;  // channels of a group
  std::array<std::int64_t, 2> in, out, kernel, stride, dilation, pad;
  Side from, to;
  /// Of the weights: elements from one group, output, input, and tap to the next; the first.
  std::int64_t group, output, input, tap[2], first = 0;

  explicit Plan(const ConvSpec& s)
      : images(s.in.shape[0]),
        groups(s.groups),
        outputs(s.weights.shape[1]),
        inputs(s.weights.shape[2]),
        in{1, 1},
        out{1, 1},
        kernel{1, 1},
        stride{1, 1},
        dilation{1, 1},
        pad{0, 0},
        from(sideOf(s.in)),
        to(sideOf(s.out)),
        group(s.weights.strides[0]),
        output(s.weights.strides[1]),
        input(s.weights.strides[2]),
        tap{0, 0} {
    for (std::size_t d = 0; d < s.fieldDims(); ++d) {
      const std::size_t to2 = d + 2 - s.fieldDims();
      in[to2] = s.in.shape[d + 2];
      out[to2] = s.out.shape[d + 2];
      kernel[to2] = s.weights.shape[d + 3];
      stride[to2] = s.stride[d];
      dilation[to2] = s.dilation[d];
      pad[to2] = s.padLower[d];
      tap[to2] = s.weights.strides[d + 3];
    }
    if (s.pass == Pass::DataGradient) turn();
  }

  std::int64_t taps() const { return kernel[0] * kernel[1]; }
  std::int64_t steps() const { return inputs * taps(); }
  /// The points between the first and the last tap of a plane, and the phases that taps read.
  std::int64_t reach(std::size_t d) const { return (kernel[d] - 1) * dilation[d] / stride[d]; }
  std::int64_t phases(std::size_t d) const {
    return dilation[d] % stride[d] == 0 || kernel[d] == 1 ? 1 : stride[d];
  }

 private:
  static Side sideOf(const Layout& l) {
    const std::size_t last = l.shape.size() - 1;
    return {l.strides[0], l.strides[1], last == 2 ? 0 : l.strides[last - 1]};
  }
  void turn() {
    std::swap(outputs, inputs);
    std::swap(output, input);
    std::swap(in, out);
    std::swap(from, to);
    for (std::size_t d = 0; d < 2; ++d) {
      pad[d] = (kernel[d] - 1) * dilation[d] - pad[d];
      first += (kernel[d] - 1) * tap[d];
      tap[d] = -tap[d];
    }
  }
};

/// Plain, with points of a row one after another.
inline bool isOfRows(const Layout& l) {
  return l.type == poplar::FLOAT && l.channelBlock == Layout::kPlain &&
         (l.strides.back() == 1 || l.shape.back() == 1);
}

/// Whether a Plan can be made: forward, or towards data without strides, of one or two field dimensions,
/// FLOAT, of rows, and not empty. Post-ops are not looked at.
inline bool isForRows(const ConvSpec& s) {
  return s.pass != Pass::WeightsGradient && s.fieldDims() > 0 && s.fieldDims() <= 2 &&
         isOfRows(s.in) && isOfRows(s.out) && s.weights.type == poplar::FLOAT &&
         isAll(s.inDilation, 1) && s.in.elements() * s.out.elements() * s.weights.elements() != 0 &&
         (s.pass == Pass::Forward || isAll(s.stride, 1));
}

}  // namespace contraction
}  // namespace popir

#endif
