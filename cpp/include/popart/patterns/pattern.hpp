// popart/patterns/pattern.hpp: rewrites of a graph.
#ifndef popart_patterns_pattern_hpp
#define popart_patterns_pattern_hpp

#include <popart/names.hpp>
#include <popart/operatoridentifier.hpp>

#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Pattern {
 public:
  Pattern() = default;
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  virtual ~Pattern();

  /// As given to its PatternCreator.
  const std::string& getPatternName() const;

 protected:
  /// For the operator that replaces `op`: "name of op:name of pattern_name".
  std::string getReplacementOpName(Op* op, const std::string& name) const;
  /// Copies the settings that say where and when an operator runs.
  void transferBaseProperties(const Op* from, Op* to) const;
};

/// A rewrite that runs, for each operator, before operators are made to work in place, again and
/// again until none applies.
class PreAliasPattern : public Pattern {
 public:
  ~PreAliasPattern() override;

  virtual bool matches(Op* op) const = 0;
  /// The tensors that apply() would remove or change; if one is an anchor it is not called.
  virtual std::vector<const Tensor*> touches(Op* op) const = 0;
  /// Rewrites. Returns whether the graph changed.
  virtual bool apply(Op* op) const = 0;

  /// A new operator in the graph of `oldOp`, not connected yet, with its place and time settings.
  /// \throws error if no such operator is registered.
  Op* makeReplacementOpInIr(const OperatorIdentifier& opid, Op* oldOp,
                            const std::string& name = "") const;

 protected:
  std::unique_ptr<Op> makeReplacementOp(const OperatorIdentifier& opid, Op* oldOp,
                                        const std::string& name = "") const;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
