// Helpers used by operator sources. After popart/util.hpp of PopART 3.
#ifndef popart_util_hpp
#define popart_util_hpp

#include <popart/datatype.hpp>
#include <popart/names.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Scope;

/// Writes "[1 2 3]".
template <typename T>
std::ostream& operator<<(std::ostream& os, const std::vector<T>& values) {
  os << "[";
  for (std::size_t i = 0; i < values.size(); ++i) os << (i ? " " : "") << values[i];
  return os << "]";
}

/// Writes "{(a, 1), (b, 2)}".
template <typename K, typename V>
std::ostream& operator<<(std::ostream& os, const std::map<K, V>& values) {
  os << "{";
  const char* between = "";
  for (const auto& item : values) {
    os << between << "(" << item.first << ", " << item.second << ")";
    between = ", ";
  }
  return os << "}";
}

namespace internal {
template <std::size_t I, typename... T>
typename std::enable_if<I == sizeof...(T)>::type listed(std::ostream&, const std::tuple<T...>&) {}
template <std::size_t I, typename... T>
typename std::enable_if<(I < sizeof...(T))>::type listed(std::ostream& os,
                                                         const std::tuple<T...>& values) {
  os << (I ? ", " : "") << std::get<I>(values);
  listed<I + 1>(os, values);
}
}  // namespace internal

/// Writes "(a, 1)".
template <typename... T>
std::ostream& operator<<(std::ostream& os, const std::tuple<T...>& values) {
  os << "(";
  internal::listed<0>(os, values);
  return os << ")";
}
template <typename T, typename U>
std::ostream& operator<<(std::ostream& os, const std::pair<T, U>& value) {
  return os << "(" << value.first << ", " << value.second << ")";
}

/// The operators and tensors of a graph and of its copy: from each to the other.
struct ClonedGraphMaps {
  std::map<OpId, OpId> opIdMap;
  std::map<TensorId, TensorId> tensorIdMap;
};

/// The id of a tensor without the end "__t" and a number that makes an id unique; the id itself if
/// that would leave nothing.
TensorId getBaseTensorId(const TensorId& id);

template <typename T>
bool isOneOf(const T& value, const std::vector<T>& values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}
template <typename T>
bool isNotOneOf(const T& value, const std::vector<T>& values) {
  return !isOneOf(value, values);
}

/// True if a and b differ by at most one epsilon of the larger one.
template <typename T>
bool isAlmostEqual(T a, T b) {
  const T larger = std::max(std::abs(a), std::abs(b));
  return std::abs(a - b) <= std::numeric_limits<T>::epsilon() * larger;
}

/// The value as text, padded to at least `width` characters.
template <typename T>
std::string padded(const T& value, int width) {
  std::ostringstream os;
  os << value;
  std::string text = os.str();
  if (static_cast<int>(text.size()) < width) text.resize(static_cast<std::size_t>(width), ' ');
  return text;
}

/// Converts the elements to another type.
template <typename X, typename Y>
std::vector<Y> vXtoY(const std::vector<X>& values) {
  std::vector<Y> made;
  made.reserve(values.size());
  for (const X& x : values) made.push_back(static_cast<Y>(x));
  return made;
}
template <typename To, typename From>
std::vector<To> vector_cast(const std::vector<From>& values) {
  return vXtoY<From, To>(values);
}

/// Converts bools to numbers.
template <typename Y>
std::vector<Y> vBooltoY(const std::vector<bool>& values) {
  return std::vector<Y>(values.begin(), values.end());
}

template <typename Key, typename T, typename Compare, typename Allocator, typename Predicate>
void erase_if(std::map<Key, T, Compare, Allocator>& map, const Predicate& predicate) {
  for (auto it = map.begin(); it != map.end();) it = predicate(*it) ? map.erase(it) : std::next(it);
}

/// `nbytes` bytes of numbers of one type as those of another, as a static_cast converts them.
/// \throws error for a number that the integers of `dst` do not have, for types without numbers, and
/// for a size that is no multiple of an element's
std::vector<char> cast(DataType src, DataType dst, const void* data, std::size_t nbytes);
std::vector<char> cast(DataType src, DataType dst, const std::vector<char>& data);

/// The id of a tensor of a graph: that of the graph before it, and the reverse.
TensorId addScope(const Graph& graph, const TensorId& id);
/// \throws error for an id that does not begin with the graph's scope
TensorId removeScope(const Graph& graph, const TensorId& id);
/// Those of a scope, as PopART had them to SDK 2.5.
TensorId addScope(const Scope& scope, const TensorId& id);
TensorId removeScope(const Scope& scope, const TensorId& id);
/// The parts of a text between delimiters: one, if there is no delimiter in it.
/// \throws error for a delimiter without characters
std::vector<std::string> splitString(const std::string& text, const std::string& delimiter);

/// Converts a negative axis, counted from the end, to a non-negative one.
/// \throws error if it is outside of [-rank, rank)
int64_t getReduceAxis(int64_t axis, int64_t rank);
/// \throws error, starting with `who`, if the axis is outside of [-rank, rank)
void validateReduceAxis(int64_t axis, int64_t rank, const std::string& who);
/// validateReduceAxis() for each axis.
void validateReduceAxes(const std::vector<int64_t>& axes, int64_t rank, const std::string& who);
/// getReduceAxis() for each axis.
void normalizeReduceAxes(std::vector<int64_t>& axes, int64_t rank);

}  // namespace popart

namespace std {
// Lets code outside of namespace popart find them for what is std's, as in PopART.
using popart::operator<<;
}  // namespace std

namespace popart {

namespace internal {
template <typename Range>
std::ostream& braced(std::ostream& os, const Range& range) {
  os << "{";
  const char* between = "";
  for (const auto& item : range) {
    os << between << item;
    between = ", ";
  }
  return os << "}";
}
}  // namespace internal

/// Writes "{1, 2}". Visible in namespace popart only, to avoid conflicts with other sources.
template <typename T>
std::ostream& operator<<(std::ostream& os, const std::set<T>& values) {
  return internal::braced(os, values);
}

}  // namespace popart

#pragma GCC visibility pop

#endif
