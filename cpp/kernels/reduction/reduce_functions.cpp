// Selects the loops for this machine. Also LOG_ADD and the output conversion, which have one
// version for all instruction sets.
#define POPIR_REDUCE_ALL
#define POPIR_ISA_NAMESPACE base
#include "kernels/reduction/reduce_functions.inc"

#include <cmath>

#include "kernels/half.hpp"
#include "kernels/vector/isa.hpp"
#include "kernels/vector/ops.hpp"

namespace popir {
namespace {

template <class A>
A logAdd(A a, A b) {
  if (a == b) return a + static_cast<A>(0.69314718055994530942);  // inf - inf is NaN
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

// log(sum(exp(x))) relative to the largest x. NaN counts as the largest. Elements T, computed as A.
template <class T, class A, poplar::Type::Kind kind>
struct LogSum {
  static constexpr bool kDouble = std::is_same_v<A, double>;
  static constexpr Lane kLane = kDouble ? Lane::F64 : Lane::F32;
  static constexpr poplar::Type kAccumulator{kDouble ? poplar::Type::Kind::Double
                                                     : poplar::Type::Kind::Float};

  /// n elements as A, where they lie or in `buffer`.
  static const A* load(const T* x, A* buffer, std::int64_t n) {
    if constexpr (kIsHalf<T>) {
      toFloats(x, buffer, n);
      return buffer;
    } else {
      return x;
    }
  }
  /// to[i] = exp(x[i] - largest[i]) for i < n; with `form` 2 of one `largest`.
  static void powers(const A* x, const A* largest, int form, A* to, std::int64_t n) {
    const void* both[] = {x, largest};
    const auto count = static_cast<std::size_t>(n);
    if constexpr (kDouble) {
      const void* differences[] = {to};
      vectorOp(VecOp::Sub, kLane, form)(to, both, count);
      vectorOp(VecOp::Exp, kLane, 0)(to, differences, count);
    } else {
      vectorOp(VecOp::SubExp, kLane, form)(to, both, count);
    }
  }

  static void rows(const void* x, std::int64_t count, std::int64_t stride, std::int64_t n,
                   void* out) {
    const auto most = reduceFunctions(poplar::Type(kind), popops::Operation::MAX);
    const auto sums = reduceFunctions(kAccumulator, popops::Operation::ADD);
    alignas(64) A buffer[kReduceColumns];
    for (std::int64_t i = 0; i < count; ++i) {
      const T* row = static_cast<const T*>(x) + i * stride;
      A largest = -std::numeric_limits<A>::infinity(), sum = 0;
      if (n > 0) most.rows(row, 1, n, n, &largest);
      for (std::int64_t begin = 0; std::isfinite(largest) && begin < n; begin += kReduceColumns) {
        const std::int64_t m = std::min(kReduceColumns, n - begin);
        powers(load(row + begin, buffer, m), &largest, 2, buffer, m);
        A part;
        sums.rows(buffer, 1, m, m, &part);
        sum += part;
      }
      static_cast<A*>(out)[i] = std::isfinite(largest) ? largest + std::log(sum) : largest;
    }
  }
  static void columns(const void* x, std::int64_t rows, std::int64_t stride, std::int64_t columns,
                      void* out) {
    alignas(64) A largest[kReduceColumns], buffer[kReduceColumns], sum[kReduceColumns] = {};
    const auto n = static_cast<std::size_t>(columns);
    reduceFunctions(poplar::Type(kind), popops::Operation::MAX)
        .columns(x, rows, stride, columns, largest);
    const VecFn add = vectorOp(VecOp::Add, kLane, 0);
    const void *sums[] = {sum, buffer}, *logs[] = {sum};
    for (std::int64_t i = 0; i < rows; ++i) {
      powers(load(static_cast<const T*>(x) + i * stride, buffer, columns), largest, 0, buffer,
             columns);
      add(sum, sums, n);
    }
    vectorOp(VecOp::Log, kLane, 0)(sum, logs, n);
    for (std::int64_t j = 0; j < columns; ++j)
      static_cast<A*>(out)[j] = std::isfinite(largest[j]) ? largest[j] + sum[j] : largest[j];
  }
  static void fold(void* out, std::int64_t rows, std::int64_t columns) {
    auto* a = static_cast<A*>(out);
    for (std::int64_t i = 1; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) a[j] = logAdd(a[j], a[i * columns + j]);
  }
  static void neutral(void* out, std::int64_t n) {
    std::fill_n(static_cast<A*>(out), n, -std::numeric_limits<A>::infinity());
  }
};

template <class A, class O, bool logarithms>
void store(const void* acc, std::int64_t n, void* out, std::int64_t stride, const float* scale,
           bool update, const Rounding& rounding, std::int64_t first) {
  const auto* a = static_cast<const A*>(acc);
  auto* o = static_cast<O*>(out);
  const auto value = [&](std::int64_t i) {
    A v = a[i];
    if constexpr (std::is_floating_point_v<A>) {
      if (scale != nullptr)
        v = logarithms ? v + static_cast<A>(*scale) : v * static_cast<A>(*scale);
    } else {
      // Scale the signed value that the bits represent; the result wraps.
      if (scale != nullptr)
        v = static_cast<A>(static_cast<std::int64_t>(
            static_cast<double>(static_cast<std::make_signed_t<A>>(v)) * *scale));
    }
    if (update) {
      const A before = static_cast<A>(o[i * stride]);
      if constexpr (logarithms)
        v = logAdd(before, v);
      else
        v = static_cast<A>(before + v);
    }
    return v;
  };
  storeEach<A>(o, stride, n, rounding, first, value);
}

}  // namespace

namespace base {

ReduceFunctions logAddFunctions(poplar::Type type) {
  const auto of = [](poplar::Type accumulator, auto loops) {
    using L = decltype(loops);
    return ReduceFunctions{accumulator, L::rows, nullptr, L::columns, L::fold,
                           L::neutral,  nullptr, nullptr, nullptr};
  };
  if (type == poplar::FLOAT)
    return of(poplar::FLOAT, LogSum<float, float, poplar::Type::Kind::Float>());
  if (type == poplar::HALF)
    return of(poplar::FLOAT, LogSum<half, float, poplar::Type::Kind::Half>());
  if (type == poplar::BFLOAT16)
    return of(poplar::FLOAT, LogSum<Bfloat16, float, poplar::Type::Kind::Bfloat16>());
  if (type == poplar::DOUBLE)
    return of(poplar::DOUBLE, LogSum<double, double, poplar::Type::Kind::Double>());
  return {};
}

}  // namespace base

ReduceFunctions reduceFunctions(poplar::Type type, popops::Operation op) {
  if (op == popops::Operation::LOG_ADD) return base::logAddFunctions(type);
  ReduceFunctions f{};
  if (isa() == Isa::Avx512) f = avx512::reduceFunctions(type, op);
  if (isa() == Isa::Avx2) f = avx2::reduceFunctions(type, op);
  return f ? f : base::reduceFunctions(type, op);
}

ReduceExtrema reduceExtrema() {
  if (isa() == Isa::Avx512) return avx512::reduceExtrema();
  return isa() == Isa::Avx2 ? avx2::reduceExtrema() : base::reduceExtrema();
}

ReduceStore reduceStore(poplar::Type accumulator, poplar::Type out, popops::Operation op) {
  using Kind = poplar::Type::Kind;
  const bool logs = op == popops::Operation::LOG_ADD;
  if (accumulator == poplar::FLOAT && out == poplar::FLOAT)
    return {logs ? store<float, float, true> : store<float, float, false>};
  if (accumulator == poplar::FLOAT && out == poplar::HALF)
    return {logs ? store<float, half, true> : store<float, half, false>};
  if (accumulator == poplar::FLOAT && out == poplar::BFLOAT16)
    return {logs ? store<float, Bfloat16, true> : store<float, Bfloat16, false>};
  if (accumulator == poplar::DOUBLE && out == poplar::DOUBLE)
    return {logs ? store<double, double, true> : store<double, double, false>};
  if (accumulator.sizeInBytes() != out.sizeInBytes() || logs) return {nullptr};
  // Other types are stored bit by bit.
  switch (accumulator.kind()) {
    case Kind::Int:
    case Kind::UnsignedInt: return {store<std::uint32_t, std::uint32_t, false>};
    case Kind::Longlong:
    case Kind::UnsignedLonglong: return {store<std::uint64_t, std::uint64_t, false>};
    case Kind::Short:
    case Kind::UnsignedShort: return {store<std::uint16_t, std::uint16_t, false>};
    case Kind::Bool:
    case Kind::SignedChar:
    case Kind::UnsignedChar: return {store<std::uint8_t, std::uint8_t, false>};
    default: return {nullptr};
  }
}

}  // namespace popir
