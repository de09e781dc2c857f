// The vertices of PopLibs' popnn that programs add by name; popir's own functions need none.
#include <poplar/Vertex.hpp>

namespace popnn {

/// The largest activation, and the label that stands beside it; the first of equal ones.
template <class Value, class Label>
class ReduceMaxClassSparse : public poplar::Vertex {
 public:
  poplar::Input<poplar::Vector<Value>> activations;
  poplar::Input<poplar::Vector<Label, poplar::VectorLayout::ONE_PTR>> labels;
  poplar::Output<Value> maxValue;
  poplar::Output<Label> maxIndex;

  bool compute() {
    unsigned best = 0;
    for (unsigned i = 1; i < activations.size(); ++i)
      if (activations[i] > activations[best]) best = i;
    *maxValue = activations[best];
    *maxIndex = labels[best];
    return true;
  }
};

/// The same of the smallest.
template <class Value, class Label>
class ReduceMinClassSparse : public poplar::Vertex {
 public:
  poplar::Input<poplar::Vector<Value>> activations;
  poplar::Input<poplar::Vector<Label, poplar::VectorLayout::ONE_PTR>> labels;
  poplar::Output<Value> minValue;
  poplar::Output<Label> minIndex;

  bool compute() {
    unsigned best = 0;
    for (unsigned i = 1; i < activations.size(); ++i)
      if (activations[i] < activations[best]) best = i;
    *minValue = activations[best];
    *minIndex = labels[best];
    return true;
  }
};

template class ReduceMaxClassSparse<float, unsigned>;
template class ReduceMaxClassSparse<float, int>;
template class ReduceMaxClassSparse<unsigned, unsigned>;
template class ReduceMaxClassSparse<unsigned, int>;
template class ReduceMaxClassSparse<int, unsigned>;
template class ReduceMaxClassSparse<int, int>;
template class ReduceMinClassSparse<float, unsigned>;
template class ReduceMinClassSparse<float, int>;
template class ReduceMinClassSparse<unsigned, unsigned>;
template class ReduceMinClassSparse<unsigned, int>;
template class ReduceMinClassSparse<int, unsigned>;
template class ReduceMinClassSparse<int, int>;

}  // namespace popnn
