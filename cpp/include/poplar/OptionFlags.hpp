// Options as pairs of strings. After poplar/OptionFlags.hpp of the Poplar SDK 3.
#ifndef poplar_OptionFlags_hpp
#define poplar_OptionFlags_hpp

#include <initializer_list>
#include <istream>
#include <map>
#include <ostream>
#include <string>
#include <utility>

#pragma GCC visibility push(default)

namespace poplar {

/// A set of (name, value) options. Setting a name again replaces its value.
class OptionFlags {
 public:
  using OptionFlag = std::pair<const std::string, std::string>;
  using const_iterator = std::map<std::string, std::string>::const_iterator;
  using iterator = const_iterator;
  using initializer_list = std::initializer_list<OptionFlag>;

  OptionFlags() = default;
  OptionFlags(initializer_list&& list);

  void set(initializer_list&& list);
  void set(const std::string& option, const std::string& value);
  void set(const OptionFlag& flag) { set(flag.first, flag.second); }
  /// The value of `option`.
  /// \throws invalid_option if it is not set
  const std::string& at(const std::string& option) const;
  void clear() { values_.clear(); }
  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }
  const_iterator begin() const { return values_.begin(); }
  const_iterator end() const { return values_.end(); }
  const_iterator find(const std::string& option) const { return values_.find(option); }

  friend bool operator==(const OptionFlags& a, const OptionFlags& b) {
    return a.values_ == b.values_;
  }
  friend bool operator!=(const OptionFlags& a, const OptionFlags& b) { return !(a == b); }
  friend bool operator<(const OptionFlags& a, const OptionFlags& b) {
    return a.values_ < b.values_;
  }

 private:
  std::map<std::string, std::string> values_;
};

std::ostream& operator<<(std::ostream& os, const OptionFlags& options);

/// Sets the options of a JSON object, whose values are strings, numbers or booleans.
/// \throws invalid_option for other text
void readJSON(const std::string& string, OptionFlags& flags);
void readJSON(std::istream& inStream, OptionFlags& flags);
/// The same of an environment variable; nothing if it is not set.
void readJSONFromEnv(const std::string& var, OptionFlags& flags);

}  // namespace poplar

#pragma GCC visibility pop

#endif
