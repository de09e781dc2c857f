// Element types of tensors. After poplar/Type.hpp of the Poplar SDK 3.
#ifndef poplar_Type_hpp
#define poplar_Type_hpp

#include <popir/Half.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/TypeTraits.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
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
  constexpr std::size_t hash() const { return static_cast<std::size_t>(kind_); }
  /// The spelling in codelets: "float", "half", "int", "unsigned int", "bool", ...
  std::string toString() const;
  /// Bytes per element on the device.
  std::size_t sizeInBytes() const;

  constexpr bool isFloatingPoint() const { return kind_ >= Kind::Quarter && kind_ < Kind::Invalid; }
  constexpr bool isIntegral() const { return kind_ != Kind::Bool && kind_ <= Kind::Longlong; }
  /// Whether the elements are numbers by their metadata alone (poplar/MetadataCreation.hpp).
  constexpr bool requiresMetadata() const { return kind_ == Kind::Quarter; }
  constexpr bool operator==(const Type& o) const { return kind_ == o.kind_; }
  constexpr bool operator!=(const Type& o) const { return kind_ != o.kind_; }
  constexpr bool operator<(const Type& o) const { return kind_ < o.kind_; }

 private:
  Kind kind_;
};

std::ostream& operator<<(std::ostream& os, const Type& t);

// No constants, as in the SDK: sources take references to them.
#define POPIR_TYPE static __attribute__((unused)) Type
POPIR_TYPE BOOL{Type::Kind::Bool};
POPIR_TYPE CHAR{Type::Kind::Char};
POPIR_TYPE UNSIGNED_CHAR{Type::Kind::UnsignedChar};
POPIR_TYPE SIGNED_CHAR{Type::Kind::SignedChar};
POPIR_TYPE UNSIGNED_SHORT{Type::Kind::UnsignedShort};
POPIR_TYPE SHORT{Type::Kind::Short};
POPIR_TYPE UNSIGNED_INT{Type::Kind::UnsignedInt};
POPIR_TYPE INT{Type::Kind::Int};
POPIR_TYPE UNSIGNED_LONG{Type::Kind::UnsignedInt};
POPIR_TYPE LONG{Type::Kind::Int};
POPIR_TYPE UNSIGNED_LONGLONG{Type::Kind::UnsignedLonglong};
POPIR_TYPE LONGLONG{Type::Kind::Longlong};
POPIR_TYPE QUARTER{Type::Kind::Quarter};
/// Metadata of QUARTER (poplar/MetadataCreation.hpp), one byte.
POPIR_TYPE QUARTER_METADATA{Type::Kind::UnsignedChar};
POPIR_TYPE HALF{Type::Kind::Half};
POPIR_TYPE BFLOAT16{Type::Kind::Bfloat16};
POPIR_TYPE FLOAT{Type::Kind::Float};
POPIR_TYPE DOUBLE{Type::Kind::Double};
#undef POPIR_TYPE

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
  struct equivalent_device_type<CPP> : TypeConstant<Type::Kind::DEVICE> {};
POPIR_EQUIVALENT(bool, Bool)
POPIR_EQUIVALENT(char, Char)
POPIR_EQUIVALENT(unsigned char, UnsignedChar)
POPIR_EQUIVALENT(signed char, SignedChar)
POPIR_EQUIVALENT(unsigned short, UnsignedShort)
POPIR_EQUIVALENT(short, Short)
POPIR_EQUIVALENT(unsigned int, UnsignedInt)
POPIR_EQUIVALENT(int, Int)
POPIR_EQUIVALENT(unsigned long, UnsignedInt)
POPIR_EQUIVALENT(long, Int)
POPIR_EQUIVALENT(unsigned long long, UnsignedLonglong)
POPIR_EQUIVALENT(long long, Longlong)
POPIR_EQUIVALENT(popir::Half, Half)
POPIR_EQUIVALENT(IeeeHalf, Half)
POPIR_EQUIVALENT(float, Float)
POPIR_EQUIVALENT(double, Double)
#undef POPIR_EQUIVALENT

}  // namespace poplar

#pragma GCC visibility pop

#endif
