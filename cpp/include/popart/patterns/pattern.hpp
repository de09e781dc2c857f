// Base classes of graph rewrites. After popart/patterns/pattern.hpp of PopART 3.
#ifndef popart_patterns_pattern_hpp
#define popart_patterns_pattern_hpp

#include <popart/names.hpp>
#include <popart/operatoridentifier.hpp>

#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Base class of patterns.
class Pattern {
 public:
  Pattern() = default;
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  virtual ~Pattern();

  /// The name given to its PatternCreator.
  const std::string& getPatternName() const;

 protected:
  /// A name for the operator that replaces `op`: "<name of op>:<name>_<pattern name>".
  std::string getReplacementOpName(Op* op, const std::string& name) const;
  /// Copies the settings that control where and when an operator runs.
  void transferBaseProperties(const Op* from, Op* to) const;
};

/// A rewrite that is tried on each operator before in-placing, repeatedly, until none applies.
class PreAliasPattern : public Pattern {
 public:
  ~PreAliasPattern() override;

  /// True if apply() can rewrite the graph at `op`.
  virtual bool matches(Op* op) const = 0;
  /// The tensors that apply() would remove or change. apply() is not called if one of them is an
  /// anchor.
  virtual std::vector<const Tensor*> touches(Op* op) const = 0;
  /// Whether one of these is sent to the host.
  bool touchesAnchored(Op* op) const;
  /// Rewrites the graph at `op`. Returns true if the graph changed.
  virtual bool apply(Op* op) const = 0;

  /// Creates an unconnected operator in the graph of `oldOp`, with the settings of
  /// transferBaseProperties().
  /// \throws error if no such operator is registered
  Op* makeReplacementOpInIr(const OperatorIdentifier& opid, Op* oldOp,
                            const std::string& name = "") const;

 protected:
  std::unique_ptr<Op> makeReplacementOp(const OperatorIdentifier& opid, Op* oldOp,
                                        const std::string& name = "") const;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
