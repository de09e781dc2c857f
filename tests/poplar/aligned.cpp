// Fields that begin at a multiple of more bytes than an element needs. Each vertex says where its
// fields begin, of what lies in the fields themselves: the compiler takes what it is told about
// elements for granted.
#include <cstdint>
#include <cstring>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace {

template <class Field>
unsigned beyond(const Field& field, unsigned bytes) {
  const void* begin;
  std::memcpy(&begin, static_cast<const void*>(&field), sizeof begin);
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(begin) % bytes);
}

}  // namespace

template <class T, unsigned A>
class Aligned : public Vertex {
 public:
  Input<Vector<T, VectorLayout::SPAN, A>> in;
  Input<Vector<T, VectorLayout::ONE_PTR, A>> bare;
  InOut<Vector<T, VectorLayout::SPAN, A>> both;
  Output<Vector<T, VectorLayout::SPAN, A>> out;
  Vector<Input<Vector<T, VectorLayout::SPAN, A>>> rows;
  Vector<InOut<Vector<T, VectorLayout::ONE_PTR, A>>> changed;
  Vector<Output<Vector<T, VectorLayout::SPAN, A>>> written;
  Vector<T, VectorLayout::SPAN, A> state;
  Output<Vector<unsigned>> where;

  bool compute() {
    unsigned k = 0;
    where[k++] = beyond(in, A);
    where[k++] = beyond(bare, A);
    where[k++] = beyond(both, A);
    where[k++] = beyond(out, A);
    where[k++] = beyond(state, A);
    for (unsigned r = 0; r < rows.size(); ++r) {
      where[k++] = beyond(rows[r], A);
      where[k++] = beyond(changed[r], A);
      where[k++] = beyond(written[r], A);
    }
    for (unsigned i = 0; i < in.size(); ++i) out[i] = in[i] + bare[i];
    for (unsigned i = 0; i < both.size(); ++i) both[i] = both[i] + in[i];
    for (unsigned i = 0; i < state.size(); ++i) both[i] = both[i] + state[i];
    for (unsigned r = 0; r < rows.size(); ++r)
      for (unsigned i = 0; i < rows[r].size(); ++i) {
        written[r][i] = rows[r][i] + rows[r][i];
        changed[r][i] = changed[r][i] + rows[r][i];
      }
    return true;
  }
};

#define OF(T)                    \
  template class Aligned<T, 4>;  \
  template class Aligned<T, 8>;  \
  template class Aligned<T, 16>; \
  template class Aligned<T, 64>; \
  template class Aligned<T, 256>;
OF(float)
OF(half)
OF(signed char)
