// A value of any type, as nonstd:: names it. After popart/vendored/anylite.hpp of PopART 3.
#ifndef popart_vendored_anylite_hpp
#define popart_vendored_anylite_hpp

#if __cplusplus >= 201703L
#include <any>

namespace nonstd {

using std::any;
using std::any_cast;
using std::bad_any_cast;
using std::make_any;

}  // namespace nonstd
#else
#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace nonstd {

class bad_any_cast : public std::bad_cast {
 public:
  const char* what() const noexcept override { return "bad any_cast"; }
};

/// What std::any of C++17 is.
class any {
 public:
  any() = default;
  any(const any& other) : held_(other.held_ ? other.held_->copy() : nullptr) {}
  any(any&& other) noexcept : held_(std::move(other.held_)) {}
  template <class T, class V = typename std::decay<T>::type,
            class = typename std::enable_if<!std::is_same<V, any>::value>::type>
  any(T&& value) : held_(new Held<V>(std::forward<T>(value))) {}
  any& operator=(any other) noexcept {
    held_ = std::move(other.held_);
    return *this;
  }

  bool has_value() const noexcept { return held_ != nullptr; }
  void reset() noexcept { held_ = nullptr; }
  void swap(any& other) noexcept { held_.swap(other.held_); }
  const std::type_info& type() const noexcept { return held_ ? held_->type() : typeid(void); }

 private:
  template <class T>
  friend const T* any_cast(const any* from) noexcept;

  struct Base {
    virtual ~Base() = default;
    virtual std::unique_ptr<Base> copy() const = 0;
    virtual const std::type_info& type() const noexcept = 0;
  };
  template <class T>
  struct Held : Base {
    template <class V>
    explicit Held(V&& given) : value(std::forward<V>(given)) {}
    std::unique_ptr<Base> copy() const override { return std::unique_ptr<Base>(new Held(value)); }
    const std::type_info& type() const noexcept override { return typeid(T); }
    T value;
  };

  std::unique_ptr<Base> held_;
};

/// The value, or null if it is of another type.
template <class T>
const T* any_cast(const any* from) noexcept {
  if (from == nullptr || from->type() != typeid(T)) return nullptr;
  return &static_cast<const any::Held<T>*>(from->held_.get())->value;
}
template <class T>
T* any_cast(any* from) noexcept {
  return const_cast<T*>(any_cast<T>(static_cast<const any*>(from)));
}
/// \throws bad_any_cast if it is of another type
template <class T>
T any_cast(const any& from) {
  const auto* value = any_cast<typename std::decay<T>::type>(&from);
  if (value == nullptr) throw bad_any_cast();
  return static_cast<T>(*value);
}
template <class T>
T any_cast(any& from) {
  auto* value = any_cast<typename std::decay<T>::type>(&from);
  if (value == nullptr) throw bad_any_cast();
  return static_cast<T>(*value);
}
template <class T, class... Args>
any make_any(Args&&... args) {
  return any(T(std::forward<Args>(args)...));
}

}  // namespace nonstd
#endif

#endif
