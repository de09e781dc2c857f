// Short vectors, in popir's own namespace: sources for an IPU's model may have float2 and the like of
// their own. popir's own.
#ifndef popir_ShortVectors_hpp
#define popir_ShortVectors_hpp

#include <poplar/HalfFloat.hpp>

#ifdef __clang__
#define POPIR_VECTOR(ELEMENT, NAME, COUNT) \
  typedef ELEMENT NAME##COUNT __attribute__((ext_vector_type(COUNT)));
#else
#include <cstddef>
#include <type_traits>

namespace popir {

/// What a clang's ext_vector_type is to a g++, which does not know it: without swizzles.
template <class E, unsigned N>
struct ShortVector {
  E lanes[N];
  E& operator[](std::size_t i) { return lanes[i]; }
  const E& operator[](std::size_t i) const { return lanes[i]; }
};
template <class E>
struct alignas(2 * sizeof(E)) ShortVector<E, 2> {
  E x, y;
  E& operator[](std::size_t i) { return (&x)[i]; }
  const E& operator[](std::size_t i) const { return (&x)[i]; }
};
template <class E>
struct alignas(4 * sizeof(E)) ShortVector<E, 4> {
  E x, y, z, w;
  E& operator[](std::size_t i) { return (&x)[i]; }
  const E& operator[](std::size_t i) const { return (&x)[i]; }
};

/// What a comparison of two such vectors gives: all bits of a lane, or none.
template <class E>
using LaneMask = typename std::conditional<
    sizeof(E) == 1, signed char,
    typename std::conditional<
        sizeof(E) == 2, short,
        typename std::conditional<sizeof(E) == 4, int, long long>::type>::type>::type;
template <class T>
using IsLane = typename std::enable_if<std::is_arithmetic<T>::value || std::is_same<T, half>::value,
                                       int>::type;

#define POPIR_OPERATOR(OPERATOR)                                                         \
  template <class E, unsigned N>                                                         \
  ShortVector<E, N> operator OPERATOR(ShortVector<E, N> a, const ShortVector<E, N>& b) { \
    for (unsigned i = 0; i < N; ++i) a[i] = static_cast<E>(a[i] OPERATOR b[i]);          \
    return a;                                                                            \
  }                                                                                      \
  template <class E, unsigned N, class T, IsLane<T> = 0>                                 \
  ShortVector<E, N> operator OPERATOR(ShortVector<E, N> a, T b) {                        \
    for (unsigned i = 0; i < N; ++i) a[i] = static_cast<E>(a[i] OPERATOR b);             \
    return a;                                                                            \
  }                                                                                      \
  template <class E, unsigned N, class T, IsLane<T> = 0>                                 \
  ShortVector<E, N> operator OPERATOR(T a, ShortVector<E, N> b) {                        \
    for (unsigned i = 0; i < N; ++i) b[i] = static_cast<E>(a OPERATOR b[i]);             \
    return b;                                                                            \
  }                                                                                      \
  template <class E, unsigned N, class T>                                                \
  ShortVector<E, N>& operator OPERATOR##=(ShortVector<E, N>& a, const T& b) {            \
    return a = a OPERATOR b;                                                             \
  }
POPIR_OPERATOR(+)
POPIR_OPERATOR(-)
POPIR_OPERATOR(*)
POPIR_OPERATOR(/)
POPIR_OPERATOR(%)
POPIR_OPERATOR(&)
POPIR_OPERATOR(|)
POPIR_OPERATOR(^)
POPIR_OPERATOR(<<)
POPIR_OPERATOR(>>)
#undef POPIR_OPERATOR
template <class E, unsigned N>
ShortVector<E, N> operator-(ShortVector<E, N> a) {
  for (unsigned i = 0; i < N; ++i) a[i] = -a[i];
  return a;
}
template <class E, unsigned N>
ShortVector<E, N> operator~(ShortVector<E, N> a) {
  for (unsigned i = 0; i < N; ++i) a[i] = ~a[i];
  return a;
}
#define POPIR_COMPARISON(OPERATOR)                                            \
  template <class E, unsigned N>                                              \
  ShortVector<LaneMask<E>, N> operator OPERATOR(const ShortVector<E, N>& a,   \
                                                const ShortVector<E, N>& b) { \
    ShortVector<LaneMask<E>, N> out;                                          \
    for (unsigned i = 0; i < N; ++i) out[i] = a[i] OPERATOR b[i] ? -1 : 0;    \
    return out;                                                               \
  }
POPIR_COMPARISON(==)
POPIR_COMPARISON(!=)
POPIR_COMPARISON(<)
POPIR_COMPARISON(>)
POPIR_COMPARISON(<=)
POPIR_COMPARISON(>=)
#undef POPIR_COMPARISON

}  // namespace popir
#define POPIR_VECTOR(ELEMENT, NAME, COUNT) typedef popir::ShortVector<ELEMENT, COUNT> NAME##COUNT;
#endif
namespace popir {
#define POPIR_VECTORS(ELEMENT, NAME) \
  POPIR_VECTOR(ELEMENT, NAME, 2)     \
  POPIR_VECTOR(ELEMENT, NAME, 4)
POPIR_VECTORS(float, float)
POPIR_VECTORS(half, half)
POPIR_VECTOR(half, half, 8)
POPIR_VECTORS(char, char)
POPIR_VECTORS(unsigned char, uchar)
POPIR_VECTORS(short, short)
POPIR_VECTORS(unsigned short, ushort)
POPIR_VECTORS(int, int)
POPIR_VECTORS(unsigned, uint)
POPIR_VECTORS(long, long)
POPIR_VECTORS(long long, longlong)
#undef POPIR_VECTORS
#undef POPIR_VECTOR
}  // namespace popir

#endif
