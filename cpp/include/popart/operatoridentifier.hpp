// Operator identifiers: domain, name and version. After popart/operatoridentifier.hpp of PopART 3.
#ifndef popart_operatoridentifier_hpp
#define popart_operatoridentifier_hpp

#include <popart/names.hpp>

#include <limits>
#include <ostream>
#include <string>
#include <tuple>

#pragma GCC visibility push(default)

namespace popart {

namespace Domain {
constexpr const char* ai_onnx = "ai.onnx";
constexpr const char* ai_onnx_ml = "ai.onnx.ml";
constexpr const char* ai_graphcore = "ai.graphcore";
}  // namespace Domain

/// Minimum and maximum number of inputs; 0 and 0 if unknown.
struct NumInputs {
  int min = 0;
  int max = 0;

  NumInputs() = default;
  NumInputs(int f) : min(f), max(f) {}
  NumInputs(int min_, int max_) : min(min_), max(max_) {}
};

/// Identifies an operator. Comparisons ignore the numbers of inputs and outputs.
struct OperatorIdentifier {
  /// The domain "" means "ai.onnx".
  OperatorIdentifier(const OpDomain& domain_, const OpType& type_, OpVersion version_,
                     NumInputs inputs = {}, int outputs = 0)
      : domain(domain_.empty() ? Domain::ai_onnx : domain_),
        type(type_),
        version(version_),
        numInputs(inputs),
        numOutputs(outputs) {}

  OpDomain domain;
  OpType type;
  OpVersion version;
  NumInputs numInputs;
  int numOutputs;

  bool operator==(const OperatorIdentifier& o) const { return key() == o.key(); }
  bool operator!=(const OperatorIdentifier& o) const { return !(*this == o); }
  bool operator<(const OperatorIdentifier& o) const { return key() < o.key(); }

 private:
  std::tuple<const OpDomain&, const OpType&, OpVersion> key() const {
    return std::tuple<const OpDomain&, const OpType&, OpVersion>(domain, type, version);
  }
};

struct OperatorIdentifierLess {
  bool operator()(const OperatorIdentifier& a, const OperatorIdentifier& b) const { return a < b; }
};

/// Writes "ai.onnx.LeakyRelu:6".
std::ostream& operator<<(std::ostream& os, const OperatorIdentifier& opid);

}  // namespace popart

#pragma GCC visibility pop

#endif
