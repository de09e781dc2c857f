// Which addend a sum overwrites. After popart/patterns/updateinplaceprioritiesforipu.hpp of PopART 3.
#ifndef popart_patterns_updateinplaceprioritiesforipu_hpp
#define popart_patterns_updateinplaceprioritiesforipu_hpp

#include <popart/patterns/pattern.hpp>

#pragma GCC visibility push(default)

namespace popart {

/// Prefers the variants in place of a sum that overwrite what a product or a convolution gives, also
/// behind dropouts, group normalisations, identities and reshapes. For a program that applies it;
/// popir's in-placing gives the same results in any order.
class UpdateInplacePrioritiesForIpu : public Pattern {
 public:
  ~UpdateInplacePrioritiesForIpu() override;
  /// Adds 10 to the priority of such a variant of an AddOp. Other operators stay.
  void apply(Op* op) const;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
