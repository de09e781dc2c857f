// The vertices of the operator Turn.
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include <cmath>

template <typename T>
class Turn : public poplar::Vertex {
 public:
  poplar::Input<poplar::Vector<T>> x, y, angle;
  poplar::Output<poplar::Vector<T>> xTurned, yTurned;
  float sign;

  bool compute() {
    for (unsigned i = 0; i < x.size(); ++i) {
      const float a = sign * static_cast<float>(angle[i]);
      const float c = std::cos(a), s = std::sin(a);
      const float from[] = {static_cast<float>(x[i]), static_cast<float>(y[i])};
      xTurned[i] = static_cast<T>(c * from[0] - s * from[1]);
      yTurned[i] = static_cast<T>(s * from[0] + c * from[1]);
    }
    return true;
  }
};

template class Turn<float>;
template class Turn<half>;
