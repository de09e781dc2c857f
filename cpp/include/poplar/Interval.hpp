// Half-open ranges of element indices. After poplar/Interval.hpp of the Poplar SDK 3.
#ifndef poplar_Interval_hpp
#define poplar_Interval_hpp

#include <cstddef>
#include <ostream>

#pragma GCC visibility push(default)

namespace poplar {

/// The range [begin, end).
template <class T>
class GenericInterval {
 public:
  GenericInterval() : begin_(0), end_(0) {}
  GenericInterval(T begin, T end) : begin_(begin), end_(end) {}

  const T& begin() const { return begin_; }
  const T& end() const { return end_; }
  std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
  const T& lower() const { return begin_; }
  const T& upper() const { return end_; }

  friend bool operator==(const GenericInterval& a, const GenericInterval& b) {
    return a.begin_ == b.begin_ && a.end_ == b.end_;
  }
  friend bool operator!=(const GenericInterval& a, const GenericInterval& b) { return !(a == b); }
  friend bool operator<(const GenericInterval& a, const GenericInterval& b) {
    return a.begin_ < b.begin_ || (a.begin_ == b.begin_ && a.end_ < b.end_);
  }
  friend std::ostream& operator<<(std::ostream& os, const GenericInterval& i) {
    return os << "[" << i.begin_ << "," << i.end_ << ")";
  }

 private:
  T begin_;
  T end_;
};

using Interval = GenericInterval<std::size_t>;

}  // namespace poplar

#pragma GCC visibility pop

#endif
