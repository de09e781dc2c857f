// Values as bytes, for saved executables, compiled codelets and profiles: what a Writer puts, a
// Reader gets in the same order. Nothing says what is what, so a file says its version first.
#ifndef popir_poplar_archive_hpp
#define popir_poplar_archive_hpp

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

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
/// The members that T::state() ties together, as values.
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
      static_assert(std::is_trivially_copyable<T>::value, "say how to put it");
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
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

/// What `Reader` throws when bytes end too early.
struct EndOfArchive {};

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
    } else {
      static_assert(std::is_trivially_copyable<T>::value, "say how to get it");
      std::memcpy(&value, take(sizeof value), sizeof value);
    }
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
      if (n > left() / sizeof(T)) throw EndOfArchive();
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
  /// The members of a tuple in their order.
  template <class Tuple>
  Tuple getTuple() {
    Tuple values;
    std::apply([&](auto&... member) { (get(member), ...); }, values);
    return values;
  }
  /// A number of things, each at least a byte. \throws EndOfArchive
  std::size_t count() {
    const auto n = get<std::size_t>();
    if (n > left()) throw EndOfArchive();
    return n;
  }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  const char* take(std::size_t n) {
    if (n > left()) throw EndOfArchive();
    const auto* from = bytes_.data() + at_;
    at_ += n;
    return from;
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

/// FNV-1a in hexadecimal.
std::string hashOf(const std::string& bytes);

}  // namespace popir

#endif
