// Element types of tensors. After poplar/Type.hpp of the Poplar SDK 3.
#ifndef poplar_Type_hpp
#define poplar_Type_hpp

#include <poplar/HalfFloat.hpp>
#include <poplar/StringRef.hpp>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <type_traits>

#pragma GCC visibility push(default)

namespace poplar {

/// An element type.
///
/// LONGLONG, UNSIGNED_LONGLONG, DOUBLE and BFLOAT16 work here although IPU hardware does not
/// support them. Reports name the programs that use them.
class Type {
 public:
  enum class Kind : std::uint8_t {
    Bool,
    Char,
    UnsignedChar,
    SignedChar,
    UnsignedShort,
    Short,
    UnsignedInt,
    Int,
    UnsignedLonglong,
    Longlong,
    Quarter,
    Half,
    Bfloat16,
    Float,
    Double,
    Invalid
  };

  constexpr Type() : kind_(Kind::Invalid) {}
  constexpr explicit Type(Kind kind) : kind_(kind) {}

  constexpr Kind kind() const { return kind_; }
  /// The spelling in codelets: "float", "half", "int", "unsigned int", "bool", ...
  std::string toString() const;
  /// Bytes per element on the device.
  std::size_t sizeInBytes() const;

  constexpr bool operator==(const Type& o) const { return kind_ == o.kind_; }
  constexpr bool operator!=(const Type& o) const { return kind_ != o.kind_; }
  constexpr bool operator<(const Type& o) const { return kind_ < o.kind_; }

 private:
  Kind kind_;
};

std::ostream& operator<<(std::ostream& os, const Type& t);

static constexpr Type BOOL{Type::Kind::Bool};
static constexpr Type CHAR{Type::Kind::Char};
static constexpr Type UNSIGNED_CHAR{Type::Kind::UnsignedChar};
static constexpr Type SIGNED_CHAR{Type::Kind::SignedChar};
static constexpr Type UNSIGNED_SHORT{Type::Kind::UnsignedShort};
static constexpr Type SHORT{Type::Kind::Short};
static constexpr Type UNSIGNED_INT{Type::Kind::UnsignedInt};
static constexpr Type INT{Type::Kind::Int};
static constexpr Type UNSIGNED_LONG{Type::Kind::UnsignedInt};
static constexpr Type LONG{Type::Kind::Int};
static constexpr Type UNSIGNED_LONGLONG{Type::Kind::UnsignedLonglong};
static constexpr Type LONGLONG{Type::Kind::Longlong};
static constexpr Type QUARTER{Type::Kind::Quarter};
static constexpr Type HALF{Type::Kind::Half};
static constexpr Type BFLOAT16{Type::Kind::Bfloat16};
static constexpr Type FLOAT{Type::Kind::Float};
static constexpr Type DOUBLE{Type::Kind::Double};

/// A Type as a compile-time value. It is a template so that `value` can be defined in this header
/// in C++11: a static member of a class template may be.
template <Type::Kind K>
struct TypeConstant {
  static constexpr Type value = Type(K);
  static constexpr Type::Kind kind = K;
};
#if __cplusplus < 201703L
template <Type::Kind K>
constexpr Type TypeConstant<K>::value;
#endif

/// The device type equivalent to a C++ type of the host.
template <class T>
struct equivalent_device_type;
#define POPIR_EQUIVALENT(CPP, DEVICE) \
  template <>                         \
  struct equivalent_device_type<CPP> : TypeConstant<DEVICE.kind()> {};
POPIR_EQUIVALENT(bool, BOOL)
POPIR_EQUIVALENT(char, CHAR)
POPIR_EQUIVALENT(unsigned char, UNSIGNED_CHAR)
POPIR_EQUIVALENT(signed char, SIGNED_CHAR)
POPIR_EQUIVALENT(unsigned short, UNSIGNED_SHORT)
POPIR_EQUIVALENT(short, SHORT)
POPIR_EQUIVALENT(unsigned int, UNSIGNED_INT)
POPIR_EQUIVALENT(int, INT)
POPIR_EQUIVALENT(unsigned long, UNSIGNED_INT)
POPIR_EQUIVALENT(long, INT)
POPIR_EQUIVALENT(unsigned long long, UNSIGNED_LONGLONG)
POPIR_EQUIVALENT(long long, LONGLONG)
POPIR_EQUIVALENT(half, HALF)
POPIR_EQUIVALENT(float, FLOAT)
POPIR_EQUIVALENT(double, DOUBLE)
#undef POPIR_EQUIVALENT

/// isSimpleType: true for arithmetic types and half.
struct TypeTraits {
  template <class T>
  static constexpr bool isSimpleType() {
    return std::is_arithmetic<T>::value || std::is_same<T, half>::value;
  }
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
