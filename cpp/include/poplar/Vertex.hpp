// Base classes and field types of codelets. After poplar/Vertex.hpp of the Poplar SDK 3.
//
// The engine never runs a vertex's constructor. It allocates a zeroed object, sets its fields
// through popir/Codelet.hpp and calls compute(). A field is a pointer, with a length if its layout
// has one, and for quarter a pointer to its metadata.
#ifndef poplar_Vertex_hpp
#define poplar_Vertex_hpp

#include <poplar/HalfFloat.hpp>
#include <poplar/QuarterFloat.hpp>
#include <poplar/VectorLayout.hpp>

#ifdef __POPC__
#include <ipudef.h>  // float2 and the like, which codelets use without more headers
#endif

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <limits>
#include <type_traits>

using std::size_t;

namespace popir {

/// Thrown by an access outside of a field. `field` is the address of the indexed object.
struct OutsideField {
  const void* field;
  std::size_t index, size;
};
/// The type of a field's size. In code that is counted it is unsigned int, as on a tile, where a store of
/// an integer may change it.
using FieldSize = std::size_t;
/// 1 in code compiled for the engine option debug.checkBounds.
enum : int { kCheckBounds = 0 };
inline void checkIndex(const void* field, std::size_t index, std::size_t size) {
  if (kCheckBounds && index >= size) throw OutsideField{field, index, size};
}

}  // namespace popir

namespace poplar {

/// Base of a codelet with `bool compute()` or `void compute()`, which runs on one worker.
class Vertex {};

/// Base of a codelet with `compute(unsigned workerId)`, which runs on all workers of a tile.
class MultiVertex : public Vertex {
 public:
  static constexpr unsigned numWorkers() { return 6; }
};

/// Base of a codelet that runs alone on its tile.
class SupervisorVertex : public Vertex {};

/// A SupervisorVertex or MultiVertex where the condition holds, else a Vertex.
template <bool condition>
using SupervisorVertexIf = typename std::conditional<condition, SupervisorVertex, Vertex>::type;
template <bool condition>
using MultiVertexIf = typename std::conditional<condition, MultiVertex, Vertex>::type;

template <class T, VectorLayout L = VectorLayout::SPAN, unsigned MinAlign = alignof(T),
          bool Interleaved = false>
class Vector;
template <class T, VectorListLayout L = VectorListLayout::DELTAN, unsigned MinAlign = alignof(T),
          bool Interleaved = false>
class VectorList;

template <class T>
class Input;
template <class T>
class Output;
template <class T>
class InOut;

namespace detail_ {

/// Whether a field of such elements, or such edges, has metadata.
template <class T>
struct HasMetadata : popir::IsQuarter<T> {};
template <class T>
struct HasMetadata<const T> : HasMetadata<T> {};
template <class T>
struct HasMetadata<Input<T>> : HasMetadata<T> {};
template <class T>
struct HasMetadata<Output<T>> : HasMetadata<T> {};
template <class T>
struct HasMetadata<InOut<T>> : HasMetadata<T> {};
template <class T, VectorLayout L, unsigned A, bool I>
struct HasMetadata<Vector<T, L, A, I>> : HasMetadata<T> {};
template <class V, bool Sized, bool Q>
class Span;
template <class V, bool Sized, bool Q>
struct HasMetadata<Span<V, Sized, Q>> : HasMetadata<V> {};

/// One element. A single implicit conversion lets fields be compared and computed with like
/// elements.
template <class V, bool = HasMetadata<V>::value>
class Scalar {
 public:
  V& operator*() const { return *data_; }
  V* operator->() const { return data_; }
  operator V&() const { return *data_; }

 protected:
  V* data_;
};
/// An input of a type that has 4 bytes on a tile, and 8 here: what is connected has 4.
template <class V, class Tile>
class NarrowScalar {
 public:
  V operator*() const { return *data_; }
  operator V() const { return *data_; }

 protected:
  Tile* data_;
};
template <>
class Scalar<const unsigned long, false> : public NarrowScalar<unsigned long, const unsigned> {};
template <>
class Scalar<const long, false> : public NarrowScalar<long, const int> {};
template <class V>
class Scalar<V, true> : public Scalar<V, false> {
 public:
  const MetadataType* getMetadata() const { return metadata_; }

 private:
  const MetadataType* metadata_;
};

/// A Scalar that can be assigned to.
template <class V>
class WritableScalar : public Scalar<V> {
 public:
  const V& operator=(const V& value) { return *this->data_ = value; }
#define POPIR_ASSIGNMENT(OPERATOR)      \
  template <class U>                    \
  V& operator OPERATOR(U&& value) {     \
    return *this->data_ OPERATOR value; \
  }
  POPIR_ASSIGNMENT(+=)
  POPIR_ASSIGNMENT(-=)
  POPIR_ASSIGNMENT(*=)
  POPIR_ASSIGNMENT(/=)
  POPIR_ASSIGNMENT(%=)
  POPIR_ASSIGNMENT(&=)
  POPIR_ASSIGNMENT(|=)
  POPIR_ASSIGNMENT(^=)
#undef POPIR_ASSIGNMENT
};

#ifdef __clang__
// A clang has no built-in operators of half to choose for a class that converts to half, so that
// each of those of float, double and so on would do: these choose.
template <class V>
std::is_same<typename std::remove_cv<V>::type, half> elementIsHalf(const Scalar<V>*);
std::false_type elementIsHalf(const void*);
template <class T>
using IsHalfField = decltype(elementIsHalf(static_cast<const T*>(nullptr)));
template <class V>
const V& elementOf(const Scalar<V>& field) {
  return *field;
}
template <class T, typename std::enable_if<
                       std::is_arithmetic<T>::value || std::is_same<T, half>::value, int>::type = 0>
const T& elementOf(const T& value) {
  return value;
}
#define POPIR_HALF_OPERATOR(OPERATOR)                                                            \
  template <class A, class B,                                                                    \
            typename std::enable_if<IsHalfField<A>::value || IsHalfField<B>::value, int>::type = \
                0>                                                                               \
  auto operator OPERATOR(const A& a, const B& b)->decltype(elementOf(a) OPERATOR elementOf(b)) { \
    return elementOf(a) OPERATOR elementOf(b);                                                   \
  }
POPIR_HALF_OPERATOR(+)
POPIR_HALF_OPERATOR(-)
POPIR_HALF_OPERATOR(*)
POPIR_HALF_OPERATOR(/)
POPIR_HALF_OPERATOR(<)
POPIR_HALF_OPERATOR(>)
POPIR_HALF_OPERATOR(<=)
POPIR_HALF_OPERATOR(>=)
POPIR_HALF_OPERATOR(==)
POPIR_HALF_OPERATOR(!=)
#undef POPIR_HALF_OPERATOR
template <class A, typename std::enable_if<IsHalfField<A>::value, int>::type = 0>
half operator-(const A& a) {
  return static_cast<half>(-elementOf(a));
}
#endif

/// What an element of a list is to the vertex that reads it.
template <class V>
struct Element {
  using type = V;
};
template <class T, VectorLayout L, unsigned A, bool I>
struct Element<Input<Vector<T, L, A, I>>> {
  using type = const Input<Vector<T, L, A, I>>;
};

/// A contiguous array of elements, or of rows.
template <class V, bool Sized, bool = HasMetadata<V>::value>
class Span {
 public:
  using value_type = V;
  using Own = typename Element<V>::type;
  using iterator = Own*;

  Own& operator[](std::size_t i) const {
    popir::checkIndex(this, i, size_);
    return data_[i];
  }
  Own& operator*() const { return *data_; }
  const Span* operator->() const { return this; }
  Own* data() const { return data_; }
  Own* begin() const { return data_; }
  Own* end() const {
    static_assert(Sized, "this vector layout keeps no size");
    return data_ + size_;
  }
  std::size_t size() const {
    static_assert(Sized, "this vector layout keeps no size");
    return size_;
  }

 protected:
  V* data_;
  popir::FieldSize size_;
};
template <class V, bool Sized>
class Span<V, Sized, true> : public Span<V, Sized, false> {
 public:
  const Span* operator->() const { return this; }
  const MetadataType* getMetadata() const { return metadata_; }

 private:
  const MetadataType* metadata_;
};

/// A vector of NarrowScalars.
template <class V, class Tile, bool Sized>
class NarrowSpan {
 public:
  using value_type = V;
  using iterator = const Tile*;

  V operator[](std::size_t i) const {
    popir::checkIndex(this, i, size_);
    return static_cast<V>(data_[i]);
  }
  V operator*() const { return static_cast<V>(*data_); }
  const NarrowSpan* operator->() const { return this; }
  const Tile* data() const { return data_; }
  const Tile* begin() const { return data_; }
  const Tile* end() const {
    static_assert(Sized, "this vector layout keeps no size");
    return data_ + size_;
  }
  std::size_t size() const {
    static_assert(Sized, "this vector layout keeps no size");
    return size_;
  }

 private:
  const Tile* data_;
  popir::FieldSize size_;
};

constexpr bool isSized(VectorLayout l) {
  return l == VectorLayout::SPAN || l == VectorLayout::SHORT_SPAN;
}
constexpr bool isSized(VectorListLayout l) { return l != VectorListLayout::ONE_PTR; }

}  // namespace detail_

namespace detail_ {

/// A Span of elements that begin at a multiple of more bytes than one of them needs, which a compiler
/// may know.
template <class T, bool Sized, unsigned MinAlign>
class AlignedSpan : public Span<T, Sized> {
 public:
  T& operator[](std::size_t i) const {
    popir::checkIndex(this, i, this->size_);
    return data()[i];
  }
  T& operator*() const { return *data(); }
  T* data() const { return static_cast<T*>(__builtin_assume_aligned(this->data_, MinAlign)); }
  T* begin() const { return data(); }
};
template <class T, VectorLayout L, unsigned MinAlign>
using VectorSpan =
    typename std::conditional<(std::is_arithmetic<T>::value || std::is_same<T, half>::value) &&
                                  (MinAlign > alignof(T)),
                              AlignedSpan<T, isSized(L), MinAlign>, Span<T, isSized(L)>>::type;

}  // namespace detail_

/// State of a vertex, or a list of edges: `Vector<unsigned>`, `Vector<Input<Vector<float>>>`.
template <class T, VectorLayout L, unsigned MinAlign, bool Interleaved>
class Vector : public detail_::VectorSpan<T, L, MinAlign> {};

/// A field that the vertex reads. Elements of a vector are not constant, so that sources may take
/// pointers to them; a vertex must not write through these. Those of a vector in a list are constant
/// through [] alone: pointers and iterators are as those of a vector.
template <class T>
class Input : public detail_::Scalar<const T> {};
template <class T, VectorLayout L, unsigned A, bool I>
class Input<Vector<T, L, A, I>> : public Vector<T, L, A, I> {
 public:
  T& operator[](std::size_t i) { return Vector<T, L, A, I>::operator[](i); }
  const T& operator[](std::size_t i) const { return Vector<T, L, A, I>::operator[](i); }
};
template <VectorLayout L, unsigned A, bool I>
class Input<Vector<unsigned long, L, A, I>>
    : public detail_::NarrowSpan<unsigned long, unsigned, detail_::isSized(L)> {};
template <VectorLayout L, unsigned A, bool I>
class Input<Vector<long, L, A, I>> : public detail_::NarrowSpan<long, int, detail_::isSized(L)> {};
template <class T, VectorListLayout L, unsigned A, bool I>
class Input<VectorList<T, L, A, I>>
    : public detail_::Span<detail_::Span<const T, true>, detail_::isSized(L)> {};

namespace detail_ {

/// A vector that is written. An input that is assigned to it is copied, element by element.
template <class T, VectorLayout L, unsigned A, bool I>
class WritableVector : public Vector<T, L, A, I> {
 protected:
  template <class U, VectorLayout M, unsigned B, bool J>
  void copy(const Input<Vector<U, M, B, J>>& from) {
    for (std::size_t i = 0; i < from.size(); ++i) (*this)[i] = from[i];
  }
};

}  // namespace detail_

/// A field that the vertex writes.
template <class T>
class Output : public detail_::WritableScalar<T> {
 public:
  using detail_::WritableScalar<T>::operator=;
};
template <class T, VectorLayout L, unsigned A, bool I>
class Output<Vector<T, L, A, I>> : public detail_::WritableVector<T, L, A, I> {
 public:
  template <class U, VectorLayout M, unsigned B, bool J>
  Output& operator=(const Input<Vector<U, M, B, J>>& from) {
    this->copy(from);
    return *this;
  }
};
template <class T, VectorListLayout L, unsigned A, bool I>
class Output<VectorList<T, L, A, I>>
    : public detail_::Span<detail_::Span<T, true>, detail_::isSized(L)> {};

/// A field that the vertex reads and writes.
template <class T>
class InOut : public detail_::WritableScalar<T> {
 public:
  using detail_::WritableScalar<T>::operator=;
  /// So that `which ? inOut : input` has a type.
  operator Input<T>() const {
    Input<T> same;
    __builtin_memcpy(&same, this, sizeof same);
    return same;
  }
};
template <class T, VectorLayout L, unsigned A, bool I>
class InOut<Vector<T, L, A, I>> : public detail_::WritableVector<T, L, A, I> {
 public:
  template <class U, VectorLayout M, unsigned B, bool J>
  InOut& operator=(const Input<Vector<U, M, B, J>>& from) {
    this->copy(from);
    return *this;
  }
};
template <class T, VectorListLayout L, unsigned A, bool I>
class InOut<VectorList<T, L, A, I>>
    : public detail_::Span<detail_::Span<T, true>, detail_::isSized(L)> {};

}  // namespace poplar

#endif
