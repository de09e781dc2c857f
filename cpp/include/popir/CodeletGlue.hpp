// Glue between codelets and the engine. Included in each codelet's translation unit before the
// generated table. popir's own.
#ifndef popir_CodeletGlue_hpp
#define popir_CodeletGlue_hpp

#include <popir/Codelet.hpp>
#include <popir/HalfMath.hpp>
#ifndef __clang__
#include <popir/ShortVectors.hpp>
#endif

#include <type_traits>
#include <utility>

namespace popir {

/// Vectors of vectors as state have no initial value.
template <class T, poplar::VectorLayout L, unsigned A, bool I, poplar::VectorLayout M, unsigned B,
          bool J>
struct ShapeOf<poplar::Vector<poplar::Vector<T, L, A, I>, M, B, J>> {
  static constexpr FieldShape value{CodeletField::Direction::State, CodeletField::Shape::Vector,
                                    poplar::Type::Kind::Invalid, 1};
};

using Compute = void (*)(void*);
using Worker = void (*)(void*, unsigned);

template <class V>
struct OneCall {
  static void run(void* vertex) { static_cast<V*>(vertex)->compute(); }
};
/// By a name of its own, which tells what its code is compiled for.
template <class V>
struct SupervisorCall {
  static void run(void* vertex) { static_cast<V*>(vertex)->compute(); }
};
template <class V>
struct WorkerCalls {
  static void one(void* vertex, unsigned worker) { static_cast<V*>(vertex)->compute(worker); }
  /// The first worker is the last: where workers share a static, it is the one that waits for what
  /// the others leave there.
  static void run(void* vertex) {
    for (unsigned w = V::numWorkers(); w-- > 0;) static_cast<V*>(vertex)->compute(w);
  }
};

/// The function that runs a vertex: that of a MultiVertex's workers, if it has one, which may take a
/// default. Null for a class without compute(), which is only a base class.
template <class V>
auto computeOf(int) ->
    typename std::enable_if<std::is_base_of<poplar::MultiVertex, V>::value,
                            decltype((void)std::declval<V&>().compute(0u), Compute())>::type {
  return &WorkerCalls<V>::run;
}
template <class V>
auto computeOf(long) -> decltype((void)std::declval<V&>().compute(), Compute()) {
  if (std::is_base_of<poplar::SupervisorVertex, V>::value) return &SupervisorCall<V>::run;
  return &OneCall<V>::run;
}
template <class V>
Compute computeOf(...) {
  return nullptr;
}
template <class V>
auto workerOf(int) ->
    typename std::enable_if<std::is_base_of<poplar::MultiVertex, V>::value,
                            decltype((void)std::declval<V&>().compute(0u), Worker())>::type {
  return &WorkerCalls<V>::one;
}
template <class V>
Worker workerOf(long) {
  return nullptr;
}

template <class V>
Codelet codeletOf(const char* name, const CodeletField* fields, std::size_t numFields,
                  std::uint64_t* executed) {
  return {name,           codeletKind<V>(), sizeof(V), computeOf<V>(0),
          workerOf<V>(0), fields,           numFields, executed};
}

}  // namespace popir

#endif
