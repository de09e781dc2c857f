// Conversion of host values to the types of constants.
#include <poplar/exceptions.hpp>

#include <cstring>

#include "poplar/graph_impl.hpp"

namespace popir {
namespace {

struct Bfloat16 {
  std::uint16_t bits = 0;
  Bfloat16() = default;
  explicit Bfloat16(double v) {
    const auto f = static_cast<float>(v);
    std::uint32_t u;
    std::memcpy(&u, &f, 4);
    const bool nan = (u & 0x7fffffffu) > 0x7f800000u;
    bits = nan ? 0x7fc0 : static_cast<std::uint16_t>((u + 0x7fff + ((u >> 16) & 1)) >> 16);
  }
  explicit operator double() const {
    const std::uint32_t u = static_cast<std::uint32_t>(bits) << 16;
    float f;
    std::memcpy(&f, &u, 4);
    return f;
  }
};

template <class From, class To>
void convertAs(const void* src, void* dst, std::size_t n) {
  const auto* in = static_cast<const unsigned char*>(src);
  auto* out = static_cast<unsigned char*>(dst);
  for (std::size_t i = 0; i < n; ++i) {
    From v;
    std::memcpy(&v, in + i * sizeof(From), sizeof(From));
    To w;
    if constexpr (std::is_same_v<From, To>)
      w = v;
    else if constexpr (std::is_same_v<From, Bfloat16> || std::is_same_v<To, Bfloat16>)
      w = static_cast<To>(static_cast<double>(v));
    else
      w = static_cast<To>(v);
    std::memcpy(out + i * sizeof(To), &w, sizeof(To));
  }
}

template <class F>
void withType(poplar::Type type, F f) {
  using Kind = poplar::Type::Kind;
  switch (type.kind()) {
    case Kind::Bool: return f(bool());
    case Kind::Char: return f(char());
    case Kind::UnsignedChar: return f(static_cast<unsigned char>(0));
    case Kind::SignedChar: return f(static_cast<signed char>(0));
    case Kind::UnsignedShort: return f(static_cast<unsigned short>(0));
    case Kind::Short: return f(static_cast<short>(0));
    case Kind::UnsignedInt: return f(0u);
    case Kind::Int: return f(0);
    case Kind::UnsignedLonglong: return f(0ull);
    case Kind::Longlong: return f(0ll);
    case Kind::Half: return f(Half());
    case Kind::Bfloat16: return f(Bfloat16());
    case Kind::Float: return f(0.0f);
    case Kind::Double: return f(0.0);
    case Kind::Quarter:
    case Kind::Invalid: break;
  }
  throw poplar::type_error("no host values of device type " + type.toString());
}

}  // namespace

void convertValues(poplar::Type from, const void* src, poplar::Type to, void* dst, std::size_t n) {
  if (from == to) {
    if (n) std::memcpy(dst, src, n * to.sizeInBytes());
    return;
  }
  withType(from, [&](auto a) {
    withType(to, [&](auto b) { convertAs<decltype(a), decltype(b)>(src, dst, n); });
  });
}

}  // namespace popir
