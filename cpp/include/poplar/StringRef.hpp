// A non-owning view of a string. After poplar/StringRef.hpp of the Poplar SDK 3.
#ifndef poplar_StringRef_hpp
#define poplar_StringRef_hpp

#include <cstddef>
#include <cstring>
#include <iosfwd>
#include <ostream>
#include <string>

#pragma GCC visibility push(default)

namespace poplar {

/// A pointer and a length; converts to and from std::string.
class StringRef {
 public:
  StringRef() noexcept : data_(""), size_(0) {}
  StringRef(const char* p) : data_(p), size_(std::strlen(p)) {}
  StringRef(const char* p, std::size_t n) : data_(p), size_(n) {}
  StringRef(const std::string& s) : data_(s.data()), size_(s.size()) {}

  const char* data() const noexcept { return data_; }
  const char* begin() const noexcept { return data_; }
  const char* end() const noexcept { return data_ + size_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  char operator[](std::size_t i) const { return data_[i]; }
  std::string cloneAsString() const { return std::string(data_, size_); }
  std::string str() const { return cloneAsString(); }
  operator std::string() const { return cloneAsString(); }

 private:
  const char* data_;
  std::size_t size_;
};

inline bool operator==(StringRef a, StringRef b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}
inline bool operator!=(StringRef a, StringRef b) { return !(a == b); }
inline bool operator<(StringRef a, StringRef b) { return a.str() < b.str(); }
inline std::string operator+(StringRef a, StringRef b) { return a.str() + b.str(); }
inline std::string operator+(StringRef a, const char* b) { return a.str() + b; }
inline std::string operator+(StringRef a, const std::string& b) { return a.str() + b; }
inline std::string operator+(const char* a, StringRef b) { return a + b.str(); }
inline std::string operator+(const std::string& a, StringRef b) { return a + b.str(); }
inline std::ostream& operator<<(std::ostream& os, StringRef s) {
  return os.write(s.data(), static_cast<std::streamsize>(s.size()));
}

}  // namespace poplar

#pragma GCC visibility pop

#endif
