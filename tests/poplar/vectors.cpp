// Codelets that ask for a tile's vector types.
#ifndef __IPU__
#error compile with -D__IPU__
#endif
#include <ipu_vector_math>
#include <poplar/Vertex.hpp>

using namespace poplar;

template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  using type = float2;
};
template <>
struct VectorOf<half> {
  using type = half4;
};

template <class T>
class Pairs : public Vertex {
  using V = typename VectorOf<T>::type;

 public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> x;
  Output<Vector<T, VectorLayout::SPAN, 8>> y;
  void compute() {
    const auto* in = reinterpret_cast<const V*>(&x[0]);
    auto* out = reinterpret_cast<V*>(&y[0]);
    const unsigned width = sizeof(V) / sizeof(T);
    for (unsigned i = 0; i < y.size() / width; ++i)
      out[i] = ipu::fmax(in[i], -in[i]) + ipu::sqrt(in[i] * in[i]);
  }
};
template class Pairs<float>;
template class Pairs<half>;
