#include "bindings/work_sizes.hpp"

#include <poplar/exceptions.hpp>

#include <string>
#include <tuple>
#include <type_traits>

#include "support/archive.hpp"

namespace popir {
namespace {

template <class W>
constexpr std::size_t kFields = std::tuple_size_v<decltype(W::fields(std::declval<W&>()))>;

class SizeReader {
 public:
  explicit SizeReader(const std::vector<std::uint64_t>& sizes) : sizes_(sizes) {}

  template <class T>
  void get(T& field) {
    if constexpr (std::is_enum_v<T>) {
      const auto last = static_cast<std::uint64_t>(lastOf(field));
      auto number = static_cast<std::uint64_t>(field);
      get(number);
      if (number > last)
        throw poplar::poplar_error("sizes[" + std::to_string(at_ - 1) + "] is " +
                                   std::to_string(number) + "; the enumeration ends at " +
                                   std::to_string(last));
      field = static_cast<T>(number);
    } else if constexpr (std::is_arithmetic_v<T>) {
      if (left() > 0) field = static_cast<T>(sizes_[at_++]);
    } else {
      std::apply([&](auto&... each) { (get(each), ...); }, T::fields(field));
    }
  }
  void get(poplar::Type& type) {
    auto kind = type.kind();
    get(kind);
    type = poplar::Type(kind);
  }
  template <class T>
  void get(std::vector<T>& fields) {
    while (left() >= kFields<T>) get(fields.emplace_back());
  }
  /// \throws poplar::poplar_error if numbers are left
  void end() const {
    if (left() > 0)
      throw poplar::poplar_error("sizes has " + std::to_string(sizes_.size()) +
                                 " numbers; the class takes " + std::to_string(at_));
  }

 private:
  std::size_t left() const { return sizes_.size() - at_; }

  const std::vector<std::uint64_t>& sizes_;
  std::size_t at_ = 0;
};

class SizeWriter {
 public:
  template <class T>
  void put(const T& field) {
    if constexpr (std::is_enum_v<T> || std::is_arithmetic_v<T>)
      sizes.push_back(static_cast<std::uint64_t>(field));
    else
      std::apply([&](const auto&... each) { (put(each), ...); }, T::fields(field));
  }
  void put(const poplar::Type& type) { put(type.kind()); }
  template <class T>
  void put(const std::vector<T>& fields) {
    for (const auto& field : fields) put(field);
  }

  std::vector<std::uint64_t> sizes;
};

}  // namespace

VertexWork withSizes(VertexWork work, poplar::Type type, const std::vector<std::uint64_t>& sizes) {
  std::visit(
      [&](auto& w) {
        if constexpr (!std::is_same_v<decltype(w), UnknownWork&>) w.type = type;
        SizeReader reader(sizes);
        reader.get(w);
        reader.end();
      },
      work);
  return work;
}

std::vector<std::uint64_t> sizesOf(const VertexWork& work) {
  SizeWriter to;
  std::visit([&](const auto& w) { to.put(w); }, work);
  return std::move(to.sizes);
}

}  // namespace popir
