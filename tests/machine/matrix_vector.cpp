// Parts of a matrix-vector product: a section of one row times a section of the vector, and the sum
// of a row's sections.
#include <poplar/Vertex.hpp>

class SectionProduct : public poplar::Vertex {
 public:
  poplar::Input<poplar::Vector<float>> row;
  poplar::Input<poplar::Vector<float>> vector;
  poplar::Output<float> sum;

  bool compute() {
    float total = 0;
    for (unsigned i = 0; i < row.size(); ++i) total += row[i] * vector[i];
    *sum = total;
    return true;
  }
};

class RowSum : public poplar::Vertex {
 public:
  poplar::Input<poplar::Vector<float>> sections;
  poplar::Output<float> sum;

  bool compute() {
    float total = 0;
    for (unsigned i = 0; i < sections.size(); ++i) total += sections[i];
    *sum = total;
    return true;
  }
};
