// Operator attributes as text, for hashes, outlining and reports.
// After popart/opserialiser.hpp of PopART 3.
#ifndef popart_opserialiser_hpp
#define popart_opserialiser_hpp

#include <popart/basicoptionals.hpp>
#include <popart/logging.hpp>
#include <popart/names.hpp>
#include <popart/scope.hpp>

#include <sstream>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Receives the attributes from Op::appendAttributes().
class OpSerialiserBase {
 public:
  virtual ~OpSerialiserBase();

  // Floating-point values are written with enough digits to be read back exactly.
  void appendAttribute(const std::string& name, float value);
  void appendAttribute(const std::string& name, double value);
  void appendAttribute(const std::string& name, int value);
  void appendAttribute(const std::string& name, int64_t value);
  void appendAttribute(const std::string& name, uint32_t value);
  void appendAttribute(const std::string& name, uint64_t value);
  void appendAttribute(const std::string& name, bool value);
  void appendAttribute(const std::string& name, const std::string& value);
  void appendAttribute(const std::string& name, const char* value);
  void appendAttribute(const std::string& name, const std::vector<float>& value);
  void appendAttribute(const std::string& name, const std::vector<double>& value);
  void appendAttribute(const std::string& name, const std::vector<int64_t>& value);
  void appendAttribute(const std::string& name, const Scope& value);
  /// Any type with operator<<.
  template <typename T>
  void appendAttribute(const std::string& name, const T& value) {
    appendStrAttr(name, logging::internal::text(value));
  }

 private:
  virtual void appendStrAttr(const std::string& name, const std::string& value) = 0;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
