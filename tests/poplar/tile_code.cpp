// What codelets for a tile's compiler use: vector types, builtins, intrinsics, declarations of stacks.
#include <ipu_builtins.h>
#include <ipudef.h>
#include <print.h>
#include <ipu_intrinsics>
#include <ipu_memory_intrinsics>
#include <ipu_vector_math>
#include <poplar/StackSizeDefs.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

DEF_STACK_USAGE(64, __runCodelet_Steps);

/// y = max(x, 0) + 2, two elements at a time, by pointers that step.
class Steps : public Vertex {
 public:
  Steps();
  Input<Vector<float, VectorLayout::SPAN, 8>> x;
  Output<Vector<float, VectorLayout::SPAN, 8>> y;
  bool compute() {
    const float2* in = reinterpret_cast<const float2*>(&x[0]);
    float2* out = reinterpret_cast<float2*>(&y[0]);
    for (unsigned i = 0; i < x.size() / 2; ++i) {
      const float2 v = ipu::load_postinc(&in, 1);
      ipu::store_postinc(&out, __builtin_ipu_max(v, float2{0, 0}) + 2.0f, 1);
    }
    return true;
  }
};

/// Members of a vector type of one's own, and of the tile's.
class Members : public Vertex {
  typedef float pair __attribute__((ext_vector_type(2)));

 public:
  Input<Vector<float, VectorLayout::SPAN, 8>> x;
  Output<Vector<float, VectorLayout::SPAN, 8>> y;
  __attribute__((target("worker"))) void compute() {
    const pair* in = reinterpret_cast<const pair*>(&x[0]);
    pair v = in[0];
    v.x = v.x * 10;
    float2 w = {in[1].y, in[1].x};
    y[0] = v.x;
    y[1] = v.y;
    y[2] = w.x;
    y[3] = w.y;
  }
};

/// One result of each of many builtins, for the operands a and b.
class Builtins : public SupervisorVertex {
 public:
  Input<float> a, b;
  Output<Vector<float>> out;
  __attribute__((target("supervisor"))) bool compute() {
    const float2 v = {a, b};
    const half4 h = {static_cast<half>(*a), static_cast<half>(*b), 1, 2};
    unsigned i = 0;
    out[i++] = __builtin_ipu_min(*a, *b);
    out[i++] = __builtin_ipu_clamp(v, float2{-1, 1})[0];
    out[i++] = __builtin_ipu_exp(*a);
    out[i++] = __builtin_ipu_ln(*b);
    out[i++] = __builtin_ipu_sum(h)[0];
    out[i++] = ipu::sum(h)[1];
    out[i++] = static_cast<float>(__builtin_ipu_maxc(h)[0]);
    out[i++] = __builtin_ipu_absadd(v, float2{1, 1})[0];
    out[i++] = ipu::andc(v, v == v)[0];
    out[i++] = __builtin_ipu_and(*a, __builtin_ipu_cmplt(*a, *b));
    out[i++] = static_cast<float>(__builtin_ipu_isnan(*a));
    out[i++] = static_cast<float>(__builtin_ipu_bitrev8(1));
    out[i++] = static_cast<float>(__builtin_ipu_cms(1));
    out[i++] = __builtin_ipu_f16tof32(__builtin_ipu_f32tof16(*a));
    out[i++] = static_cast<float>(ipu::tanh(h)[3]);
    out[i++] = ipu::copysign(*b, *a);
    return true;
  }
};

/// Sums of random numbers and of their squares.
class Random : public Vertex {
 public:
  Output<Vector<float>> out;
  unsigned n;
  bool compute() {
    for (unsigned i = 0; i < 4; ++i) out[i] = 0;
    for (unsigned i = 0; i < n; ++i) {
      const float u = __builtin_ipu_urand_f32();
      const float2 g = __builtin_ipu_f32v2grand();
      out[0] += u / n;
      out[1] += u * u / n;
      out[2] += (g[0] + g[1]) / (2 * n);
      out[3] += (g[0] * g[0] + g[1] * g[1]) / (2 * n);
    }
    return true;
  }
};
