// Codelets whose cycles on a tile are published, by loops of the same kind.
#include <ipudef.h>
#include <ipu_vector_math>

#include <poplar/HalfFloat.hpp>
#include <poplar/Loops.hpp>
#include <poplar/Vertex.hpp>
#include <utility>

using namespace poplar;

// The largest of some integers, and the label of the first place where it stands.
struct Largest : Vertex {
  Input<Vector<int>> values;
  Input<Vector<unsigned, VectorLayout::ONE_PTR>> labels;
  Output<int> most;
  Output<unsigned> label;
  void compute() {
    int best = values[0];
    unsigned at = 0;
    for (unsigned i = 1; i < values.size(); ++i) {
      if (values[i] <= best) continue;
      best = values[i];
      at = i;
    }
    *most = best;
    *label = labels[at];
  }
};

// One column of a matrix, and zeros; workers take turns.
struct Column : MultiVertex {
  Vector<Input<Vector<float>>> matrix;
  Output<Vector<float>> column;
  Output<Vector<float>> zeros;
  unsigned at;
  bool compute(unsigned worker) {
    const unsigned n = matrix.size();
    for (unsigned row = worker; row < n; row += numWorkers()) {
      column[row] = matrix[row][at];
      zeros[row] = 0;
    }
    return true;
  }
};

// Squares in place; workers take turns.
struct Squares : MultiVertex {
  InOut<Vector<float>> values;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < values.size(); i += numWorkers()) values[i] *= values[i];
    return true;
  }
};

// Moves rows, and leaves zeros; workers take turns.
struct Move : MultiVertex {
  InOut<VectorList<float, VectorListLayout::DELTANELEMENTS>> from;
  Output<VectorList<float, VectorListLayout::DELTANELEMENTS>> to;
  int height, width;
  bool compute(unsigned worker) {
    for (int row = worker; row < height; row += MultiVertex::numWorkers())
      for (int i = 0; i < width; ++i) {
        to[row][i] = from[row][i];
        from[row][i] = 0;
      }
    return true;
  }
};

// c -= a b, with b transposed; workers take turns.
struct Subtract : MultiVertex {
  Input<VectorList<float, VectorListLayout::DELTANELEMENTS>> a, b;
  InOut<VectorList<float, VectorListLayout::DELTANELEMENTS>> c;
  int rows, columns, inner;
  bool compute(unsigned worker) {
    for (int row = worker; row < rows; row += MultiVertex::numWorkers())
      for (int column = 0; column < columns; ++column)
        for (int k = 0; k < inner; ++k) c[row][column] -= a[row][k] * b[column][k];
    return true;
  }
};

// The opposite of each bool, which are bytes.
struct Opposite : Vertex {
  Input<Vector<bool>> in;
  Output<Vector<bool, VectorLayout::ONE_PTR>> out;
  void compute() {
    for (unsigned i = 0; i < in.size(); ++i) out[i] = !in[i];
  }
};

// A stencil of seven points on pairs of floats.
struct Stencil : Vertex {
  using Row = Input<Vector<float, VectorLayout::ONE_PTR, 8>>;
  Row middle, top, bottom, left, right;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> out;
  float alpha, beta;
  unsigned pairs;
  static const float2* of(const Row& row) { return reinterpret_cast<const float2*>(&row[0]); }
  void compute() {
    const auto *m = of(middle), *t = of(top), *b = of(bottom), *l = of(left), *r = of(right);
    float* to = &out[0];
    const float scale = beta;
    for (unsigned z = 1; z < pairs; ++z) {
      float2 sum = {m[z - 1][1] + m[z][1], m[z][0] + m[z + 1][0]};
      sum = alpha * m[z] + scale * (sum + t[z] + b[z] + l[z] + r[z]);
      to[2 * z - 1] = sum[0];
      to[2 * z] = sum[1];
    }
  }
};

// Adds a number to pairs of floats, in place.
struct Pairs : Vertex {
  InOut<Vector<float, VectorLayout::ONE_PTR, 8>> values;
  float more;
  unsigned pairs;
  void compute() {
    float2* at = reinterpret_cast<float2*>(&values[0]);
    const float by = more;
    const unsigned n = pairs;
    for (unsigned i = 0; i < n; ++i) at[i] += by;
  }
};

struct Divide : Vertex {
  Input<Vector<unsigned>> in;
  Output<Vector<unsigned>> out;
  unsigned by;
  void compute() {
    for (unsigned i = 0; i < in.size(); ++i) out[i] = in[i] / by;
  }
};

// Element by element, as PopLibs' vertices of two operands are where no assembly is.
template <class T, bool rest>
struct Quotients : Vertex {
  Input<Vector<T>> a;
  Input<Vector<T, VectorLayout::ONE_PTR>> b;
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  void compute() {
    for (unsigned i = 0; i != a.size(); ++i) out[i] = rest ? a[i] % b[i] : a[i] / b[i];
  }
};
template struct Quotients<int, false>;
template struct Quotients<int, true>;
template struct Quotients<unsigned, false>;
template struct Quotients<unsigned, true>;

// Exponentials by a builtin of a tile's compiler.
struct Exponentials : Vertex {
  InOut<Vector<float>> values;
  void compute() {
    for (unsigned i = 0; i < values.size(); ++i) values[i] = __builtin_ipu_exp(values[i]);
  }
};

// Integers two by two, and with one for all; workers take turns.
struct Sums : MultiVertex {
  Input<Vector<int>> a, b;
  Output<Vector<int>> out;
  bool compute(unsigned worker) {
    const unsigned n = out.size();
    for (unsigned i = worker; i < n; i += numWorkers()) out[i] = a[i] + b[i];
    return true;
  }
};
struct Scaled : MultiVertex {
  Input<Vector<int>> a;
  Output<Vector<int>> out;
  int by;
  bool compute(unsigned worker) {
    const unsigned n = out.size();
    for (unsigned i = worker; i < n; i += numWorkers()) out[i] = a[i] * by;
    return true;
  }
};
struct Alike : MultiVertex {
  Input<Vector<int>> a, b;
  Output<Vector<int>> out;
  bool compute(unsigned worker) {
    const unsigned n = out.size();
    for (unsigned i = worker; i < n; i += numWorkers()) out[i] = ~(a[i] ^ b[i]);
    return true;
  }
};

// The same with two integers of two words.
template <char op>
struct OfLongs : MultiVertex {
  Input<Vector<long long>> a, b;
  Output<Vector<long long>> out;
  bool compute(unsigned worker) {
    const unsigned n = out.size();
    for (unsigned i = worker; i < n; i += numWorkers()) {
      if constexpr (op == '+') out[i] = a[i] + b[i];
      if constexpr (op == '*') out[i] = a[i] * b[i];
      if constexpr (op == '&') out[i] = a[i] & b[i];
      if constexpr (op == '>') out[i] = a[i] > b[i] ? a[i] : b[i];
    }
    return true;
  }
};
template struct OfLongs<'+'>;
template struct OfLongs<'*'>;
template struct OfLongs<'&'>;
template struct OfLongs<'>'>;

// Exchanges keys that are `apart`, and values with them, as a bitonic sort does: upwards, then
// downwards in the next block.
template <class Key, bool both>
struct Exchange : Vertex {
  InOut<Vector<Key, VectorLayout::ONE_PTR>> keys;
  InOut<Vector<float, VectorLayout::ONE_PTR>> values;
  unsigned apart, blocks;
  bool compute() {
    Key* key = &keys[0];
    float* value = &values[0];
    bool up = true;
    for (unsigned block = 0; block < blocks; ++block) {
      for (unsigned n = apart; n-- > 0; ++key, ++value) {
        if (up != (key[0] > key[apart])) continue;
        std::swap(key[0], key[apart]);
        if (both) std::swap(value[0], value[apart]);
      }
      key += apart;
      value += apart;
      up = !up;
    }
    return true;
  }
};
template struct Exchange<int, false>;
template struct Exchange<float, false>;
template struct Exchange<int, true>;

// Adds a number to each element. The compiler of a tile takes as many as have 64 bits at once, floats
// and halves; a store of an integer may change the number of them.
template <class T>
struct Raised : Vertex {
  InOut<Vector<T>> values;
  T more;
  void compute() {
    for (unsigned i = 0; i < values.size(); ++i) values[i] += more;
  }
};
template struct Raised<float>;
struct Counted : Vertex {
  InOut<Vector<int>> values;
  void compute() {
    for (unsigned i = 0; i < values.size(); ++i) values[i] += 1;
  }
};
template <class T>
struct RaisedInPairs : Vertex {
  InOut<Vector<T, VectorLayout::ONE_PTR, 8>> values;
  T more;
  int n;
  void compute() {
    for (int i = 0; i < n; ++i) values[i] += more;
  }
};
template struct RaisedInPairs<float>;
template struct RaisedInPairs<half>;

// What is not vectorised: a sum over the loop, which keeps its order, every other element, numbers
// with a division.
struct Summed : Vertex {
  Input<Vector<float>> values;
  Output<float> sum;
  void compute() {
    float all = 0;
    for (unsigned i = 0; i < values.size(); ++i) all += values[i];
    *sum = all;
  }
};
struct EveryOther : Vertex {
  Input<Vector<float>> values;
  Output<Vector<float>> out;
  void compute() {
    for (unsigned i = 0; i < out.size(); ++i) out[i] = values[2 * i];
  }
};

// Pairs of floats, by a counter of a tile's loops, each loaded a turn before it is needed; after the
// loop the pointers are used again. The larger ones, the sums with a number, the quotients by one.
template <char op>
struct OfPairs : Vertex {
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> a, b;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> out;
  unsigned n;
  static float2 of(float2 x, float2 y) {
    if constexpr (op == '>') return ipu::fmax(x, y);
    if constexpr (op == '+') return x + y;
    return x / y;
  }
  void compute() {
    const auto* x = reinterpret_cast<const float2*>(&a[0]);
    const auto* y = reinterpret_cast<const float2*>(&b[0]);
    auto* to = reinterpret_cast<float2*>(&out[0]);
    float2 left = *x++, right = *y++;
    const rptsize_t more = n / 2 - 1;
    for (unsigned i = 0; i < more; ++i) {
      const float2 result = of(left, right);
      left = *x++;
      if (op == '>') right = *y++;
      *to++ = result;
    }
    *to++ = of(left, right);
    if (n % 2) *reinterpret_cast<float*>(to) = *reinterpret_cast<const float*>(x);
  }
};
template struct OfPairs<'>'>;
template struct OfPairs<'+'>;
template struct OfPairs<'/'>;
