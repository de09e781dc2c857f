// Element types of tensors.
#ifndef popir_habana_tf_types_hpp
#define popir_habana_tf_types_hpp

#include <complex>

#include "logging.hpp"

#pragma GCC visibility push(default)

namespace tensorflow {

/// The bits of the nearest half or bfloat16, ties to even, and the value of such bits.
std::uint16_t halfBits(float from);
float halfValue(std::uint16_t bits);
inline std::uint16_t bfloat16Bits(float from) {
  std::uint32_t word;
  std::memcpy(&word, &from, sizeof(word));
  const bool nan = (word & 0x7fffffffu) > 0x7f800000u;
  return static_cast<std::uint16_t>(nan ? (word >> 16) | 0x40u
                                        : (word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}
inline float bfloat16Value(std::uint16_t bits) {
  const std::uint32_t word = static_cast<std::uint32_t>(bits) << 16;
  float to;
  std::memcpy(&to, &word, sizeof(to));
  return to;
}

/// Numbers of 16 bits: they convert from numbers explicitly, and to float, in which they are added.
#define POPIR_TF_SHORT_FLOAT(Type, bits, toBits, toFloat)                                        \
  struct Type {                                                                                  \
    std::uint16_t bits;                                                                          \
    Type() = default;                                                                            \
    template <class T, class = std::enable_if_t<std::is_convertible<T, float>::value>>           \
    explicit Type(const T& from) : bits(toBits(static_cast<float>(from))) {}                     \
    operator float() const { return toFloat(bits); }                                             \
    Type& operator+=(Type other) { return *this = *this + other; }                               \
    Type& operator-=(Type other) { return *this = *this - other; }                               \
    Type& operator*=(Type other) { return *this = *this * other; }                               \
    Type& operator/=(Type other) { return *this = *this / other; }                               \
    friend Type operator+(Type a, Type b) { return Type(float(a) + float(b)); }                  \
    friend Type operator-(Type a, Type b) { return Type(float(a) - float(b)); }                  \
    friend Type operator*(Type a, Type b) { return Type(float(a) * float(b)); }                  \
    friend Type operator/(Type a, Type b) { return Type(float(a) / float(b)); }                  \
    friend Type operator-(Type a) { return Type(-float(a)); }                                    \
    friend bool operator==(Type a, Type b) { return float(a) == float(b); }                      \
    friend bool operator!=(Type a, Type b) { return float(a) != float(b); }                      \
    friend bool operator<(Type a, Type b) { return float(a) < float(b); }                        \
    friend bool operator<=(Type a, Type b) { return float(a) <= float(b); }                      \
    friend bool operator>(Type a, Type b) { return float(a) > float(b); }                        \
    friend bool operator>=(Type a, Type b) { return float(a) >= float(b); }                      \
    friend std::ostream& operator<<(std::ostream& to, Type value) { return to << float(value); } \
  };
POPIR_TF_SHORT_FLOAT(half, x, halfBits, halfValue)
POPIR_TF_SHORT_FLOAT(bfloat16, value, bfloat16Bits, bfloat16Value)
#undef POPIR_TF_SHORT_FLOAT

typedef std::complex<float> complex64;
typedef std::complex<double> complex128;

enum DataType {
  DT_INVALID = 0,
  DT_FLOAT = 1,
  DT_DOUBLE = 2,
  DT_INT32 = 3,
  DT_UINT8 = 4,
  DT_INT16 = 5,
  DT_INT8 = 6,
  DT_STRING = 7,
  DT_COMPLEX64 = 8,
  DT_INT64 = 9,
  DT_BOOL = 10,
  DT_QINT8 = 11,
  DT_QUINT8 = 12,
  DT_QINT32 = 13,
  DT_BFLOAT16 = 14,
  DT_QINT16 = 15,
  DT_QUINT16 = 16,
  DT_UINT16 = 17,
  DT_COMPLEX128 = 18,
  DT_HALF = 19,
  DT_RESOURCE = 20,
  DT_VARIANT = 21,
  DT_UINT32 = 22,
  DT_UINT64 = 23,
  DT_FLOAT8_E5M2 = 24,
  DT_FLOAT8_E4M3FN = 25,
  DT_INT4 = 29,
  DT_UINT4 = 30,
  DT_FLOAT_REF = 101,
  DT_INT32_REF = 103
};
typedef std::vector<DataType> DataTypeVector;
typedef absl::Span<const DataType> DataTypeSlice;
constexpr int kDataTypeRefOffset = 100;

/// "float", "bfloat16" and so on, as REGISTER_OP spells them.
std::string DataTypeString(DataType type);
std::string DataTypeVectorString(const DataTypeVector& types);
/// "DT_FLOAT", "DT_BFLOAT16" and so on.
std::string DataType_Name(DataType type);
bool DataType_IsValid(int type);
/// DT_INVALID for a name that is none.
DataType DataTypeNamed(StringPiece name);
inline bool DataTypeFromString(StringPiece name, DataType* type) {
  *type = DataTypeNamed(name);
  return *type != DT_INVALID;
}
/// In bytes; 0 for types without a size.
int DataTypeSize(DataType type);
inline bool DataTypeCanUseMemcpy(DataType type) { return DataTypeSize(type) > 0; }
bool DataTypeIsFloating(DataType type);
bool DataTypeIsInteger(DataType type);
bool DataTypeIsUnsigned(DataType type);
bool DataTypeIsComplex(DataType type);
bool DataTypeIsQuantized(DataType type);
inline bool DataTypeIsSigned(DataType type) {
  return DataTypeIsInteger(type) && !DataTypeIsUnsigned(type);
}
inline bool IsRefType(DataType type) { return type > kDataTypeRefOffset; }
inline DataType RemoveRefType(DataType type) {
  return IsRefType(type) ? static_cast<DataType>(type - kDataTypeRefOffset) : type;
}
inline DataType BaseType(DataType type) { return RemoveRefType(type); }

template <class T>
struct DataTypeToEnum;
template <DataType type>
struct EnumToDataType;
#define POPIR_TF_TYPE(T, name)                                                                   \
  template <>                                                                                    \
  struct DataTypeToEnum<T> {                                                                     \
    static constexpr DataType value = name;                                                      \
    static constexpr DataType v() { return name; }                                               \
    static constexpr DataType ref() { return static_cast<DataType>(name + kDataTypeRefOffset); } \
  };
#define POPIR_TF_TYPE_BOTH(T, name) \
  POPIR_TF_TYPE(T, name)            \
  template <>                       \
  struct EnumToDataType<name> {     \
    typedef T Type;                 \
  };
POPIR_TF_TYPE_BOTH(float, DT_FLOAT)
POPIR_TF_TYPE_BOTH(double, DT_DOUBLE)
POPIR_TF_TYPE_BOTH(int8, DT_INT8)
POPIR_TF_TYPE_BOTH(int16, DT_INT16)
POPIR_TF_TYPE_BOTH(int32, DT_INT32)
POPIR_TF_TYPE_BOTH(int64, DT_INT64)
POPIR_TF_TYPE(long long, DT_INT64)
POPIR_TF_TYPE_BOTH(uint8, DT_UINT8)
POPIR_TF_TYPE_BOTH(uint16, DT_UINT16)
POPIR_TF_TYPE_BOTH(uint32, DT_UINT32)
POPIR_TF_TYPE_BOTH(uint64, DT_UINT64)
POPIR_TF_TYPE(unsigned long long, DT_UINT64)
POPIR_TF_TYPE_BOTH(bool, DT_BOOL)
POPIR_TF_TYPE_BOTH(bfloat16, DT_BFLOAT16)
POPIR_TF_TYPE_BOTH(half, DT_HALF)
POPIR_TF_TYPE_BOTH(complex64, DT_COMPLEX64)
POPIR_TF_TYPE_BOTH(complex128, DT_COMPLEX128)
POPIR_TF_TYPE_BOTH(std::string, DT_STRING)
#undef POPIR_TF_TYPE
#undef POPIR_TF_TYPE_BOTH
template <class T>
struct DataTypeToEnum<const T> : DataTypeToEnum<T> {};

}  // namespace tensorflow

namespace Eigen {
typedef tensorflow::half half;
typedef tensorflow::bfloat16 bfloat16;
typedef std::ptrdiff_t Index;
typedef Index DenseIndex;
template <class T>
struct NumTraits : std::numeric_limits<T> {
  static T highest() { return std::numeric_limits<T>::max(); }
};
namespace half_impl {
inline half raw_uint16_to_half(std::uint16_t bits) {
  half made;
  made.x = bits;
  return made;
}
inline half float_to_half_rtne(float from) { return half(from); }
inline float half_to_float(half from) { return from; }
}  // namespace half_impl
namespace numext {
template <class To, class From>
To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "bit_cast is for types of one size");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}
}  // namespace numext
}  // namespace Eigen

namespace std {
#define POPIR_TF_LIMITS(Type, bits, largest, smallest, least, step, infinite, none, digits_) \
  template <>                                                                                \
  struct numeric_limits<Type> {                                                              \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false,       \
                          is_exact = false, has_infinity = true, has_quiet_NaN = true;       \
    static constexpr int digits = digits_;                                                   \
    static Type of(std::uint16_t from) {                                                     \
      Type made;                                                                             \
      made.bits = from;                                                                      \
      return made;                                                                           \
    }                                                                                        \
    static Type max() { return of(largest); }                                                \
    static Type lowest() { return of(largest | 0x8000u); }                                   \
    static Type min() { return of(smallest); }                                               \
    static Type denorm_min() { return of(least); }                                           \
    static Type epsilon() { return of(step); }                                               \
    static Type infinity() { return of(infinite); }                                          \
    static Type quiet_NaN() { return of(none); }                                             \
  };
POPIR_TF_LIMITS(tensorflow::half, x, 0x7bff, 0x0400, 1, 0x1400, 0x7c00, 0x7e00, 11)
POPIR_TF_LIMITS(tensorflow::bfloat16, value, 0x7f7f, 0x0080, 1, 0x3c00, 0x7f80, 0x7fc0, 8)
#undef POPIR_TF_LIMITS
}  // namespace std

// A macro of one argument, for each of some types.
#define TF_CALL_float(m) m(float)
#define TF_CALL_double(m) m(double)
#define TF_CALL_int8(m) m(::tensorflow::int8)
#define TF_CALL_int16(m) m(::tensorflow::int16)
#define TF_CALL_int32(m) m(::tensorflow::int32)
#define TF_CALL_int64(m) m(::std::int64_t)
#define TF_CALL_uint8(m) m(::tensorflow::uint8)
#define TF_CALL_uint16(m) m(::tensorflow::uint16)
#define TF_CALL_uint32(m) m(::tensorflow::uint32)
#define TF_CALL_uint64(m) m(::tensorflow::uint64)
#define TF_CALL_bool(m) m(bool)
#define TF_CALL_half(m) m(Eigen::half)
#define TF_CALL_bfloat16(m) m(::tensorflow::bfloat16)
#define TF_CALL_HALF_FLOAT(m) TF_CALL_half(m) TF_CALL_float(m)
#define TF_CALL_FLOAT_TYPES(m) \
  TF_CALL_half(m) TF_CALL_bfloat16(m) TF_CALL_float(m) TF_CALL_double(m)
#define TF_CALL_float_types(m) TF_CALL_FLOAT_TYPES(m)
#define TF_CALL_GPU_NUMBER_TYPES(m) TF_CALL_half(m) TF_CALL_float(m) TF_CALL_double(m)
#define TF_CALL_SIGNED_INTEGRAL_TYPES(m) \
  TF_CALL_int64(m) TF_CALL_int32(m) TF_CALL_int16(m) TF_CALL_int8(m)
#define TF_CALL_UNSIGNED_INTEGRAL_TYPES(m) \
  TF_CALL_uint64(m) TF_CALL_uint32(m) TF_CALL_uint16(m) TF_CALL_uint8(m)
#define TF_CALL_INTEGRAL_TYPES_NO_INT32(m) \
  TF_CALL_UNSIGNED_INTEGRAL_TYPES(m)       \
  TF_CALL_int64(m) TF_CALL_int16(m) TF_CALL_int8(m)
#define TF_CALL_INTEGRAL_TYPES(m) TF_CALL_INTEGRAL_TYPES_NO_INT32(m) TF_CALL_int32(m)
#define TF_CALL_REAL_NUMBER_TYPES_NO_INT32(m) \
  TF_CALL_INTEGRAL_TYPES_NO_INT32(m) TF_CALL_FLOAT_TYPES(m)
#define TF_CALL_REAL_NUMBER_TYPES(m) TF_CALL_INTEGRAL_TYPES(m) TF_CALL_FLOAT_TYPES(m)
#define TF_CALL_NUMBER_TYPES(m) TF_CALL_REAL_NUMBER_TYPES(m)
#define TF_CALL_POD_TYPES(m) TF_CALL_NUMBER_TYPES(m) TF_CALL_bool(m)

#pragma GCC visibility pop

#endif
