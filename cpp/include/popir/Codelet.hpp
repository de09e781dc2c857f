// The interface between a compiled codelet and libpopir: a table that describes the vertex class.
// Included in every codelet's translation unit. popir's own.
#ifndef popir_Codelet_hpp
#define popir_Codelet_hpp

#include <poplar/Type.hpp>
#include <poplar/Vertex.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace popir {

/// Increment it when the meaning of this table, or of the fields of poplar/Vertex.hpp, changes.
constexpr unsigned kCodeletFormat = 6;

/// A field of a vertex class: name, position and size in the object, direction, type, alignment.
struct CodeletField {
  enum class Direction : std::uint8_t { State, Input, Output, InOut };
  /// Memory layout of the field: a T or a pointer; pointer and size; a pointer to Scalars, or to
  /// Vectors, and their number. A field of quarter, and each edge of a
  /// list, has a pointer to its metadata behind that.
  enum class Shape : std::uint8_t { Scalar, Vector, Scalars, Vectors };

  const char* name;
  std::size_t offset;
  std::size_t bytes;
  Direction direction;
  Shape shape;
  /// Kind::Invalid if it is not an element type. Such state stays zero.
  poplar::Type::Kind type;
  unsigned align;
};

/// A vertex class, and the functions that run it.
struct Codelet {
  enum class Kind : std::uint8_t { Vertex, MultiVertex, SupervisorVertex };

  const char* name;
  Kind kind;
  std::size_t bytes;
  void (*compute)(void*);
  /// Runs one worker's part of a MultiVertex; null for other vertices.
  void (*worker)(void*, unsigned);
  const CodeletField* fields;
  std::size_t numFields;
  /// Instructions executed so far; null unless compiled for counting.
  std::uint64_t* executed;
};

/// Describes the field types of poplar/Vertex.hpp as CodeletFields. A field is a pointer, followed
/// by the number of elements if there are several.
struct FieldShape {
  CodeletField::Direction direction;
  CodeletField::Shape shape;
  poplar::Type::Kind type;
  unsigned align;
};

template <class T, class = void>
struct ElementKind {
  static constexpr poplar::Type::Kind value = poplar::Type::Kind::Invalid;
};
// `long` has 4 bytes on a tile, but 8 here: in state, and in what a vertex writes.
template <class T>
struct ElementKind<
    T, typename std::enable_if<poplar::TypeTraits::isSimpleType<T>() && !std::is_const<T>::value &&
                               !std::is_same<T, long double>::value>::type> {
  static constexpr poplar::Type::Kind value =
      std::is_same<T, long>::value            ? poplar::Type::Kind::Longlong
      : std::is_same<T, unsigned long>::value ? poplar::Type::Kind::UnsignedLonglong
                                              : poplar::equivalent_device_type<T>::kind;
};
template <>
struct ElementKind<quarter> {
  static constexpr poplar::Type::Kind value = poplar::Type::Kind::Quarter;
};
template <class T>
struct ElementKind<const T> : ElementKind<T> {};
template <class T>
struct ElementKind<
    T, typename std::enable_if<std::is_enum<T>::value && !std::is_const<T>::value>::type>
    : ElementKind<typename std::underlying_type<T>::type> {};

template <class F>
struct ShapeOf {
  static constexpr FieldShape value{CodeletField::Direction::State, CodeletField::Shape::Scalar,
                                    ElementKind<F>::value, alignof(F)};
};
template <class T, poplar::VectorLayout L, unsigned A, bool I>
struct ShapeOf<poplar::Vector<T, L, A, I>> {
  static constexpr FieldShape inner = ShapeOf<T>::value;
  static constexpr bool state = inner.direction == CodeletField::Direction::State;
  static constexpr FieldShape value{inner.direction,
                                    state ? CodeletField::Shape::Vector
                                    : inner.shape == CodeletField::Shape::Scalar
                                        ? CodeletField::Shape::Scalars
                                        : CodeletField::Shape::Vectors,
                                    inner.type, state&& A > inner.align ? A : inner.align};
};
/// An input that poplar::detail_::NarrowScalar reads.
template <class T>
struct NarrowInput {
  static constexpr FieldShape value{CodeletField::Direction::Input, CodeletField::Shape::Scalar,
                                    poplar::equivalent_device_type<T>::kind, 4};
};
template <>
struct ShapeOf<poplar::Input<unsigned long>> : NarrowInput<unsigned long> {};
template <>
struct ShapeOf<poplar::Input<long>> : NarrowInput<long> {};
#define POPIR_EDGE(WRAPPER)                                                                    \
  template <class T>                                                                           \
  struct ShapeOf<poplar::WRAPPER<T>> {                                                         \
    static constexpr FieldShape value{CodeletField::Direction::WRAPPER,                        \
                                      CodeletField::Shape::Scalar, ElementKind<T>::value,      \
                                      alignof(T)};                                             \
  };                                                                                           \
  template <class T, poplar::VectorLayout L, unsigned A, bool I>                               \
  struct ShapeOf<poplar::WRAPPER<poplar::Vector<T, L, A, I>>> {                                \
    static constexpr FieldShape value{CodeletField::Direction::WRAPPER,                        \
                                      CodeletField::Shape::Vector, ElementKind<T>::value, A};  \
  };                                                                                           \
  template <class T, poplar::VectorListLayout L, unsigned A, bool I>                           \
  struct ShapeOf<poplar::WRAPPER<poplar::VectorList<T, L, A, I>>> {                            \
    static constexpr FieldShape value{CodeletField::Direction::WRAPPER,                        \
                                      CodeletField::Shape::Vectors, ElementKind<T>::value, A}; \
  };
POPIR_EDGE(Input)
/// The same of vectors (NarrowSpan).
template <class T>
struct NarrowInputs {
  static constexpr FieldShape value{CodeletField::Direction::Input, CodeletField::Shape::Vector,
                                    poplar::equivalent_device_type<T>::kind, 4};
};
template <poplar::VectorLayout L, unsigned A, bool I>
struct ShapeOf<poplar::Input<poplar::Vector<unsigned long, L, A, I>>>
    : NarrowInputs<unsigned long> {};
template <poplar::VectorLayout L, unsigned A, bool I>
struct ShapeOf<poplar::Input<poplar::Vector<long, L, A, I>>> : NarrowInputs<long> {};
POPIR_EDGE(Output)
POPIR_EDGE(InOut)
#undef POPIR_EDGE

template <class F>
constexpr CodeletField codeletField(const char* name, std::size_t offset) {
  using Shape = ShapeOf<typename std::remove_cv<F>::type>;
  return {name,
          offset,
          sizeof(F),
          Shape::value.direction,
          Shape::value.shape,
          Shape::value.type,
          Shape::value.align};
}

template <class V>
constexpr Codelet::Kind codeletKind() {
  return std::is_base_of<poplar::MultiVertex, V>::value        ? Codelet::Kind::MultiVertex
         : std::is_base_of<poplar::SupervisorVertex, V>::value ? Codelet::Kind::SupervisorVertex
                                                               : Codelet::Kind::Vertex;
}

}  // namespace popir

#endif
