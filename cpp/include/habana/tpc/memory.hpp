// Tensors, loads and stores of TPC-C on a host.
#ifndef popir_habana_tpc_memory_hpp
#define popir_habana_tpc_memory_hpp

#include "abi.hpp"
#include "vectors.hpp"

namespace popir_tpc {

constexpr int kLocalBytes = 80 * 1024;
constexpr int kRegisters = 4096;

/// The invocation that the calling thread works on, and its local memory.
struct State {
  const popir_tpc_call* call;
  unsigned char local[kLocalBytes];
  std::uint32_t scalar_local[kLocalBytes / 4];
  std::uint32_t registers[kRegisters / 4];
  alignas(64) unsigned char outside[2 * kBytes];
  int lut;
};
inline State& state() {
  static thread_local State here{};
  return here;
}

[[noreturn]] inline void fail(const std::string& why) { throw std::runtime_error(why); }

}  // namespace popir_tpc

/// A parameter of a kernel that is a tensor, or the number of one.
struct tensor {
  const popir_tpc_tensor* at;
  tensor() = default;
  explicit tensor(const popir_tpc_tensor* there) : at(there) {}
  tensor(int number) {
    const popir_tpc_call* call = popir_tpc::state().call;
    if (number < 0 || number >= static_cast<int>(call->tensor_count))
      popir_tpc::fail("it uses tensor " + std::to_string(number) + " of " +
                      std::to_string(call->tensor_count));
    at = call->tensors + number;
  }
};

namespace popir_tpc {

/// The address of an element, and how many bytes lie there side by side in dimension 0 before the
/// tensor ends; `skipped` are the bytes before its begin. No bytes if it is outside.
struct Place {
  unsigned char* address;
  std::int64_t skipped;
  std::int64_t bytes;
};
inline Place place(const int5& where, const popir_tpc_tensor& in, std::int64_t wanted) {
  std::int64_t element = where[0];
  const auto rank = static_cast<int>(in.rank);
  for (int i = 1; i < rank; ++i) {
    if (where[i] < 0 || static_cast<std::uint64_t>(where[i]) >= in.sizes[i]) return {nullptr, 0, 0};
    element += static_cast<std::int64_t>(in.strides[i]) * where[i];
  }
  const std::int64_t size = in.element_bytes;
  const std::int64_t from = where[0] < 0 ? -std::int64_t(where[0]) * size : 0;
  const std::int64_t left = (static_cast<std::int64_t>(in.sizes[0]) - where[0]) * size;
  const std::int64_t to = left < wanted ? left : wanted;
  if (from >= to) return {nullptr, 0, 0};
  return {in.data + element * size + from, from, to - from};
}

template <class V>
inline V padding(const popir_tpc_tensor& in) {
  V r;
  std::uint32_t words[kBytes / 4];
  for (auto& word : words) word = in.pad;
  std::memcpy(&r, words, kBytes);
  return r;
}

/// Loads `wanted` bytes into the register from its byte `begin` on; others stay as they are.
template <class V>
inline V load(const int5& where, tensor from, V r, std::int64_t wanted = kBytes, int begin = 0) {
  const popir_tpc_tensor& in = *from.at;
  const Place there = place(where, in, wanted);
  auto* bytes = reinterpret_cast<unsigned char*>(&r) + begin;
  if (there.bytes == kBytes) {
    std::memcpy(&r, there.address, kBytes);
    return r;
  }
  const V pad = padding<V>(in);
  std::memcpy(bytes, &pad, static_cast<std::size_t>(wanted));
  if (there.bytes)
    std::memcpy(bytes + there.skipped, there.address, static_cast<std::size_t>(there.bytes));
  return r;
}

template <class V>
inline void store(const int5& where, tensor to, const V& value, std::int64_t wanted = kBytes,
                  int begin = 0) {
  const Place there = place(where, *to.at, wanted);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&value) + begin;
  if (there.bytes == kBytes)
    std::memcpy(there.address, &value, kBytes);
  else if (there.bytes)
    std::memcpy(there.address, bytes + there.skipped, static_cast<std::size_t>(there.bytes));
}

/// What is wider than its elements are stored: of each pair of lanes the first goes to the lower
/// half, the second to the upper half.
template <class V>
inline V packed(const V& value) {
  V r;
  for (int i = 0; i < V::kLanes / 2; ++i) {
    r.v[i] = value.v[2 * i];
    r.v[V::kLanes / 2 + i] = value.v[2 * i + 1];
  }
  return r;
}

/// An address in global memory, as `gen_addr` gives it: it converts to any pointer.
struct Address {
  void* to;
  template <class T>
  operator T*() const {
    return static_cast<T*>(to);
  }
};

/// Reads and writes of one element at an address.
template <class T>
inline T peek(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

enum RmwType {
  e_rmw_int8,
  e_rmw_int16,
  e_rmw_int32,
  e_rmw_uint8,
  e_rmw_uint16,
  e_rmw_uint32,
  e_rmw_bf16,
  e_rmw_fp32,
  e_rmw_fp16
};
enum RmwOperation { e_rmw_add, e_rmw_sub, e_rmw_min, e_rmw_max, e_rmw_max_0_add };
enum RmwMode { e_rmw_set, e_rmw_atomic };
enum RmwLocation { e_tnsr_dt_srf, e_tnsr_dt_desc };

/// Puts `operation(old, value)` at the place of `old`. Other invocations may do so too.
template <class E>
inline void combine(unsigned char* at, E value, int operation) {
  typedef typename Lane<E>::Stored Stored;
  typedef typename Lane<E>::Computed Computed;
  typedef typename Integer<sizeof(Stored)>::Signed Word;
  auto* word = reinterpret_cast<Word*>(at);
  Word old = __atomic_load_n(word, __ATOMIC_RELAXED), next;
  do {
    const auto a = static_cast<Computed>(bits<E>(old)), b = static_cast<Computed>(value);
    Computed r = b;
    switch (operation) {
      case e_rmw_add: r = static_cast<Computed>(a + b); break;
      case e_rmw_sub: r = static_cast<Computed>(a - b); break;
      case e_rmw_min: r = b < a ? b : a; break;
      case e_rmw_max: r = b > a ? b : a; break;
      case e_rmw_max_0_add: {
        const auto sum = static_cast<Computed>(a + b);
        r = sum > Computed(0) ? sum : Computed(0);
        break;
      }
      default: fail("it stores with a read-modify-write operation that is not known");
    }
    next = bits<Word>(static_cast<E>(r));
  } while (
      !__atomic_compare_exchange_n(word, &old, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

}  // namespace popir_tpc

using popir_tpc::e_rmw_add;
using popir_tpc::e_rmw_atomic;
using popir_tpc::e_rmw_bf16;
using popir_tpc::e_rmw_fp16;
using popir_tpc::e_rmw_fp32;
using popir_tpc::e_rmw_int16;
using popir_tpc::e_rmw_int32;
using popir_tpc::e_rmw_int8;
using popir_tpc::e_rmw_max;
using popir_tpc::e_rmw_max_0_add;
using popir_tpc::e_rmw_min;
using popir_tpc::e_rmw_set;
using popir_tpc::e_rmw_sub;
using popir_tpc::e_rmw_uint16;
using popir_tpc::e_rmw_uint32;
using popir_tpc::e_rmw_uint8;
using popir_tpc::e_tnsr_dt_desc;
using popir_tpc::e_tnsr_dt_srf;

/// How a store combines: the type of the elements, the operation, whether it combines at all.
struct popir_tpc_rmw {
  int type, operation, mode;
};
inline popir_tpc_rmw MkRMW(int type, int operation, int mode, int) {
  return {type, operation, mode};
}

inline int5 popir_tpc_five(const std::int32_t* from) {
  return {{from[0], from[1], from[2], from[3], from[4]}};
}
inline int5 get_index_space_offset() { return popir_tpc_five(popir_tpc::state().call->offset); }
inline int5 get_index_space_size() { return popir_tpc_five(popir_tpc::state().call->size); }

/// The size of a dimension. That of one which the tensor does not have is 1.
inline int get_dim_size(tensor of, int dim) {
  if (dim < 0 || dim > 4) popir_tpc::fail("it asks for dimension " + std::to_string(dim));
  return static_cast<int>(of.at->sizes[dim]);
}
inline int get_dim_stride(tensor of, int dim) {
  if (dim < 0 || dim > 4) popir_tpc::fail("it asks for dimension " + std::to_string(dim));
  return static_cast<int>(of.at->strides[dim]);
}
inline unsigned get_pad_value_uint(tensor of) { return of.at->pad; }
inline int get_pad_value_int(tensor of) { return static_cast<int>(of.at->pad); }
inline float get_pad_value_float(tensor of) { return popir_tpc::bits<float>(of.at->pad); }

/// The address of an element. That of one outside of the tensor is of zeros, which nobody else
/// reads.
inline popir_tpc::Address gen_addr(const int5& where, tensor in, int = 0, void* income = nullptr,
                                   bool predicate = true, bool polarity = false) {
  if (predicate == polarity) return {income};
  const popir_tpc::Place there = popir_tpc::place(where, *in.at, popir_tpc::kBytes);
  if (there.bytes && !there.skipped) return {there.address};
  auto& outside = popir_tpc::state().outside;
  std::memset(outside, 0, sizeof(outside));
  return {outside};
}

/// Hints for caches, which a host does not need.
inline int get_tensor_hwpref_stride(int) { return 0; }
template <class Address>
inline void prefetch(const Address&, int = 0, bool = true, bool = false) {}

#define POPIR_TPC_MEMORY(name, V, E)                                                               \
  inline V v_##name##_ld_tnsr_b(const int5& where, tensor from, int = 0, V income = V(0),          \
                                bool predicate = true, bool polarity = false) {                    \
    return predicate != polarity ? popir_tpc::load(where, from, V()) : income;                     \
  }                                                                                                \
  inline V v_##name##_ld_tnsr_vb(const int5& where, tensor from, int, V income, V::Mask predicate, \
                                 bool polarity = false) {                                          \
    return popir_tpc::choose(polarity ? ~predicate : predicate, popir_tpc::load(where, from, V()), \
                             income);                                                              \
  }                                                                                                \
  inline V v_##name##_ld_tnsr_low_b(const int5& where, tensor from, int = 0, V income = V(0),      \
                                    bool predicate = true, bool polarity = false) {                \
    return predicate != polarity ? popir_tpc::load(where, from, income, popir_tpc::kBytes / 2)     \
                                 : income;                                                         \
  }                                                                                                \
  inline V v_##name##_ld_tnsr_high_b(const int5& where, tensor from, int = 0, V income = V(0),     \
                                     bool predicate = true, bool polarity = false) {               \
    return predicate != polarity ? popir_tpc::load(where, from, income, popir_tpc::kBytes / 2,     \
                                                   popir_tpc::kBytes / 2)                          \
                                 : income;                                                         \
  }                                                                                                \
  inline V v_##name##_ld_tnsr_partial_b(const int5& where, tensor from, int size, int offset,      \
                                        int = 0, V income = V(0), bool predicate = true,           \
                                        bool polarity = false) {                                   \
    if (offset) popir_tpc::fail("it loads a part at an offset, which popir does not have");        \
    return predicate != polarity                                                                   \
               ? popir_tpc::load(where, from, income, ((size & 0xff) + 1) * sizeof(E))             \
               : income;                                                                           \
  }                                                                                                \
  inline void v_##name##_st_tnsr(const int5& where, tensor to, V value, int switches = 0,          \
                                 bool predicate = true, bool polarity = false) {                   \
    if (predicate == polarity) return;                                                             \
    popir_tpc::store(where, to, switches& SW_PACK ? popir_tpc::packed(value) : value);             \
  }                                                                                                \
  inline void v_##name##_st_tnsr_low(const int5& where, tensor to, V value, int = 0,               \
                                     bool predicate = true, bool polarity = false) {               \
    if (predicate != polarity) popir_tpc::store(where, to, value, popir_tpc::kBytes / 2);          \
  }                                                                                                \
  inline void v_##name##_st_tnsr_high(const int5& where, tensor to, V value, int = 0,              \
                                      bool predicate = true, bool polarity = false) {              \
    if (predicate != polarity)                                                                     \
      popir_tpc::store(where, to, value, popir_tpc::kBytes / 2, popir_tpc::kBytes / 2);            \
  }                                                                                                \
  inline void v_##name##_st_tnsr_partial(const int5& where, tensor to, V value, int size,          \
                                         int offset, int = 0, bool predicate = true,               \
                                         bool polarity = false) {                                  \
    if (offset) popir_tpc::fail("it stores a part at an offset, which popir does not have");       \
    if (predicate != polarity)                                                                     \
      popir_tpc::store(where, to, value, ((size & 0xff) + 1) * sizeof(E));                         \
  }                                                                                                \
  inline void v_##name##_st_tnsr_rmw(const int5& where, tensor to, V value, popir_tpc_rmw rmw,     \
                                     int = 0, bool predicate = true, bool polarity = false) {      \
    if (predicate == polarity) return;                                                             \
    if (rmw.mode == e_rmw_set) return popir_tpc::store(where, to, value);                          \
    const popir_tpc::Place there = popir_tpc::place(where, *to.at, popir_tpc::kBytes);             \
    for (std::int64_t i = 0; i < there.bytes; i += sizeof(E))                                      \
      popir_tpc::combine<E>(there.address + i,                                                     \
                            value[static_cast<int>((there.skipped + i) / sizeof(E))],              \
                            rmw.operation);                                                        \
  }                                                                                                \
  inline E s_##name##_ld_g(const void* from, int = 0, E income = E(0), bool predicate = true,      \
                           bool polarity = false) {                                                \
    return predicate != polarity ? popir_tpc::peek<E>(from) : income;                              \
  }                                                                                                \
  inline void s_##name##_st_g(void* to, E value, int = 0, bool predicate = true,                   \
                              bool polarity = false) {                                             \
    if (predicate != polarity) std::memcpy(to, &value, sizeof(E));                                 \
  }                                                                                                \
  inline V v_##name##_ld_g(const void* from, int = 0, V income = V(0), bool predicate = true,      \
                           bool polarity = false) {                                                \
    return predicate != polarity ? V(popir_tpc::peek<E>(from)) : income;                           \
  }                                                                                                \
  inline V v_##name##_ld_l_v_b(std::uint32_t address, int = 0, V income = V(0),                    \
                               bool predicate = true, bool polarity = false) {                     \
    return predicate != polarity                                                                   \
               ? popir_tpc::peek<V>(popir_tpc::local(address, popir_tpc::kBytes))                  \
               : income;                                                                           \
  }                                                                                                \
  inline void v_##name##_st_l_v(std::uint32_t address, V value, int = 0, bool predicate = true,    \
                                bool polarity = false) {                                           \
    if (predicate != polarity)                                                                     \
      std::memcpy(popir_tpc::local(address, popir_tpc::kBytes), &value, popir_tpc::kBytes);        \
  }                                                                                                \
  inline E s_##name##_ld_l(std::uint32_t address, int switches = 0, E income = E(0),               \
                           bool predicate = true, bool polarity = false) {                         \
    return predicate != polarity                                                                   \
               ? popir_tpc::peek<E>(popir_tpc::scalar_local(address, switches, sizeof(E)))         \
               : income;                                                                           \
  }                                                                                                \
  inline void s_##name##_st_l(std::uint32_t address, E value, int switches = 0,                    \
                              bool predicate = true, bool polarity = false) {                      \
    if (predicate != polarity)                                                                     \
      std::memcpy(popir_tpc::scalar_local(address, switches, sizeof(E)), &value, sizeof(E));       \
  }

namespace popir_tpc {
enum { SW_PACK = 1 << 2, SW_MMIO = 1 << 0 };

/// The place in the local memory of vectors. It is apart from variables that are `__local__`.
inline unsigned char* local(std::uint32_t address, int bytes) {
  if (address > static_cast<std::uint32_t>(kLocalBytes - bytes))
    fail("it uses local memory at " + std::to_string(address));
  return state().local + address;
}
/// The place in the local memory of scalars, or among the registers.
inline void* scalar_local(std::uint32_t address, int switches, int bytes) {
  const int size = switches & SW_MMIO ? kRegisters : kLocalBytes;
  if (address > static_cast<std::uint32_t>(size - bytes))
    fail("it uses local memory or a register at " + std::to_string(address));
  auto* base = switches & SW_MMIO ? state().registers : state().scalar_local;
  return reinterpret_cast<unsigned char*>(base) + address;
}
}  // namespace popir_tpc
using popir_tpc::SW_MMIO;
using popir_tpc::SW_PACK;

POPIR_TPC_MEMORY(f32, float64, float)
POPIR_TPC_MEMORY(bf16, bfloat128, bf16)
POPIR_TPC_MEMORY(f16, half128, half)
POPIR_TPC_MEMORY(i32, int64, std::int32_t)
POPIR_TPC_MEMORY(u32, uint64, std::uint32_t)
POPIR_TPC_MEMORY(i16, short128, std::int16_t)
POPIR_TPC_MEMORY(u16, ushort128, std::uint16_t)
POPIR_TPC_MEMORY(i8, char256, std::int8_t)
POPIR_TPC_MEMORY(u8, uchar256, std::uint8_t)
#undef POPIR_TPC_MEMORY

#endif
