// One row of the Mandelbrot set.
#include <poplar/Vertex.hpp>

using namespace poplar;

template <class T>
class Mandelbrot : public Vertex {
 public:
  Input<Vector<T>> real;
  Input<T> imaginary;
  Output<Vector<unsigned>> steps;
  const unsigned limit;

  Mandelbrot();

  bool compute() {
    for (unsigned i = 0; i < real.size(); ++i) {
      T x = 0, y = 0;
      unsigned n = 0;
      for (; n < limit && x * x + y * y <= T(4); ++n) {
        const T next = x * x - y * y + real[i];
        y = T(2) * x * y + imaginary;
        x = next;
      }
      steps[i] = n;
    }
    return true;
  }
};

template class Mandelbrot<float>;
