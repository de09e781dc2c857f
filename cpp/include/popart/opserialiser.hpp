// Operator attributes as text, for hashes, outlining and reports.
// After popart/opserialiser.hpp of PopART 3.
#ifndef popart_opserialiser_hpp
#define popart_opserialiser_hpp

#include <popart/basicoptionals.hpp>
#include <popart/logging.hpp>
#include <popart/names.hpp>
#include <popart/scope.hpp>
#include <popart/vendored/optional.hpp>

#include <map>
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
  /// What is not there has no text.
  virtual void appendAttribute(const std::string& name, nonstd::optional<int64_t> value);
  virtual void appendAttribute(const std::string& name, nonstd::optional<float> value);
  virtual void appendAttribute(const std::string& name, nonstd::optional<double> value);
  virtual void appendAttribute(const std::string& name, const std::map<TensorId, uint64_t> value);
  /// The operator to which a gradient belongs, by its identifier.
  virtual void appendForwardOp(const Op* op);
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
