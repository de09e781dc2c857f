// nonstd::optional, for C++11. After popart/vendored/optional.hpp of PopART 3.
#ifndef popart_vendored_optional_hpp
#define popart_vendored_optional_hpp

#include <memory>
#include <new>
#include <ostream>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace nonstd {

/// Made by nobody but `nullopt`: braces around a value are that value.
struct nullopt_t {
  struct Tag {};
  explicit constexpr nullopt_t(Tag, Tag) {}
};
constexpr nullopt_t nullopt{nullopt_t::Tag(), nullopt_t::Tag()};

struct in_place_t {};

class bad_optional_access : public std::logic_error {
 public:
  bad_optional_access() : std::logic_error("nonstd::optional: the value is absent") {}
};

/// A T or nothing, with the interface of std::optional.
template <typename T>
class optional {
 public:
  using value_type = T;

  optional() noexcept {}
  optional(nullopt_t) noexcept {}
  optional(const optional& o) {
    if (o.present_) put(*o);
  }
  optional(optional&& o) {
    if (o.present_) put(std::move(*o));
  }
  // Implicit where U is one of T.
  template <typename U = T,
            typename std::enable_if<
                std::is_constructible<T, U&&>::value && std::is_convertible<U&&, T>::value &&
                    !std::is_same<typename std::decay<U>::type, optional>::value,
                int>::type = 0>
  optional(U&& value) {
    put(std::forward<U>(value));
  }
  template <typename U = T,
            typename std::enable_if<
                std::is_constructible<T, U&&>::value && !std::is_convertible<U&&, T>::value &&
                    !std::is_same<typename std::decay<U>::type, optional>::value &&
                    !std::is_same<typename std::decay<U>::type, in_place_t>::value,
                int>::type = 0>
  explicit optional(U&& value) {
    put(std::forward<U>(value));
  }
  /// The value is made of `args`.
  template <typename... Args>
  explicit optional(in_place_t, Args&&... args) {
    put(std::forward<Args>(args)...);
  }
#if __cplusplus >= 201703L
  template <typename... Args>
  explicit optional(std::in_place_t, Args&&... args) {
    put(std::forward<Args>(args)...);
  }
#endif
  ~optional() { reset(); }

  optional& operator=(nullopt_t) noexcept {
    reset();
    return *this;
  }
  optional& operator=(const optional& o) {
    if (this == &o) return *this;
    reset();
    if (o.present_) put(*o);
    return *this;
  }
  optional& operator=(optional&& o) {
    if (this == &o) return *this;
    reset();
    if (o.present_) put(std::move(*o));
    return *this;
  }
  template <typename... Args>
  T& emplace(Args&&... args) {
    reset();
    put(std::forward<Args>(args)...);
    return **this;
  }
  void reset() noexcept {
    if (present_) at()->~T();
    present_ = false;
  }
  void swap(optional& o) { std::swap(*this, o); }

  explicit operator bool() const noexcept { return present_; }
  bool has_value() const noexcept { return present_; }
  const T& operator*() const { return *at(); }
  T& operator*() { return *at(); }
  const T* operator->() const { return at(); }
  T* operator->() { return at(); }
  /// \throws bad_optional_access if there is no value
  const T& value() const {
    if (!present_) throw bad_optional_access();
    return *at();
  }
  T& value() {
    if (!present_) throw bad_optional_access();
    return *at();
  }
  template <typename U>
  T value_or(U&& otherwise) const {
    return present_ ? *at() : static_cast<T>(std::forward<U>(otherwise));
  }

 private:
  template <typename... Args>
  void put(Args&&... args) {
    ::new (static_cast<void*>(&bytes_)) T(std::forward<Args>(args)...);
    present_ = true;
  }
  T* at() { return reinterpret_cast<T*>(&bytes_); }
  const T* at() const { return reinterpret_cast<const T*>(&bytes_); }

  typename std::aligned_storage<sizeof(T), alignof(T)>::type bytes_;
  bool present_ = false;
};

template <typename T>
optional<typename std::decay<T>::type> make_optional(T&& value) {
  return optional<typename std::decay<T>::type>(std::forward<T>(value));
}

template <typename T>
bool operator==(const optional<T>& a, const optional<T>& b) {
  return a.has_value() == b.has_value() && (!a || *a == *b);
}
template <typename T>
bool operator!=(const optional<T>& a, const optional<T>& b) {
  return !(a == b);
}
/// An empty optional is less than every value.
template <typename T>
bool operator<(const optional<T>& a, const optional<T>& b) {
  return b && (!a || *a < *b);
}
template <typename T>
bool operator==(const optional<T>& a, nullopt_t) {
  return !a;
}
template <typename T>
bool operator!=(const optional<T>& a, nullopt_t) {
  return bool(a);
}
template <typename T>
bool operator==(const optional<T>& a, const T& b) {
  return a && *a == b;
}

/// Writes the value, or "none".
template <typename T>
std::ostream& operator<<(std::ostream& os, const optional<T>& o) {
  return o ? os << *o : os << "none";
}

}  // namespace nonstd

#endif
