// Registration of patterns written in C++. After popart/patterns/patterns.hpp of PopART 3.
#ifndef popart_patterns_patterns_hpp
#define popart_patterns_patterns_hpp

#include <popart/error.hpp>
#include <popart/operators.hpp>
#include <popart/patterns/pattern.hpp>
#include <popir/sdk.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The names of patterns, by their classes: those that a PatternCreator has registered, and those of
/// popir's own classes.
class PatternNames {
 public:
  /// Names a class that no PatternCreator registers.
  static void addName(const std::type_info& pattern, const std::string& name);
  /// \throws error for a class without a name
  static const std::string& getName(const std::type_info& pattern);
  template <class PATTERN>
  static const std::string& getName() {
    return getName(typeid(PATTERN));
  }
  static bool contains(const std::string& name);
};

/// Names a pattern when its library is loaded: define a static object of this type.
template <class PATTERN>
class AddPatternName {
 public:
  AddPatternName(std::string name) { PatternNames::addName(typeid(PATTERN), name); }
};

/// The registry of patterns.
class PreAliasPatternManager {
 public:
  using Factory = std::function<std::unique_ptr<PreAliasPattern>()>;

  /// Registers a pattern. `where` is an address in the library that contains it. Never throws; a
  /// duplicate name is reported at the next use of the registry.
  static void registerPattern(std::type_index type, const std::string& name, bool enabled,
                              bool mandatory, const Factory& factory,
                              const void* where = nullptr) noexcept;
};

// Patterns as PopART 1 and 2 number them, and their names.
#define POPIR_PATTERN_TYPES(X)                                \
  X(PreUniRepl, "PreUniRepl")                                 \
  X(PostNRepl, "PostNRepl")                                   \
  X(SoftmaxGradDirect, "SoftMaxGradDirect")                   \
  X(NLLLWithSoftmaxGradDirect, "NlllWithSoftMaxGradDirect")   \
  X(OptoIdentity, "OpToIdentity")                             \
  X(SubtractArg1GradOp, "SubtractArg1GradOp")                 \
  X(MulArgGradOp, "MulArgGradOp")                             \
  X(ReciprocalGradOp, "ReciprocalGradOp")                     \
  X(DivArg0GradOp, "DivArg0GradOp")                           \
  X(DivArg1GradOp, "DivArg1GradOp")                           \
  X(SinGradOp, "SinGradOp")                                   \
  X(CosGradOp, "CosGradOp")                                   \
  X(Atan2Arg0GradOp, "Atan2Arg0GradOp")                       \
  X(Atan2Arg1GradOp, "Atan2Arg1GradOp")                       \
  X(SqrtGradOp, "SqrtGradOp")                                 \
  X(ExpGradOp, "ExpGradOp")                                   \
  X(Expm1GradOp, "Expm1GradOp")                               \
  X(Log1pGradOp, "Log1pGradOp")                               \
  X(LogGradOp, "LogGradOp")                                   \
  X(CoshOp, "CoshOp")                                         \
  X(NegativeOneScale, "NegativeOneScale")                     \
  X(PadSum, "PadSum")                                         \
  X(AbsGradOp, "AbsGradOp")                                   \
  X(SplitGather, "SplitGather")                               \
  X(ConvDataGrad, "ConvDataGrad")                             \
  X(SumtoAdd, "SumToAdd")                                     \
  X(SplitGradOpToConcat, "SplitGradOpToConcat")               \
  X(SplitOp, "SplitOp")                                       \
  X(PowArg0GradOp, "PowArg0GradOp")                           \
  X(PowArg1GradOp, "PowArg1GradOp")                           \
  X(ContiguateIPUCopyIndices, "ContiguateIpuCopyIndices")     \
  X(MatMulOp, "MatMulOp")                                     \
  X(MatMulLHSGradOp, "MatMulLhsGradOp")                       \
  X(MatMulRHSGradOp, "MatMulRhsGradOp")                       \
  X(SGD1Decompose, "SGD1Decompose")                           \
  X(LSTMOp, "LSTMOp")                                         \
  X(InitAccumulate, "InitAccumulate")                         \
  X(UpsampleToResize, "UpsampleToResize")                     \
  X(RandomNormalLikeOpPattern, "RandomNormalLikeOpPattern")   \
  X(RandomUniformLikeOpPattern, "RandomUniformLikeOpPattern") \
  X(ZerosLikeOpPattern, "ZerosLikeOpPattern")                 \
  X(ConvTranspose, "ConvTranspose")                           \
  X(DecomposeBinaryConstScalar, "DecomposeBinaryConstScalar") \
  X(FmodArg0GradOp, "FmodArg0GradOp")                         \
  X(ScanToLoop, "ScanToLoop")                                 \
  X(LoopScanOut, "LoopScanOut")
enum class PreAliasPatternType {
#define POPIR_PATTERN_TYPE(TYPE, NAME) TYPE,
  POPIR_PATTERN_TYPES(POPIR_PATTERN_TYPE)
#undef POPIR_PATTERN_TYPE
};
/// \throws error for a number that is none of them
inline std::string patternName(PreAliasPatternType type) {
#define POPIR_PATTERN_TYPE(TYPE, NAME) NAME,
  static const char* const names[] = {POPIR_PATTERN_TYPES(POPIR_PATTERN_TYPE)};
#undef POPIR_PATTERN_TYPE
  const auto number = static_cast<std::size_t>(type);
  if (number >= sizeof names / sizeof *names)
    throw error("There is no pattern of the number {}", number);
  return names[number];
}
#undef POPIR_PATTERN_TYPES

enum class PatternsLevel { NoPatterns = 0, Minimal, Default, All };

/// The patterns that a session runs: those of a level, and those that are switched by name.
class Patterns {
 public:
  Patterns(PatternsLevel level = PatternsLevel::Default) : level_(level) {}
  /// Those alone that are named.
  Patterns(std::vector<std::string> patterns) : level_(PatternsLevel::NoPatterns) {
    for (const std::string& name : patterns) switched_[name] = true;
  }
  Patterns(std::vector<PreAliasPatternType> patterns) : level_(PatternsLevel::NoPatterns) {
    for (const PreAliasPatternType type : patterns) switched_[patternName(type)] = true;
  }
  static Patterns create(std::vector<std::string> patterns) { return Patterns(patterns); }

  /// Whether a mandatory pattern that is switched off is an error, as it is by default.
  Patterns& enableRuntimeAsserts(bool on) {
    asserts_ = on;
    return *this;
  }
  /// A session throws error for an unknown name.
  Patterns& enablePattern(const std::string& name, bool on) {
    switched_[name] = on;
    return *this;
  }
  Patterns& enablePattern(PreAliasPatternType type, bool on) {
    return enablePattern(patternName(type), on);
  }
  /// \throws error for an unknown name
  bool isPatternEnabled(const std::string& name) const;
  bool isPatternEnabled(const std::string& name) {
    return static_cast<const Patterns&>(*this).isPatternEnabled(name);
  }
  bool isPatternEnabled(PreAliasPatternType type) const {
    return isPatternEnabled(patternName(type));
  }
  /// By the class of the pattern.
  /// \throws error for a class without a name
  Patterns& enablePattern(const std::type_info& pattern, bool on) {
    return enablePattern(PatternNames::getName(pattern), on);
  }
  bool isPatternEnabled(const std::type_info& pattern) const {
    return isPatternEnabled(PatternNames::getName(pattern));
  }
  static std::vector<std::string> getAllPreAliasPatternNames();
  /// Whether a pattern is registered as one that is always on.
  static bool isMandatory(Pattern& pattern);
  static bool isMandatory(std::string& name);

  // PopART's patterns, each by a function of its own.
#define POPIR_PATTERN(NAME)                                            \
  Patterns& enable##NAME(bool on) { return enablePattern(#NAME, on); } \
  bool is##NAME##Enabled() const { return isPatternEnabled(#NAME); }
  POPIR_PATTERN(InitAccumulate)
  POPIR_PATTERN(PreUniRepl)
  POPIR_PATTERN(PostNRepl)
  POPIR_PATTERN(SoftMaxGradDirect)
  POPIR_PATTERN(NlllWithSoftMaxGradDirect)
  POPIR_PATTERN(SplitGather)
  POPIR_PATTERN(OpToIdentity)
  POPIR_PATTERN(UpsampleToResize)
  POPIR_PATTERN(SubtractArg1GradOp)
  POPIR_PATTERN(MulArgGradOp)
  POPIR_PATTERN(ReciprocalGradOp)
  POPIR_PATTERN(Atan2Arg0GradOp)
  POPIR_PATTERN(Atan2Arg1GradOp)
  POPIR_PATTERN(DivArg0GradOp)
  POPIR_PATTERN(DivArg1GradOp)
  POPIR_PATTERN(PowArg0GradOp)
  POPIR_PATTERN(PowArg1GradOp)
  POPIR_PATTERN(SinGradOp)
  POPIR_PATTERN(CosGradOp)
  POPIR_PATTERN(InPlace)
  POPIR_PATTERN(UpdateInplacePrioritiesForIpu)
  POPIR_PATTERN(SqrtGradOp)
  POPIR_PATTERN(ConvFlipWeightsDoubleFlip)
  POPIR_PATTERN(ConvFlipWeightsGradOp)
  POPIR_PATTERN(ExpandCast)
  POPIR_PATTERN(ExpGradOp)
  POPIR_PATTERN(Expm1GradOp)
  POPIR_PATTERN(Log1pGradOp)
  POPIR_PATTERN(LogGradOp)
  POPIR_PATTERN(NegativeOneScale)
  POPIR_PATTERN(MatMulOp)
  POPIR_PATTERN(MatMulLhsGradOp)
  POPIR_PATTERN(MatMulRhsGradOp)
  POPIR_PATTERN(RandomNormalLikeOpPattern)
  POPIR_PATTERN(RandomUniformLikeOpPattern)
  POPIR_PATTERN(ZerosLikeOpPattern)
  POPIR_PATTERN(DecomposeBinaryConstScalar)
  POPIR_PATTERN(FmodArg0GradOp)
  POPIR_PATTERN(LambSerialisedWeight)
  POPIR_PATTERN(TiedGather)
  POPIR_PATTERN(TiedGatherAccumulate)
#undef POPIR_PATTERN

  PatternsLevel level() const { return level_; }
  const std::map<std::string, bool>& switched() const { return switched_; }
  bool asserts() const { return asserts_; }

 private:
  PatternsLevel level_;
  std::map<std::string, bool> switched_;
  bool asserts_ = true;
};

/// Registers a pattern when its library is loaded: define a static object of this type. Session
/// options enable or disable the pattern by name unless it is mandatory.
template <class PATTERN>
class PatternCreator {
 public:
  PatternCreator(std::string name, bool enabled = true, bool mandatory = false) {
    PreAliasPatternManager::registerPattern(
        typeid(PATTERN), name, enabled, mandatory,
        [] { return std::unique_ptr<PreAliasPattern>(new PATTERN()); }, this);
  }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
