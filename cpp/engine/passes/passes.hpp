// The passes that change an engine's steps, before buffer assignment. They affect only the host.
// The machine reading (costing/reading.hpp) flattens the programs itself and never sees a plan.
#ifndef popir_engine_passes_passes_hpp
#define popir_engine_passes_passes_hpp

#include "engine/plan/pass.hpp"

namespace popir {

class CoalesceCopies final : public Pass {
 public:
  const char* name() const override { return "coalesce copies"; }
  const char* contract() const override {
    return "each value of a temporary has a variable of its own, and what is copied only to be "
           "handed over is used where it is";
  }
  std::string run(Plan& plan) const override;
};

class Hoist final : public Pass {
 public:
  const char* name() const override { return "hoist"; }
  const char* contract() const override {
    return "a step that gives the same in every run is in the prologue, and what it writes is "
           "invariant";
  }
  std::string run(Plan& plan) const override;
};

class Widen final : public Pass {
 public:
  const char* name() const override { return "widen"; }
  const char* contract() const override {
    return "a step that leaves out elements which its kernel would not read shows it the whole "
           "variable";
  }
  std::string run(Plan& plan) const override;
};

/// Fuses the step that computes a value (the writer) with the element-wise step that reads it (the
/// reader). The fused step takes the reader's place, and the writer becomes Step::Kind::None.
/// The reverse holds for a matrix product fused with the addition of its result (accumulate.hpp):
/// the fused step takes the product's place.
class Fuse final : public Pass {
 public:
  const char* name() const override { return "fuse"; }
  const char* contract() const override {
    return "an element-wise step is one with the step that computes what it reads, and what nobody "
           "else reads is not written";
  }
  std::string run(Plan& plan) const override;
};

}  // namespace popir

#endif
