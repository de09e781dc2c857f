// Elements of variables. After poplar/VariableInterval.hpp of the Poplar SDK 3.
#ifndef poplar_VariableInterval_hpp
#define poplar_VariableInterval_hpp

#include <poplar/Interval.hpp>
#include <poplar/VariableRef.hpp>

namespace poplar {

/// Adjacent elements of one variable.
struct VariableInterval {
  VariableInterval() = default;
  VariableInterval(VariableRef var_, Interval interval_) : var(var_), interval(interval_) {}

  VariableRef var;
  Interval interval;
};

inline bool operator==(const VariableInterval& a, const VariableInterval& b) {
  return a.var == b.var && a.interval == b.interval;
}
inline bool operator!=(const VariableInterval& a, const VariableInterval& b) { return !(a == b); }
inline bool operator<(const VariableInterval& a, const VariableInterval& b) {
  return a.var == b.var ? a.interval < b.interval : a.var < b.var;
}

}  // namespace poplar

#endif
