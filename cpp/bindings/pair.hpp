// Pairs of objects in arguments and in what callbacks return.
#ifndef popir_bindings_pair_hpp
#define popir_bindings_pair_hpp

#include <pybind11/pybind11.h>

namespace popir {

/// A std::pair of bound classes, to which any sequence of two items converts. pybind11's caster of
/// std::pair is not safe here: it uses pointers into the items after it has released them. If the
/// sequence makes its items on access, like a tensor of two rows, they no longer exist then.
template <class First, class Second>
struct Pair {
  First first{};
  Second second{};
};

}  // namespace popir

namespace pybind11 {
namespace detail {

template <class First, class Second>
class type_caster<popir::Pair<First, Second>> {
  using Value = popir::Pair<First, Second>;

 public:
  PYBIND11_TYPE_CASTER(Value, const_name("tuple[") + make_caster<First>::name + const_name(", ") +
                                  make_caster<Second>::name + const_name("]"));

  bool load(handle given, bool convert) {
    if (!isinstance<sequence>(given)) return false;
    const auto items = reinterpret_borrow<sequence>(given);
    if (items.size() != 2) return false;
    const object first = items[0], second = items[1];
    make_caster<First> ofFirst;
    make_caster<Second> ofSecond;
    if (!ofFirst.load(first, convert) || !ofSecond.load(second, convert)) return false;
    value.first = cast_op<First>(ofFirst);
    value.second = cast_op<Second>(ofSecond);
    return true;
  }
};

}  // namespace detail
}  // namespace pybind11

#endif
