// Binary serialization for saved executables, compiled codelets and profiles. A Reader gets values
// in the order in which a Writer put them. The bytes contain no type tags, so each file format
// begins with its version.
//
// A Reader checks each value by itself: a bool is 0 or 1, an enumerator is in range, an element
// type exists, a count fits in the remaining bytes. The caller checks how values relate to each
// other, for example that an index is in range.
//
// Enumerators count from 0. A function next to each enumeration returns its last enumerator; a
// Reader finds it by argument-dependent lookup:
//   constexpr Access lastOf(Access) { return Access::ReadWrite; }
#ifndef popir_support_archive_hpp
#define popir_support_archive_hpp

#include <poplar/Type.hpp>

#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar {
constexpr Type::Kind lastOf(Type::Kind) { return Type::Kind::Invalid; }
}  // namespace poplar

namespace popir {

namespace archive {

template <class T, class = void>
struct HasState : std::false_type {};
template <class T>
struct HasState<T, std::void_t<decltype(std::declval<const T&>().state())>> : std::true_type {};

template <class T>
struct Decayed;
template <class... T>
struct Decayed<std::tuple<T...>> {
  using type = std::tuple<std::decay_t<T>...>;
};
/// A tuple of the members that T::state() ties, by value.
template <class T>
using StateOf = typename Decayed<decltype(std::declval<const T&>().state())>::type;

}  // namespace archive

class Writer {
 public:
  template <class T>
  void put(const T& value) {
    if constexpr (archive::HasState<T>::value) {
      std::apply([&](const auto&... member) { (put(member), ...); }, value.state());
    } else {
      static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>, "give it a state()");
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  void put(const poplar::Type& type) { put(type.kind()); }
  template <class T, std::size_t N>
  void put(const std::array<T, N>& values) {
    for (const auto& v : values) put(v);
  }
  void put(const std::string& text) {
    put(text.size());
    bytes_ += text;
  }
  void put(const std::vector<bool>& values) {
    put(values.size());
    for (const bool v : values) put(v);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(values.size());
    if constexpr (std::is_arithmetic<T>::value)
      bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    else
      for (const auto& v : values) put(v);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class A, class B>
  void put(const std::pair<A, B>& value) {
    put(value.first);
    put(value.second);
  }
  template <class K, class V>
  void put(const std::map<K, V>& values) {
    put(values.size());
    for (const auto& entry : values) put(entry);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Thrown by `Reader` if the bytes were not written by a Writer.
struct DamagedArchive : std::runtime_error {
  using runtime_error::runtime_error;
};

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    T value;
    get(value);
    return value;
  }
  template <class T>
  void get(T& value) {
    if constexpr (archive::HasState<T>::value) {
      value = std::apply([](auto&&... member) { return T{std::move(member)...}; },
                         getTuple<archive::StateOf<T>>());
    } else if constexpr (std::is_enum_v<T>) {
      const auto number = get<std::underlying_type_t<T>>();
      if (number < 0 || number > static_cast<std::underlying_type_t<T>>(lastOf(T())))
        throw DamagedArchive("a number stands for no enumerator");
      value = static_cast<T>(number);
    } else if constexpr (std::is_same_v<T, bool>) {
      const auto byte = get<unsigned char>();
      if (byte > 1) throw DamagedArchive("a truth value is neither 0 nor 1");
      value = byte == 1;
    } else {
      static_assert(std::is_arithmetic_v<T>, "give it a state()");
      std::memcpy(&value, take(sizeof value), sizeof value);
    }
  }
  /// Refuses the invalid Type(), too.
  void get(poplar::Type& type) {
    type = poplar::Type(get<poplar::Type::Kind>());
    if (type == poplar::Type()) throw DamagedArchive("an element type does not exist");
  }
  template <class T, std::size_t N>
  void get(std::array<T, N>& values) {
    for (auto& v : values) get(v);
  }
  void get(std::string& text) {
    const auto n = get<std::size_t>();
    text.assign(take(n), n);
  }
  void get(std::vector<bool>& values) {
    values.clear();
    for (auto n = count(); n > 0; --n) values.push_back(get<bool>());
  }
  template <class T>
  void get(std::vector<T>& values) {
    const auto n = count();
    values.clear();
    if constexpr (std::is_arithmetic<T>::value) {
      if (n > left() / sizeof(T)) throw early();
      values.resize(n);
      if (n > 0) std::memcpy(values.data(), take(n * sizeof(T)), n * sizeof(T));
    } else {
      for (std::size_t i = 0; i < n; ++i) values.push_back(get<T>());
    }
  }
  template <class T>
  void get(std::optional<T>& value) {
    value.reset();
    if (get<bool>()) value = get<T>();
  }
  template <class A, class B>
  void get(std::pair<A, B>& value) {
    get(value.first);
    get(value.second);
  }
  template <class K, class V>
  void get(std::map<K, V>& values) {
    values.clear();
    for (auto n = count(); n > 0; --n) {
      auto key = get<K>();
      values[std::move(key)] = get<V>();
    }
  }
  /// Reads the members of a tuple in order.
  template <class Tuple>
  Tuple getTuple() {
    Tuple values;
    std::apply([&](auto&... member) { (get(member), ...); }, values);
    return values;
  }
  /// Reads the number of elements of a container. Each element takes at least one byte, so a count
  /// beyond the remaining bytes is refused.
  /// \throws DamagedArchive
  std::size_t count() {
    const auto n = get<std::size_t>();
    if (n > left()) throw early();
    return n;
  }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  static DamagedArchive early() { return DamagedArchive("it ends too early"); }
  const char* take(std::size_t n) {
    if (n > left()) throw early();
    const auto* from = bytes_.data() + at_;
    at_ += n;
    return from;
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

/// The FNV-1a hash, in hexadecimal.
std::string hashOf(const std::string& bytes);

}  // namespace popir

#endif
