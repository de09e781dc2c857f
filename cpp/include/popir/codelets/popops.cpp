// The vertices of PopLibs' popops that programs add by name; popir's own functions need none.
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

namespace popops {

/// Sets all elements to one value.
template <class Value>
class Fill : public poplar::Vertex {
 public:
  Value in;
  poplar::Output<poplar::Vector<Value>> out;

  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i) out[i] = in;
    return true;
  }
};

/// The same of several regions.
template <class Value>
class Fill2d : public poplar::Vertex {
 public:
  Value in;
  poplar::Vector<poplar::Output<poplar::Vector<Value>>> out;

  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      for (unsigned j = 0; j < out[i].size(); ++j) out[i][j] = in;
    return true;
  }
};

/// Fill and Fill2d with 0, as PopLibs had them until 1.2.
template <class Value>
class Zero : public poplar::Vertex {
 public:
  poplar::Output<poplar::Vector<Value>> out;

  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i) out[i] = 0;
    return true;
  }
};
template <class Value>
class Zero2d : public poplar::Vertex {
 public:
  poplar::Vector<poplar::Output<poplar::Vector<Value>>> out;

  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      for (unsigned j = 0; j < out[i].size(); ++j) out[i][j] = 0;
    return true;
  }
};

template class Zero<float>;
template class Zero<half>;
template class Zero<int>;
template class Zero<unsigned>;
template class Zero2d<float>;
template class Zero2d<half>;
template class Fill<float>;
template class Fill<half>;
template class Fill<int>;
template class Fill<unsigned>;
template class Fill<bool>;
template class Fill<char>;
template class Fill<unsigned char>;
template class Fill<signed char>;
template class Fill<unsigned long long>;
template class Fill<long long>;
template class Fill2d<float>;
template class Fill2d<half>;
template class Fill2d<int>;
template class Fill2d<unsigned>;
template class Fill2d<bool>;
template class Fill2d<char>;
template class Fill2d<unsigned char>;
template class Fill2d<signed char>;
template class Fill2d<unsigned long long>;
template class Fill2d<long long>;

}  // namespace popops
