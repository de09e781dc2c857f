#include "kernels/movement/fill.hpp"

#include <popops/Fill.hpp>
#include <popops/Zero.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <cstring>
#include <limits>

#include "poplar/bulk_vertex.hpp"

namespace popops {
namespace {

using poplar::ComputeSet;
using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;
using poplar::Type;
using Bytes = std::array<unsigned char, 8>;

template <class To, class From>
Bytes bytesAs(From value) {
  To converted;
  if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool> && !std::is_integral_v<From>) {
    const auto v = static_cast<double>(value);
    using Limits = std::numeric_limits<To>;
    // The first number out of range. It is a power of two, so exact in double, while max() may not
    // be.
    const double beyond = 2.0 * static_cast<double>(Limits::max() / 2 + 1);
    converted = std::isnan(v)                            ? To(0)
                : v < static_cast<double>(Limits::min()) ? Limits::min()
                : v >= beyond                            ? Limits::max()
                                                         : static_cast<To>(v);
  } else if constexpr (std::is_same_v<To, bool>) {
    converted = value != From(0);
  } else {
    converted = static_cast<To>(value);
  }
  Bytes bytes{};
  std::memcpy(bytes.data(), &converted, sizeof converted);
  return bytes;
}

template <class From>
Bytes bytesAsBfloat16(From value) {
  const auto f = static_cast<float>(value);
  std::uint32_t u;
  std::memcpy(&u, &f, sizeof u);
  u = std::isnan(f) ? (u >> 16) | 0x40u : (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
  return bytesAs<std::uint16_t>(u);
}

template <class From>
Bytes bytesOf(const Type& type, From value) {
  using Kind = Type::Kind;
  switch (type.kind()) {
    case Kind::Bool: return bytesAs<bool>(value);
    case Kind::Char:
    case Kind::SignedChar: return bytesAs<std::int8_t>(value);
    case Kind::UnsignedChar: return bytesAs<std::uint8_t>(value);
    case Kind::Short: return bytesAs<std::int16_t>(value);
    case Kind::UnsignedShort: return bytesAs<std::uint16_t>(value);
    case Kind::Int: return bytesAs<std::int32_t>(value);
    case Kind::UnsignedInt: return bytesAs<std::uint32_t>(value);
    case Kind::Longlong: return bytesAs<std::int64_t>(value);
    case Kind::UnsignedLonglong: return bytesAs<std::uint64_t>(value);
    case Kind::Half: return bytesAs<popir::Half>(value);
    case Kind::Bfloat16: return bytesAsBfloat16(value);
    case Kind::Float: return bytesAs<float>(value);
    case Kind::Double: return bytesAs<double>(value);
    default:
      throw poputil::poplibs_error("popops::fill: a tensor of " + type.toString() +
                                   " elements cannot be filled with a number; fill another type, "
                                   "and cast");
  }
}

std::shared_ptr<const popir::Kernel> kernelOf(Bytes value) {
  return std::make_shared<popir::FillKernel>(value);
}

void fillRegions(Graph& graph, const Tensor& t, const std::vector<Interval>& regions, ComputeSet cs,
                 const Bytes& value) {
  const Tensor flat = t.flatten();
  for (const Interval& region : regions)
    popir::addBulkVertex(graph, cs, kernelOf(value), {{flat.slice(region), popir::Access::Write}},
                         "fill");
}

void fillMapping(Graph& graph, const Tensor& t, const std::vector<std::vector<Interval>>& mapping,
                 ComputeSet cs, const Bytes& value) {
  for (const auto& regions : mapping) fillRegions(graph, t, regions, cs, value);
}

}  // namespace

template <typename FillValueType>
void fill(Graph& graph, const Tensor& t, poplar::program::Sequence& prog, FillValueType fillValue,
          const poplar::DebugContext& debugContext) {
  popir::addBulkVertex(graph, prog, kernelOf(bytesOf(t.elementType(), fillValue)),
                       {{t, popir::Access::Write}}, {debugContext, "Fill"});
}

template <typename FillValueType>
void fill(Graph& graph, Tensor t, const std::vector<Interval>& tileRegions, unsigned,
          ComputeSet fillCS, FillValueType fillValue) {
  fillRegions(graph, t, tileRegions, fillCS, bytesOf(t.elementType(), fillValue));
}

template <typename FillValueType>
void fill(Graph& graph, const Tensor& t, unsigned, ComputeSet fillCS, FillValueType fillValue) {
  fillRegions(graph, t, {Interval(0, t.numElements())}, fillCS,
              bytesOf(t.elementType(), fillValue));
}

template <typename FillValueType>
void fill(Graph& graph, const Tensor& t, const std::vector<std::vector<Interval>>& mapping,
          ComputeSet fillCS, FillValueType fillValue) {
  fillMapping(graph, t, mapping, fillCS, bytesOf(t.elementType(), fillValue));
}

#define POPIR_FILL(T)                                                                           \
  template void fill<T>(Graph&, const Tensor&, poplar::program::Sequence&, T,                   \
                        const poplar::DebugContext&);                                           \
  template void fill<T>(Graph&, Tensor, const std::vector<Interval>&, unsigned, ComputeSet, T); \
  template void fill<T>(Graph&, const Tensor&, unsigned, ComputeSet, T);                        \
  template void fill<T>(Graph&, const Tensor&, const std::vector<std::vector<Interval>>&,       \
                        ComputeSet, T);
POPIR_FILL(bool)
POPIR_FILL(char)
POPIR_FILL(signed char)
POPIR_FILL(unsigned char)
POPIR_FILL(short)
POPIR_FILL(unsigned short)
POPIR_FILL(int)
POPIR_FILL(unsigned)
POPIR_FILL(long)
POPIR_FILL(unsigned long)
POPIR_FILL(long long)
POPIR_FILL(unsigned long long)
POPIR_FILL(popir::Half)
POPIR_FILL(float)
POPIR_FILL(double)
#undef POPIR_FILL

void zero(Graph& graph, const Tensor& t, poplar::program::Sequence& prog,
          const poplar::DebugContext& debugContext) {
  popir::addBulkVertex(graph, prog, kernelOf({}), {{t, popir::Access::Write}},
                       {debugContext, "Zero"});
}

void zero(Graph& graph, Tensor t, const std::vector<Interval>& tileRegions, unsigned,
          ComputeSet zeroCS) {
  fillRegions(graph, t, tileRegions, zeroCS, {});
}

void zero(Graph& graph, const Tensor& t, unsigned, ComputeSet zeroCS) {
  fillRegions(graph, t, {Interval(0, t.numElements())}, zeroCS, {});
}

void zero(Graph& graph, const Tensor& t, const std::vector<std::vector<Interval>>& mapping,
          ComputeSet zeroCS) {
  fillMapping(graph, t, mapping, zeroCS, {});
}

}  // namespace popops
