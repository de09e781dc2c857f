// A list whose elements are found fast. After popart/vectorandset.hpp of PopART 3.
#ifndef popart_vectorandset_hpp
#define popart_vectorandset_hpp

#include <set>
#include <vector>

namespace popart {

template <class T>
class VectorAndSet {
 public:
  VectorAndSet() = default;
  VectorAndSet(const std::vector<T>& values) { reset(values); }

  bool contains(T value) const { return found_.count(value) != 0; }
  /// In the order in which they came.
  const std::vector<T>& v() const { return values_; }
  /// At the end, if it is not there.
  void insert(const T& value) {
    if (found_.insert(value).second) values_.push_back(value);
  }
  void reset(const std::vector<T>& values) {
    values_ = values;
    found_ = std::set<T>(values.begin(), values.end());
  }

 private:
  std::vector<T> values_;
  std::set<T> found_;
};

}  // namespace popart

#endif
