// Codelets that strain reflection and execution; also the host half of a program.
#ifdef __POPC__

#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

// Constant fields, a constructor that is nowhere defined, private fields.
class Scale : public Vertex {
  Input<Vector<float>> in;
  Output<Vector<float, VectorLayout::ONE_PTR>> out;
  const float factor;

 public:
  Scale();
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i) out[i] = in[i] * factor;
    return true;
  }
};

// Classes made by a macro, in namespaces, with enumerations and numbers as arguments.
namespace maths {
enum class Op { Add, Max };
template <typename T, Op O, unsigned repeat, bool negate>
struct Reduce : public Vertex {
  Vector<Input<Vector<T, VectorLayout::SPAN, 8>>> rows;
  Output<T> out;
  void compute() {
    T sum = O == Op::Max ? -1000 : 0;
    for (const auto& row : rows)
      for (const auto& x : row) sum = O == Op::Add ? T(sum + T(repeat) * x) : (x > sum ? x : sum);
    *out = negate ? -sum : sum;
  }
};
#define INSTANTIATE(T) template struct Reduce<T, Op::Add, 2, false>;
INSTANTIATE(float)
INSTANTIATE(half)
INSTANTIATE(unsigned short)
template struct Reduce<int, Op::Max, 1, true>;
}  // namespace maths

// Indexed as it is told, rightly or not.
class Lists : public Vertex {
 public:
  Vector<Input<Vector<int>>> values;
  Output<int> sum;
  unsigned column;
  void compute() {
    static_assert(std::is_same<decltype(values[0][0]), const int&>::value,
                  "elements of a list's inputs are constant");
    *sum = 0;
    for (unsigned i = 0; i < values.size(); ++i) *sum += values[i][column];
  }
};

#define COUNTER(NAME, TYPE)             \
  class NAME : public Vertex {          \
   public:                              \
    TYPE count;                         \
    Vector<unsigned> table;             \
    InOut<TYPE> out;                    \
    bool compute() {                    \
      count += table[table.size() - 1]; \
      out += count;                     \
      return true;                      \
    }                                   \
  };
COUNTER(CountInt, int)
COUNTER(CountShort, unsigned short)

// A base with fields, which is no vertex type by itself.
template <class T>
struct Base : public Vertex {
  Input<T> a;
  InOut<VectorList<T, VectorListLayout::DELTAN>> lists;
};
struct Derived : public Base<half> {
  Input<half> b;
  bool compute() {
    for (unsigned i = 0; i < lists.size(); ++i)
      for (unsigned j = 0; j < lists[i].size(); ++j)
        if (lists[i][j] < a && b > a) lists[i][j] = b;
    return true;
  }
};

class Workers : public MultiVertex {
 public:
  Output<Vector<unsigned>> out;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < out.size(); i += numWorkers()) out[i] = worker;
    return true;
  }
};

/// The first worker adds up what the others have left.
class Gathers : public MultiVertex {
 public:
  Output<unsigned> sum;
  static unsigned left[6];
  bool compute(unsigned worker) {
    left[worker] = worker;
    if (worker != 0) return true;
    *sum = 0;
    for (unsigned i = 1; i < numWorkers(); ++i) *sum += std::exchange(left[i], 0u);
    return true;
  }
};
unsigned Gathers::left[6];

class Passes : public Vertex {
 public:
  Vector<Input<Vector<float>>> rows;
  Vector<Output<Vector<float>>> out;
  InOut<Vector<float>> first;
  Input<Vector<float>> whole;
  Output<Vector<float>> copy;
  void given(Vector<Input<Vector<float>>> from) {
    for (unsigned i = 0; i < from.size(); ++i) out[i] = from[i];
  }
  bool compute() {
    given(rows);
    first = rows[0];
    copy = whole;
    return true;
  }
};

/// Inputs of types that have 4 bytes on a tile, and 8 here.
class Widths : public Vertex {
 public:
  Input<size_t> count;
  Input<long> by;
  Output<int> out;
  bool compute() {
    *out = 0;
    for (size_t i = 0; i < count; ++i) *out += static_cast<int>(by);
    return *count == count;
  }
};

/// The same of vectors.
class WideRows : public Vertex {
 public:
  Input<Vector<size_t>> counts;
  Vector<Input<Vector<long, VectorLayout::ONE_PTR>>> rows;
  Output<Vector<int>> out;
  bool compute() {
    for (size_t i = 0; i < counts.size(); ++i) {
      out[i] = 0;
      for (size_t k = 0; k < counts[i]; ++k) out[i] += static_cast<int>(rows[i][k]);
    }
    size_t all = 0;
    for (const size_t count : counts) all += count;
    out[counts.size()] = static_cast<int>(all + *counts);
    return true;
  }
};

class Supervisor : public SupervisorVertex {
 public:
  Vector<Output<float>> outs;
  __attribute__((target("supervisor"))) bool compute() {
    for (unsigned i = 0; i < outs.size(); ++i) *outs[i] = i;
    return true;
  }
};

class Thrower : public Vertex {
 public:
  Input<int> at;
  Output<int> out;
  bool compute() {
    if (at == 3) throw std::runtime_error("three is too many");
    *out = at;
    return true;
  }
};

#else

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poputil/VertexTemplates.hpp>

using namespace poplar;
using namespace poplar::program;

int main() {
  IPUModel model;
  Device device = model.createDevice();
  Graph graph(device.getTarget());
  if (!graph.addCodelets(__FILE__) || graph.addCodelets(__FILE__)) return 2;
  Tensor x = graph.addVariable(FLOAT, {6}, "x"), y = graph.addVariable(FLOAT, {2}, "y");
  graph.setTileMapping(x, 0);
  graph.setTileMapping(y, 1);
  graph.setInitialValue(x, std::vector<float>{1, 2, 3, 4, 5, 6});
  ComputeSet first = graph.addComputeSet("scale"), second = graph.addComputeSet("reduce");
  for (unsigned i = 0; i < 2; ++i) {
    VertexRef v = graph.addVertex(first, "Scale");
    Tensor part = x.slice(3 * i, 3 * i + 3);
    graph.connect(v["in"], part);
    graph.connect(v["out"], part);
    graph.setInitialValue(v["factor"], 2.5);
    graph.setTileMapping(v, i);
    graph.setPerfEstimate(v, 20);
    VertexRef r = graph.addVertex(
        second, poputil::templateVertex("maths::Reduce", FLOAT, "maths::Op::Add", 2, false),
        {{"rows", std::vector<Tensor>{part, x.slice(0, 1)}}, {"out", y[i]}});
    graph.setTileMapping(r, i);
    graph.setCycleEstimate(r, 20);
  }
  graph.createHostRead("y", y);
  Engine engine(graph, Sequence({Execute(first), Execute(second)}));
  engine.load(device);
  engine.run(0);
  float result[2];
  engine.readTensor("y", result, result + 2);
  std::cout << result[0] << " " << result[1] << "\n";
  return 0;
}

#endif
