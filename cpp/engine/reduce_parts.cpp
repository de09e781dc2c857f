#include "engine/reduce_parts.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "kernels/half.hpp"

namespace popir {
namespace {

using Op = gcl::CollectiveOperator;

/// The elements that are reduced at a time: they stay in the cache.
constexpr std::size_t kBlock = 1024;

template <class T>
using Accumulator = std::conditional_t<kIsHalf<T>, float, T>;

/// The elements as numbers that are reduced: themselves, or converted into `to`.
template <class T>
const Accumulator<T>* loaded(const T* from, Accumulator<T>* to, std::size_t n) {
  if constexpr (kIsHalf<T>) {
    toFloats(from, to, static_cast<std::int64_t>(n));
    return to;
  } else {
    return from;
  }
}

template <class T>
void store(const Accumulator<T>* from, T* to, std::size_t n) {
  if constexpr (kIsHalf<T>)
    fromFloats(from, to, static_cast<std::int64_t>(n), Rounding(), 0);
  else
    std::copy_n(from, n, to);
}

template <class A, class F>
void each(A* all, const A* before, const A* next, std::size_t n, F f) {
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<A>(f(before[i], next[i]));
}

/// `all` becomes what `before`, which may be `all`, and `next` are together.
template <class A>
void combine(Op op, A* all, const A* before, const A* next, std::size_t n) {
  switch (op) {
    case Op::MUL: return each(all, before, next, n, [](A a, A b) { return a * b; });
    case Op::MIN: return each(all, before, next, n, [](A a, A b) { return b < a ? b : a; });
    case Op::MAX: return each(all, before, next, n, [](A a, A b) { return a < b ? b : a; });
    case Op::LOGICAL_AND: return each(all, before, next, n, [](A a, A b) { return a && b; });
    case Op::LOGICAL_OR: return each(all, before, next, n, [](A a, A b) { return a || b; });
    case Op::SQUARE_ADD: return each(all, before, next, n, [](A a, A b) { return a + b * b; });
    default: return each(all, before, next, n, [](A a, A b) { return a + b; });
  }
}

template <class T>
void reduce(Op op, const std::vector<const void*>& in, void* out, std::size_t n) {
  using A = Accumulator<T>;
  A all[kBlock], next[kBlock];
  for (std::size_t at = 0; at < n; at += kBlock) {
    const std::size_t m = std::min(kBlock, n - at);
    const A* before = loaded(static_cast<const T*>(in[0]) + at, all, m);
    if (op == Op::SQUARE_ADD) each(all, before, before, m, [](A a, A) { return a * a; });
    if (op == Op::LOGICAL_AND || op == Op::LOGICAL_OR)
      each(all, before, before, m, [](A a, A) { return !!a; });
    if (op == Op::SQUARE_ADD || op == Op::LOGICAL_AND || op == Op::LOGICAL_OR) before = all;
    for (std::size_t i = 1; i < in.size(); ++i) {
      combine(op, all, before, loaded(static_cast<const T*>(in[i]) + at, next, m), m);
      before = all;
    }
    const A count = static_cast<A>(in.size());
    if (op == Op::MEAN)
      each(all, before, before, m, [count](A a, A) { return a / count; });
    else if (before != all)
      std::copy_n(before, m, all);
    store(all, static_cast<T*>(out) + at, m);
  }
}

}  // namespace

void reduceParts(Op op, poplar::Type type, const std::vector<const void*>& in, void* out,
                 std::size_t n) {
  using namespace poplar;
  if (type == FLOAT) return reduce<float>(op, in, out, n);
  if (type == HALF) return reduce<half>(op, in, out, n);
  if (type == BFLOAT16) return reduce<Bfloat16>(op, in, out, n);
  if (type == DOUBLE) return reduce<double>(op, in, out, n);
  if (type == INT) return reduce<std::int32_t>(op, in, out, n);
  if (type == UNSIGNED_INT) return reduce<std::uint32_t>(op, in, out, n);
  if (type == LONGLONG) return reduce<std::int64_t>(op, in, out, n);
  if (type == UNSIGNED_LONGLONG) return reduce<std::uint64_t>(op, in, out, n);
  if (type == SHORT) return reduce<std::int16_t>(op, in, out, n);
  if (type == UNSIGNED_SHORT) return reduce<std::uint16_t>(op, in, out, n);
  if (type == SIGNED_CHAR || type == CHAR) return reduce<std::int8_t>(op, in, out, n);
  if (type == UNSIGNED_CHAR || type == BOOL) return reduce<std::uint8_t>(op, in, out, n);
  throw type_error("a collective of replicas does not reduce " + type.toString());
}

}  // namespace popir
