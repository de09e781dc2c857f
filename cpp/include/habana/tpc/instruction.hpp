// The form of the instructions of TPC-C on a host.
//
// An instruction is an object that is called. Its operands come first, then (switches, income,
// predicate, polarity). It gives its result where the predicate differs from the polarity, and the
// income elsewhere; names that end in _vb have a predicate for each lane. What an instruction does
// is said once for all types, by a class with `run(switches, income, operands...)`.
#ifndef popir_habana_tpc_instruction_hpp
#define popir_habana_tpc_instruction_hpp

#include "vectors.hpp"

namespace popir_tpc {

/// A predicate of each of the three types: they hold the same bytes.
struct Predicates {
  bool256 bytes;
  template <int Bytes>
  Predicates(const Mask<Bytes>& mask) : bytes(bits<bool256>(mask)) {}
  template <class A, class = std::enable_if_t<std::is_arithmetic<A>::value>>
  Predicates(A value) : bytes(value) {}
};

/// Whether a predicate has the lanes of all registers of a result, element after element, rather
/// than of each of them: so it is where an operand of one register has as many lanes as the
/// result, and where an operand is a group itself. Neighbours lie in different registers then.
template <class R, class First>
constexpr bool has_all_lanes() {
  if constexpr (IsVec<First>::value)
    return First::kLanes == Group<R>::kCount * Group<R>::V::kLanes;
  else if constexpr (Group<R>::kCount > 1)
    return sizeof(typename Group<R>::V::Stored) >= Group<R>::kCount;
  else
    return false;
}

template <class V>
inline V chosen(const bool256& bytes, const V& yes, const V& no) {
  const auto mask = bits<uint64>(bytes);
  return bits<V>((mask & bits<uint64>(yes)) | (~mask & bits<uint64>(no)));
}

/// `yes` where the predicate is set, `no` elsewhere.
template <bool AllLanes, class R>
inline R selected(const Predicates& where, const R& yes, const R& no) {
  if constexpr (sizeof(R) == kBytes) {
    return chosen(where.bytes, yes, no);
  } else {
    constexpr int count = sizeof(R) / kBytes;
    R r;
    for (int n = 0; n < count; ++n) {
      bool256 part = where.bytes;
      if constexpr (AllLanes) {
        constexpr int lane = sizeof(typename Group<R>::V::Stored), step = lane / count;
        for (int i = 0; i < kBytes; ++i) part.v[i] = where.bytes.v[i / lane * lane + n * step];
      }
      uchar256 a, b;
      std::memcpy(&a, reinterpret_cast<const unsigned char*>(&yes) + n * kBytes, kBytes);
      std::memcpy(&b, reinterpret_cast<const unsigned char*>(&no) + n * kBytes, kBytes);
      const uchar256 c = chosen(part, a, b);
      std::memcpy(reinterpret_cast<unsigned char*>(&r) + n * kBytes, &c, kBytes);
    }
    return r;
  }
}

/// Copies groups of registers lane by lane: one predicate for each register.
struct Mov {
  template <class R>
  static R run(int, const R&, const R& a) {
    return a;
  }
};

/// How an operand is passed: numbers by value, so that they may be volatile.
template <class T>
using Operand = std::conditional_t<(sizeof(T) <= 8), T, const T&>;

template <class Op, class R, class... A>
struct Instruction {
  R operator()(Operand<A>... a, int switches = 0, const R& income = R{}, bool predicate = true,
               bool polarity = false) const {
    return predicate != polarity ? Op::run(switches, income, a...) : income;
  }
};
template <class Op, class R, class First, class... A>
struct LaneInstruction {
  R operator()(Operand<First> first, Operand<A>... a, int switches, const R& income,
               const Predicates& predicate, bool polarity = false) const {
    constexpr bool all = has_all_lanes<R, First>() && !std::is_same<Op, Mov>::value;
    const Predicates where = polarity ? ~predicate.bytes : predicate.bytes;
    return selected<all>(where, Op::run(switches, income, first, a...), income);
  }
};
/// Those that add to their last operand.
template <class Op, class R, class... A>
struct Accumulation {
  R operator()(Operand<A>... a, const R& sum, int switches = 0, bool predicate = true,
               bool polarity = false) const {
    return predicate != polarity ? Op::run(switches, sum, a...) : sum;
  }
};
template <class Op, class R, class First, class... A>
struct LaneAccumulation {
  R operator()(Operand<First> first, Operand<A>... a, const R& sum, int switches,
               const Predicates& predicate, bool polarity = false) const {
    return LaneInstruction<Op, R, First, A...>()(first, a..., switches, sum, predicate, polarity);
  }
};
/// Those without a result: `run(switches, operands...)`.
template <class Op, class... A>
struct Store {
  void operator()(Operand<A>... a, int switches = 0, bool predicate = true,
                  bool polarity = false) const {
    if (predicate != polarity) Op::run(switches, a...);
  }
};

/// A result lane by lane, or one of scalars: `function(computed...)`.
template <class R, class Function, class... A>
inline R each(const Function& function, const A&... a) {
  if constexpr (IsVec<R>::value) {
    R r;
    for (int i = 0; i < R::kLanes; ++i)
      r.set(i, static_cast<typename R::Computed>(function(a.get(i)...)));
    return r;
  } else {
    return static_cast<R>(function(static_cast<typename Lane<A>::Computed>(a)...));
  }
}
/// What a call that does not compile gives, so that there is one error.
struct Anything {
  template <class T>
  operator T() const {
    return T{};
  }
};
template <class E>
using Word = std::make_unsigned_t<typename Integer<sizeof(typename Lane<E>::Stored)>::Signed>;
template <class V>
inline Word<typename V::Element> word_of(const V& a, int i) {
  const typename V::Stored stored = a.v[i];
  return bits<Word<typename V::Element>>(stored);
}
/// The same, of words of bits.
template <class R, class Function, class... A>
inline R each_word(const Function& function, const A&... a) {
  if constexpr (IsVec<R>::value) {
    typedef Word<typename R::Element> W;
    R r;
    for (int i = 0; i < R::kLanes; ++i) {
      const W word = static_cast<W>(function(word_of(a, i)...));
      r.v[i] = bits<typename R::Stored>(word);
    }
    return r;
  } else {
    return bits<R>(static_cast<Word<R>>(function(bits<Word<A>>(a)...)));
  }
}

}  // namespace popir_tpc

// Declarations. After the name: the class of the operation, the type of the result, the operands.
#define POPIR_TPC_SCALAR(name, ...) \
  inline constexpr popir_tpc::Instruction<popir_tpc::__VA_ARGS__> name{};
#define POPIR_TPC_VECTOR(name, ...)                                           \
  inline constexpr popir_tpc::Instruction<popir_tpc::__VA_ARGS__> name##_b{}; \
  inline constexpr popir_tpc::LaneInstruction<popir_tpc::__VA_ARGS__> name##_vb{};
#define POPIR_TPC_SCALAR_SUM(name, ...) \
  inline constexpr popir_tpc::Accumulation<popir_tpc::__VA_ARGS__> name{};
#define POPIR_TPC_VECTOR_SUM(name, ...)                                        \
  inline constexpr popir_tpc::Accumulation<popir_tpc::__VA_ARGS__> name##_b{}; \
  inline constexpr popir_tpc::LaneAccumulation<popir_tpc::__VA_ARGS__> name##_vb{};
#define POPIR_TPC_STORE(name, ...) inline constexpr popir_tpc::Store<popir_tpc::__VA_ARGS__> name{};
/// What popir refuses, and why. A call does not compile.
#define POPIR_TPC_REFUSED(name, why)                                  \
  template <class... A>                                               \
  inline popir_tpc::Anything name(const A&...) {                      \
    static_assert(sizeof...(A) > 99, "popir has no " #name ": " why); \
    return {};                                                        \
  }

#endif
