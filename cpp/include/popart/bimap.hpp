// Maps that are read in both directions. After popart/bimap.hpp of PopART 3.
#ifndef popart_bimap_hpp
#define popart_bimap_hpp

#include <map>

namespace popart {

/// Pairs of a left and a right value. A value has one partner.
template <typename L, typename R>
class BiMap {
 public:
  void insert(L l, R r) {
    left_[l] = r;
    right_[r] = l;
  }
  bool hasLeft(const L& l) const { return left_.count(l) != 0; }
  bool hasRight(const R& r) const { return right_.count(r) != 0; }
  // The functions below throw std::out_of_range for a value that is not there.
  void eraseLeft(L l) {
    right_.erase(left_.at(l));
    left_.erase(l);
  }
  void eraseRight(R r) {
    left_.erase(right_.at(r));
    right_.erase(r);
  }
  /// Gives the partner of `from` to `to`.
  void remapLeft(L from, L to) {
    const R r = left_.at(from);
    eraseLeft(from);
    insert(to, r);
  }
  void remapRight(R from, R to) {
    const L l = right_.at(from);
    eraseRight(from);
    insert(l, to);
  }
  const R& operator[](L l) const { return left_.at(l); }
  const R& at(L l) const { return left_.at(l); }
  const R& getRight(L l) const { return left_.at(l); }
  const L& getLeft(R r) const { return right_.at(r); }
  const std::map<L, R>& leftMap() const { return left_; }
  const std::map<R, L>& rightMap() const { return right_; }

 private:
  std::map<L, R> left_;
  std::map<R, L> right_;
};

}  // namespace popart

#endif
