// popart::any, for C++11. After popart/vendored/any.hpp of PopART 3.
#ifndef popart_vendored_any_hpp
#define popart_vendored_any_hpp

#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace popart {

class bad_any_cast : public std::bad_cast {
 public:
  const char* what() const noexcept override { return "popart::any holds another type"; }
};

/// A value of any copyable type, with the interface of std::any.
class any {
  template <typename T>
  using Decayed = typename std::decay<T>::type;

 public:
  any() = default;
  any(const any& o) : held_(o.held_ ? o.held_->copy() : nullptr) {}
  any(any&&) = default;
  template <typename T,
            typename = typename std::enable_if<!std::is_same<Decayed<T>, any>::value>::type>
  any(T&& value) : held_(new Held<Decayed<T>>(std::forward<T>(value))) {}
  any& operator=(any o) {
    held_ = std::move(o.held_);
    return *this;
  }

  bool has_value() const { return held_ != nullptr; }
  bool empty() const { return held_ == nullptr; }
  void reset() { held_.reset(); }
  const std::type_info& type() const { return held_ ? held_->type() : typeid(void); }

  template <typename T>
  friend const T* any_cast(const any* a) {
    return a != nullptr && a->type() == typeid(T) ? &static_cast<const Held<T>&>(*a->held_).value
                                                  : nullptr;
  }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual std::unique_ptr<Base> copy() const = 0;
    virtual const std::type_info& type() const = 0;
  };
  template <typename T>
  struct Held : Base {
    template <typename U>
    explicit Held(U&& v) : value(std::forward<U>(v)) {}
    std::unique_ptr<Base> copy() const override { return std::unique_ptr<Base>(new Held(value)); }
    const std::type_info& type() const override { return typeid(T); }
    T value;
  };

  std::unique_ptr<Base> held_;
};

/// \throws bad_any_cast if `a` does not hold a T
template <typename T>
T any_cast(const any& a) {
  using Value = typename std::decay<T>::type;
  if (const Value* value = any_cast<Value>(&a)) return *value;
  throw bad_any_cast();
}

}  // namespace popart

#endif
