// Names of vertex template instances. After poputil/VertexTemplates.hpp of PopLibs 3.
#ifndef poputil_VertexTemplates_hpp
#define poputil_VertexTemplates_hpp

#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>
#include <string>
#include <utility>

namespace poputil {

/// Spelling of a template argument of type T. Specialise it for enumerations.
template <typename T>
struct VertexTemplateToString {
  static std::string to_string(const T& x) { return std::to_string(x); }
};
template <>
struct VertexTemplateToString<std::string> {
  static std::string to_string(const std::string& x) { return x; }
};
template <>
struct VertexTemplateToString<poplar::StringRef> {
  static std::string to_string(const poplar::StringRef& x) { return x; }
};
template <>
struct VertexTemplateToString<poplar::Type> {
  static std::string to_string(const poplar::Type& x) { return x.toString(); }
};
template <>
struct VertexTemplateToString<bool> {
  static std::string to_string(bool x) { return x ? "true" : "false"; }
};
template <>
struct VertexTemplateToString<const char*> {
  static std::string to_string(const char* x) { return x; }
};
template <>
struct VertexTemplateToString<char*> {
  static std::string to_string(const char* x) { return x; }
};

namespace detail {
inline std::string joined() { return ""; }
template <typename T, typename... Rest>
std::string joined(const T& first, const Rest&... rest) {
  return "," + VertexTemplateToString<typename std::decay<const T&>::type>::to_string(first) +
         joined(rest...);
}
}  // namespace detail

/// Returns "name<a,b,c>". Types are spelled as in codelets, bools as true and false, strings
/// unchanged, numbers in decimal. Without arguments: "name".
template <typename... Args>
std::string templateVertex(const std::string& name, const Args&... args) {
  const std::string list = detail::joined(args...);
  return list.empty() ? name : name + "<" + list.substr(1) + ">";
}

}  // namespace poputil

#endif
