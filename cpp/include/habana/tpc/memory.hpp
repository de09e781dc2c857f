// Tensors, loads and stores of TPC-C on a host.
#ifndef popir_habana_tpc_memory_hpp
#define popir_habana_tpc_memory_hpp

#include "abi.hpp"
#include "instruction.hpp"

/// Switches of loads and stores. Those for caches do nothing.
enum {
  SW_MMIO = 1 << 0,
  SW_PACK = 1 << 2,
  SW_UNPACK = 1 << 3,
  SW_UNPCK_8_TO_32 = 1 << 4,
  SW_UNPCK_8_TO_16 = 1 << 5,
  SW_UNPCK_16_TO_32 = 1 << 6,
  SW_PCK_32_TO_8 = 1 << 7,
  SW_BV64 = 1 << 10,
  SW_L0CS = 0,
  SW_EV_HINT = 0,
  SW_INT32 = 0,
  SW_DT_OVERRIDE = 1 << 11,
  SW_INC_8 = 1 << 16,
};

namespace popir_tpc {

constexpr int kLocalBytes = 80 * 1024;
constexpr int kRegisters = 4096;

/// The invocation that the calling thread works on, and its local memory.
struct State {
  const popir_tpc_call* call;
  alignas(kBytes) unsigned char local[kLocalBytes];
  std::uint32_t scalar_local[kLocalBytes / 4];
  std::uint32_t registers[kRegisters / 4];
  alignas(64) unsigned char outside[2 * kBytes];
  int lut;
};
inline State& state() {
  static thread_local State here{};
  return here;
}

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
  friend tensor operator+(tensor a, int b) {
    return tensor(static_cast<int>(a.at - popir_tpc::state().call->tensors) + b);
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

inline void fail_for_input(std::int64_t number) {
  fail("it stores to tensor " + std::to_string(number) +
       ", which is an input; a kernel stores to its outputs");
}

/// The same for a store.
inline Place target(const int5& where, const popir_tpc_tensor& to, std::int64_t wanted) {
  if (to.is_input) fail_for_input(&to - state().call->tensors);
  return place(where, to, wanted);
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
inline V load(const int5& where, tensor from, V r, std::int64_t wanted = sizeof(V), int begin = 0) {
  const popir_tpc_tensor& in = *from.at;
  const Place there = place(where, in, wanted);
  auto* bytes = reinterpret_cast<unsigned char*>(&r) + begin;
  if (there.bytes == sizeof(V)) {
    std::memcpy(&r, there.address, sizeof(V));
    return r;
  }
  const uchar256 pad = padding<uchar256>(in);
  std::memcpy(bytes, &pad, static_cast<std::size_t>(wanted));
  if (there.bytes)
    std::memcpy(bytes + there.skipped, there.address, static_cast<std::size_t>(there.bytes));
  return r;
}

template <class V>
inline void store(const int5& where, tensor to, const V& value, std::int64_t wanted = sizeof(V),
                  int begin = 0) {
  const Place there = target(where, *to.at, wanted);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&value) + begin;
  if (there.bytes == sizeof(V))
    std::memcpy(there.address, &value, sizeof(V));
  else if (there.bytes)
    std::memcpy(there.address, bytes + there.skipped, static_cast<std::size_t>(there.bytes));
}

/// The bytes of a part: one element more than `size` says, within a half if it is of one.
template <class V>
inline std::int64_t part_bytes(int size, bool half) {
  const int lanes = half ? V::kLanes / 2 : V::kLanes, count = (size & 0xff) + 1;
  return static_cast<std::int64_t>(sizeof(typename V::Stored)) * (count < lanes ? count : lanes);
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

/// How a store combines, as one number.
inline constexpr int MkRMW(int type, int operation, int mode, int location) {
  return type | operation << 4 | mode << 8 | location << 9;
}

/// Parts of such a number, to be combined by `|`. `RMW_SET` has the store combine. The type is that
/// of the vector, whatever `RMW_DT_` or the tensor says.
enum {
  RMW_DT_INT8 = MkRMW(e_rmw_int8, 0, 0, 0),
  RMW_DT_INT16 = MkRMW(e_rmw_int16, 0, 0, 0),
  RMW_DT_INT32 = MkRMW(e_rmw_int32, 0, 0, 0),
  RMW_DT_UINT8 = MkRMW(e_rmw_uint8, 0, 0, 0),
  RMW_DT_UINT16 = MkRMW(e_rmw_uint16, 0, 0, 0),
  RMW_DT_UINT32 = MkRMW(e_rmw_uint32, 0, 0, 0),
  RMW_DT_BF16 = MkRMW(e_rmw_bf16, 0, 0, 0),
  RMW_DT_FP32 = MkRMW(e_rmw_fp32, 0, 0, 0),
  RMW_DT_FP16 = MkRMW(e_rmw_fp16, 0, 0, 0),
  RMW_OP_ADD = MkRMW(0, e_rmw_add, 0, 0),
  RMW_OP_SUB = MkRMW(0, e_rmw_sub, 0, 0),
  RMW_OP_MIN = MkRMW(0, e_rmw_min, 0, 0),
  RMW_OP_MAX = MkRMW(0, e_rmw_max, 0, 0),
  RMW_OP_MAX_0_ADD = MkRMW(0, e_rmw_max_0_add, 0, 0),
  RMW_SET = MkRMW(0, 0, e_rmw_atomic, 0),
  RMW_TNSR_DT = MkRMW(0, 0, 0, e_tnsr_dt_desc)
};

inline int5 popir_tpc_five(const std::int32_t* from) {
  return {from[0], from[1], from[2], from[3], from[4]};
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
inline std::uint16_t get_pad_value_ushort(tensor of) {
  return static_cast<std::uint16_t>(of.at->pad);
}
inline std::int16_t get_pad_value_short(tensor of) { return static_cast<std::int16_t>(of.at->pad); }
inline bf16 get_pad_value_bf16(tensor of) {
  return popir_tpc::bits<bf16>(get_pad_value_ushort(of));
}
inline std::uint8_t get_pad_value_uchar(tensor of) { return static_cast<std::uint8_t>(of.at->pad); }
inline std::int8_t get_pad_value_char(tensor of) { return static_cast<std::int8_t>(of.at->pad); }

/// The address of an element. That of one outside of the tensor is of zeros, which nobody else
/// reads.
inline popir_tpc::Address gen_addr(const int5& where, tensor in, int switches = 0,
                                   void* income = nullptr, bool predicate = true,
                                   bool polarity = false) {
  if (predicate == polarity) return {income};
  if (switches & SW_DT_OVERRIDE)
    popir_tpc::fail("it takes a tensor as one of another type, which popir does not do");
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

namespace popir_tpc {

constexpr int kWidths = SW_UNPCK_8_TO_32 | SW_UNPCK_8_TO_16 | SW_UNPCK_16_TO_32;

inline void no_width_change(int switches) {
  if (switches & (SW_UNPACK | kWidths | SW_PCK_32_TO_8))
    fail("it uses a switch that changes the width of elements where popir does not have it");
}
/// Bytes of an element in the tensor, and in the lane where a load puts it.
struct Widening {
  int from, to;
};
inline Widening widening(int switches) {
  const int widths = switches & kWidths;
  if (!(switches & SW_UNPACK) && widths == 0) return {1, 1};
  if (!(switches & SW_UNPACK) || widths == 0 || (widths & (widths - 1)) != 0)
    fail("it unpacks, and does not say from which width to which");
  if (widths == SW_UNPCK_16_TO_32) return {2, 4};
  return {1, widths == SW_UNPCK_8_TO_32 ? 4 : 2};
}

/// The place in the local memory of vectors. It is apart from variables that are `__local__`.
inline unsigned char* local(std::uint32_t address, int bytes) {
  if (address > static_cast<std::uint32_t>(kLocalBytes - bytes))
    fail("it uses local memory at " + std::to_string(address));
  return state().local + address;
}
/// The place in the local memory of scalars, or among the registers.
inline unsigned char* scalar_local(std::uint32_t address, int switches, int bytes) {
  const int size = switches & SW_MMIO ? kRegisters : kLocalBytes;
  if (address > static_cast<std::uint32_t>(size - bytes))
    fail("it uses local memory or a register at " + std::to_string(address));
  auto* base = switches & SW_MMIO ? state().registers : state().scalar_local;
  return reinterpret_cast<unsigned char*>(base) + address;
}

/// What a cast to a pointer to local memory gives: of a pointer the same place, of a number the
/// place with this address.
template <class T>
struct Local {
  T* at;
  template <class U>
  Local(U* pointer) : at(reinterpret_cast<T*>(const_cast<std::remove_cv_t<U>*>(pointer))) {}
  template <class U>
  Local(const Local<U>& pointer) : Local(pointer.at) {}
  template <class A, class = std::enable_if_t<std::is_integral<A>::value>>
  Local(A address) {
    const auto number = static_cast<std::uint32_t>(address);
    if (number % alignof(T))
      fail("it takes " + std::to_string(number) + " as an address of what is aligned to " +
           std::to_string(alignof(T)) + " bytes");
    at = reinterpret_cast<T*>(is_number<std::remove_cv_t<T>> ? scalar_local(number, 0, 4)
                                                             : local(number, kBytes));
  }
  operator T*() const { return at; }
  /// C converts pointers into each other.
  template <class U>
  operator U*() const {
    return reinterpret_cast<U*>(at);
  }
  T& operator*() const { return *at; }
  T* operator->() const { return at; }
};

/// Which half of a register a load or a store is of.
enum Half { Whole, Low, High };

/// A predicate in memory has a bit for each byte of a register.
constexpr int kMaskBytes = kBytes / 8;
struct MaskBits {
  unsigned char byte[kMaskBytes];
};
inline MaskBits mask_bits(const bool256& mask) {
  MaskBits r{};
  for (int i = 0; i < kBytes; ++i) r.byte[i / 8] |= static_cast<unsigned char>(mask[i] << i % 8);
  return r;
}
inline bool256 mask_of_bits(const MaskBits& from) {
  bool256 r;
  for (int i = 0; i < kBytes; ++i) r.set(i, from.byte[i / 8] >> i % 8 & 1);
  return r;
}
/// How a register lies in memory.
template <class V>
struct Memory {
  typedef V Form;
  static const V& form(const V& value) { return value; }
  static const V& value(const V& form) { return form; }
};
template <>
struct Memory<bool256> {
  typedef MaskBits Form;
  static MaskBits form(const bool256& value) { return mask_bits(value); }
  static bool256 value(const MaskBits& form) { return mask_of_bits(form); }
};

template <Half half>
struct LoadTensor {
  template <class R>
  static R run(int switches, const R& income, const int5& where, const tensor& from) {
    if constexpr (IsVec<R>::value && half == Whole) {
      const Widening wider = widening(switches);
      if (wider.to > wider.from) return unpacked(wider, income, where, from);
    } else {
      no_width_change(switches);
    }
    constexpr int size = sizeof(typename Memory<R>::Form);
    const auto old = Memory<R>::form(income);
    return Memory<R>::value(
        load(where, from, old, half == Whole ? size : size / 2, half == High ? size / 2 : 0));
  }
  /// Fewer elements, each the lowest bytes of a wider one; the others are the income's.
  template <class R>
  static R unpacked(Widening wider, const R& income, const int5& where, const tensor& from) {
    const int count = kBytes / wider.to;
    const auto loaded = load(where, from, uchar256(0), count * wider.from);
    auto r = bits<uchar256>(income);
    for (int i = 0; i < count; ++i)
      for (int byte = 0; byte < wider.from; ++byte)
        r.v[wider.to * i + byte] = loaded.v[wider.from * i + byte];
    return bits<R>(r);
  }
};
template <Half half>
struct LoadTensorPart {
  template <class R>
  static R run(int switches, const R& income, const int5& where, const tensor& from, int size,
               int offset) {
    no_width_change(switches);
    if (offset) fail("it loads a part at an offset, which popir does not have");
    return load(where, from, income, part_bytes<R>(size, half), half == High ? kBytes / 2 : 0);
  }
};
struct StoreTensor {
  template <Half half, class V>
  static void to(int switches, const int5& where, const tensor& to, const V& value) {
    no_width_change(switches);
    constexpr int size = sizeof(typename Memory<V>::Form);
    if constexpr (IsVec<V>::value)
      if (switches & SW_PACK) return store(where, to, packed(value));
    store(where, to, Memory<V>::form(value), half == Whole ? size : size / 2,
          half == High ? size / 2 : 0);
  }
};
template <Half half>
struct StoreTensorHalf {
  template <class V>
  static void run(int switches, const int5& where, const tensor& to, const V& value) {
    StoreTensor::to<half>(switches, where, to, value);
  }
};
template <Half half>
struct StoreTensorPart {
  template <class V>
  static void run(int switches, const int5& where, const tensor& to, const V& value, int size,
                  int offset) {
    no_width_change(switches);
    if (offset) fail("it stores a part at an offset, which popir does not have");
    store(where, to, value, part_bytes<V>(size, half), half == High ? kBytes / 2 : 0);
  }
};
template <Half half>
struct StoreTensorCombined {
  template <class V>
  static void run(int switches, const int5& where, const tensor& to, const V& value, int rmw) {
    if ((rmw >> 8 & 1) == e_rmw_set) return StoreTensor::to<half>(switches, where, to, value);
    no_width_change(switches);
    typedef typename V::Element E;
    const int begin = half == High ? V::kLanes / 2 : 0;
    const Place there = target(where, *to.at, half == Whole ? kBytes : kBytes / 2);
    for (std::int64_t i = 0; i < there.bytes; i += sizeof(E))
      combine<E>(there.address + i,
                 value[begin + static_cast<int>((there.skipped + i) / sizeof(E))], rmw >> 4 & 15);
  }
};

template <Half half>
struct LoadLocal {
  template <class R>
  static R run(int, const R& income, std::uint32_t address) {
    auto form = Memory<R>::form(income);
    constexpr int size = sizeof(form) / (half == Whole ? 1 : 2);
    std::memcpy(reinterpret_cast<unsigned char*>(&form) + (half == High ? size : 0),
                local(address, size), size);
    return Memory<R>::value(form);
  }
};
template <Half half>
struct StoreLocal {
  template <class V>
  static void run(int, std::uint32_t address, const V& value) {
    const auto form = Memory<V>::form(value);
    constexpr int size = sizeof(form) / (half == Whole ? 1 : 2);
    std::memcpy(local(address, size),
                reinterpret_cast<const unsigned char*>(&form) + (half == High ? size : 0), size);
  }
};
/// Bytes whose lanes are set in a predicate.
template <Half half, class V>
struct StoreLocalLanes {
  void operator()(std::uint32_t address, const V& value, int switches, const Predicates& predicate,
                  bool polarity = false) const {
    V old = LoadLocal<half>::run(0, value, address);
    const bool256 where = polarity ? ~predicate.bytes : predicate.bytes;
    StoreLocal<half>::run(switches, address, chosen(where, value, old));
  }
};

/// Scalars in local memory take a word each.
struct LoadScalar {
  template <class E>
  static E run(int switches, const E&, std::uint32_t address) {
    const unsigned char* at = scalar_local(address, switches, sizeof(E));
    if constexpr (std::is_same<E, bool>::value)
      return *at & 1;
    else
      return peek<E>(at);
  }
};
struct StoreScalar {
  template <class E>
  static void run(int switches, std::uint32_t address, const E& value) {
    std::memcpy(scalar_local(address, switches, sizeof(E)), &value, sizeof(E));
  }
};

/// An element in global memory. A register gets it in all lanes.
template <class E>
struct LoadGlobal {
  template <class R>
  static R run(int, const R&, const void* from) {
    return R(peek<E>(from));
  }
};
/// Fails for an address within an input.
inline void require_no_input(const void* to) {
  const auto* call = state().call;
  const auto at = reinterpret_cast<std::uintptr_t>(to);
  for (std::uint32_t i = 0; i < call->tensor_count; ++i) {
    const auto& in = call->tensors[i];
    const auto begin = reinterpret_cast<std::uintptr_t>(in.data);
    std::uint64_t elements = 1;
    for (int d = 0; d < 5; ++d) {
      if (in.sizes[d] == 0) elements = 0;
      if (elements != 0) elements += in.strides[d] * (in.sizes[d] - 1);
    }
    if (in.is_input && at >= begin && at < begin + elements * in.element_bytes) fail_for_input(i);
  }
}

struct StoreGlobal {
  template <class E>
  static void run(int, void* to, const E& value) {
    require_no_input(to);
    std::memcpy(to, &value, sizeof(E));
  }
};
/// Moves an address on, by the size of an element or by 8.
template <class P>
inline void advance(P** address, int switches, int size) {
  *address = reinterpret_cast<P*>(reinterpret_cast<std::uintptr_t>(*address) +
                                  (switches & SW_INC_8 ? 8 : size));
}
template <class E>
struct LoadGlobalNext {
  template <class P>
  E operator()(P** from, int switches = 0, const E& income = E{}, bool predicate = true,
               bool polarity = false) const {
    if (predicate == polarity) return income;
    const E value = peek<E>(*from);
    advance(from, switches, sizeof(E));
    return value;
  }
};
template <class E>
struct StoreGlobalNext {
  template <class P>
  void operator()(P** to, const E& value, int switches = 0, bool predicate = true,
                  bool polarity = false) const {
    if (predicate == polarity) return;
    require_no_input(*to);
    std::memcpy(*to, &value, sizeof(E));
    advance(to, switches, sizeof(E));
  }
};

}  // namespace popir_tpc

#define POPIR_TPC_LOCAL(t, V)                                                         \
  POPIR_TPC_VECTOR(v_##t##_ld_l_v, LoadLocal<popir_tpc::Whole>, V, std::uint32_t)     \
  POPIR_TPC_VECTOR(v_##t##_ld_l_v_low, LoadLocal<popir_tpc::Low>, V, std::uint32_t)   \
  POPIR_TPC_VECTOR(v_##t##_ld_l_v_high, LoadLocal<popir_tpc::High>, V, std::uint32_t) \
  POPIR_TPC_LOCAL_STORE(v_##t##_st_l_v, popir_tpc::Whole, V)                          \
  POPIR_TPC_LOCAL_STORE(v_##t##_st_l_v_low, popir_tpc::Low, V)                        \
  POPIR_TPC_LOCAL_STORE(v_##t##_st_l_v_high, popir_tpc::High, V)
#define POPIR_TPC_LOCAL_STORE(name, half, V)                    \
  POPIR_TPC_STORE(name, StoreLocal<half>, std::uint32_t, V)     \
  POPIR_TPC_STORE(name##_b, StoreLocal<half>, std::uint32_t, V) \
  inline constexpr popir_tpc::StoreLocalLanes<half, V> name##_vb{};
#define POPIR_TPC_TENSOR(t, V)                                                           \
  POPIR_TPC_VECTOR(v_##t##_ld_tnsr, LoadTensor<popir_tpc::Whole>, V, int5, tensor)       \
  POPIR_TPC_VECTOR(v_##t##_ld_tnsr_low, LoadTensor<popir_tpc::Low>, V, int5, tensor)     \
  POPIR_TPC_VECTOR(v_##t##_ld_tnsr_high, LoadTensor<popir_tpc::High>, V, int5, tensor)   \
  POPIR_TPC_STORE(v_##t##_st_tnsr, StoreTensorHalf<popir_tpc::Whole>, int5, tensor, V)   \
  POPIR_TPC_STORE(v_##t##_st_tnsr_low, StoreTensorHalf<popir_tpc::Low>, int5, tensor, V) \
  POPIR_TPC_STORE(v_##t##_st_tnsr_high, StoreTensorHalf<popir_tpc::High>, int5, tensor, V)
#define POPIR_TPC_PARTS(t, V, half, word)                                                          \
  POPIR_TPC_VECTOR(v_##t##_ld_tnsr##word##_partial, LoadTensorPart<popir_tpc::half>, V, int5,      \
                   tensor, int, int)                                                               \
  POPIR_TPC_STORE(v_##t##_st_tnsr##word##_partial, StoreTensorPart<popir_tpc::half>, int5, tensor, \
                  V, int, int)                                                                     \
  POPIR_TPC_STORE(v_##t##_st_tnsr##word##_rmw, StoreTensorCombined<popir_tpc::half>, int5, tensor, \
                  V, int)
#define POPIR_TPC_MEMORY(t, V, E)                                    \
  POPIR_TPC_TENSOR(t, V)                                             \
  POPIR_TPC_PARTS(t, V, Whole, )                                     \
  POPIR_TPC_PARTS(t, V, Low, _low)                                   \
  POPIR_TPC_PARTS(t, V, High, _high)                                 \
  POPIR_TPC_LOCAL(t, V)                                              \
  POPIR_TPC_SCALAR(v_##t##_ld_g, LoadGlobal<E>, V, const void*)      \
  POPIR_TPC_SCALAR(s_##t##_ld_g, LoadGlobal<E>, E, const void*)      \
  POPIR_TPC_STORE(s_##t##_st_g, StoreGlobal, void*, E)               \
  inline constexpr popir_tpc::LoadGlobalNext<E> s_##t##_ld_g_inc{};  \
  inline constexpr popir_tpc::StoreGlobalNext<E> s_##t##_st_g_inc{}; \
  POPIR_TPC_SCALAR(s_##t##_ld_l, LoadScalar, E, std::uint32_t)       \
  POPIR_TPC_STORE(s_##t##_st_l, StoreScalar, std::uint32_t, E)
POPIR_TPC_TYPES(POPIR_TPC_MEMORY)
POPIR_TPC_TENSOR(i1, bool256)
POPIR_TPC_LOCAL(i1, bool256)
POPIR_TPC_SCALAR(s_i1_ld_l, LoadScalar, bool, std::uint32_t)
POPIR_TPC_STORE(s_i1_st_l, StoreScalar, std::uint32_t, bool)
inline constexpr popir_tpc::LoadGlobalNext<int32_t_pair_t> s_i32_x2_ld_g_inc{};
inline constexpr popir_tpc::LoadGlobalNext<uint32_t_pair_t> s_u32_x2_ld_g_inc{};

// The dimensions in a mask get an element in global memory.
inline int5 i_i32_ld_g(const void* from, int mask, int switches, int5 income, bool predicate = true,
                       bool polarity = false) {
  if (switches & SW_BV64) popir_tpc::fail("it loads coordinates of 64 bits");
  if (predicate != polarity)
    for (int i = 0; i < 5; ++i)
      if (mask >> i & 1) income[i] = popir_tpc::peek<std::int32_t>(from);
  return income;
}
template <class P>
inline int5 i_i32_ld_g_inc(P** from, int mask, int switches, const int5& income,
                           bool predicate = true, bool polarity = false) {
  const int5 r = i_i32_ld_g(*from, mask, switches, income, predicate, polarity);
  if (predicate != polarity) popir_tpc::advance(from, switches, sizeof(std::int32_t));
  return r;
}

// What is about the caches and the engines of the hardware.
template <class... A>
inline void cache_flush(const A&...) {}
POPIR_TPC_REFUSED(aso, "it signals other engines of the device")
POPIR_TPC_REFUSED(thread_sync, "it waits for other threads of the device")
#define POPIR_TPC_DIRECT(t, half)                                \
  POPIR_TPC_OF_DEVICE(v_##t##_ld_tnsr##half##_direct_b)          \
  POPIR_TPC_OF_DEVICE(v_##t##_ld_tnsr##half##_direct_vb)         \
  POPIR_TPC_OF_DEVICE(v_##t##_ld_tnsr##half##_partial_direct_b)  \
  POPIR_TPC_OF_DEVICE(v_##t##_ld_tnsr##half##_partial_direct_vb) \
  POPIR_TPC_OF_DEVICE(v_##t##_st_tnsr##half##_direct)            \
  POPIR_TPC_OF_DEVICE(v_##t##_st_tnsr##half##_partial_direct)    \
  POPIR_TPC_OF_DEVICE(v_##t##_st_tnsr##half##_rmw_direct)
#define POPIR_TPC_OF_DEVICE(name) \
  POPIR_TPC_REFUSED(name, "its addresses are those of the device's memory")
#define POPIR_TPC_DIRECTS(t, V, E) \
  POPIR_TPC_DIRECT(t, ) POPIR_TPC_DIRECT(t, _low) POPIR_TPC_DIRECT(t, _high)
POPIR_TPC_TYPES(POPIR_TPC_DIRECTS)
POPIR_TPC_DIRECTS(i1, bool256, bool)

#endif
