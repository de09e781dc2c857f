// CUDA's short vectors: float4 and the like.
#ifndef POPIR_CUDA_VECTOR_TYPES_H
#define POPIR_CUDA_VECTOR_TYPES_H

#define POPIR_CUDA_VECTORS(T, name, a2, a4)                             \
  struct name##1 {                                                      \
    T x;                                                                \
  };                                                                    \
  struct alignas(a2) name##2 {                                          \
    T x, y;                                                             \
  };                                                                    \
  struct name##3 {                                                      \
    T x, y, z;                                                          \
  };                                                                    \
  struct alignas(a4) name##4 {                                          \
    T x, y, z, w;                                                       \
  };                                                                    \
  constexpr name##1 make_##name##1(T x) { return {x}; }                 \
  constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

// With the alignment that CUDA gives to those of two and of four elements.
POPIR_CUDA_VECTORS(signed char, char, 2, 4)
POPIR_CUDA_VECTORS(unsigned char, uchar, 2, 4)
POPIR_CUDA_VECTORS(short, short, 4, 8)
POPIR_CUDA_VECTORS(unsigned short, ushort, 4, 8)
POPIR_CUDA_VECTORS(int, int, 8, 16)
POPIR_CUDA_VECTORS(unsigned, uint, 8, 16)
POPIR_CUDA_VECTORS(long long, longlong, 16, 16)
POPIR_CUDA_VECTORS(unsigned long long, ulonglong, 16, 16)
POPIR_CUDA_VECTORS(float, float, 8, 16)
POPIR_CUDA_VECTORS(double, double, 16, 16)

#undef POPIR_CUDA_VECTORS

#endif  // POPIR_CUDA_VECTOR_TYPES_H
