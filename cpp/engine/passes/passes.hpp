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
    return "a temporary whose uses are all in one loop or conditional, or at the top level of one "
           "program, holds one value; it begins with a copy only if the copy fills a part of it, "
           "reorders elements or reads a tangled view, or if source or copy changes before the "
           "last use of the copy";
  }
  std::string run(Plan& plan) const override;
};

/// Runs before Hoist, which would compute the floats of a constant matrix once, before the first run,
/// and keep them.
class MultiplyBits final : public Pass {
 public:
  const char* name() const override { return "multiply bits"; }
  const char* contract() const override {
    return "no matrix of few bits is dequantized if only products read it, transposed, that a "
           "kernel computes from its numbers, unless a later step changes these, scales or zero "
           "points";
  }
  std::string run(Plan& plan) const override;
};

class Hoist final : public Pass {
 public:
  const char* name() const override { return "hoist"; }
  const char* contract() const override {
    return "a vertex or copy that reads only invariant variables is in the prologue, unless it is "
           "in a conditional, has effects or rounds stochastically, or writes a variable that has "
           "an initial value, another write, or a use before it or in another program; only the "
           "prologue writes invariant variables";
  }
  std::string run(Plan& plan) const override;
};

class Widen final : public Pass {
 public:
  const char* name() const override { return "widen"; }
  const char* contract() const override {
    return "outside of the prologue, an operand that is a slice of its variable from element 0 on "
           "is "
           "the whole variable, if the kernel would not read the elements left out, or if it "
           "writes "
           "zeros there and the variable was filled with zeros for it";
  }
  std::string run(Plan& plan) const override;
};

/// Fuses the step that computes a value (the writer) with the element-wise step that reads it (the
/// reader). The fused step takes the reader's place, and the writer becomes Step::Kind::None.
/// A matrix product and the addition of its result (accumulate.hpp) are fused the other way round, and
/// so are sums for each channel and the step that computes what they sum: the fused step takes the
/// place of the writer.
class Fuse final : public Pass {
 public:
  const char* name() const override { return "fuse"; }
  const char* contract() const override {
    return "a fusion of element-wise steps has at most 12 operands and 64 values; a fused step "
           "does not write a whole variable that only carried a value between its parts and that "
           "the host cannot reach";
  }
  std::string run(Plan& plan) const override;
};

/// Steps that would each gather an operand from the same view read one copy of it.
class ShareGathers final : public Pass {
 public:
  const char* name() const override { return "share gathers"; }
  const char* contract() const override {
    return "of a temporary that several steps gather in one order, and that no step uses otherwise "
           "after the first of these, there is one copy in that order, which they read; "
           "what a step of a loop with a known number of iterations gathers, and nothing in the "
           "loop "
           "writes, is copied before the loop, unless it joins whole variables";
  }
  std::string run(Plan& plan) const override;
};

/// Replicas meet in a collective in two steps: one gives the data as soon as they are there, the
/// other gets the result when it is needed. What is computed between them, such as the rest of the
/// backward pass, runs while data travel (engine/buckets.cpp).
class OverlapCollectives final : public Pass {
 public:
  const char* name() const override { return "overlap collectives"; }
  const char* contract() const override {
    return "a sum or mean over replicas is begun after the last step that writes its data, and "
           "ended before the first one that uses its result, unless these two follow one another "
           "and nothing travels with it; what travels together is less than 1 MiB, or one tensor";
  }
  std::string run(Plan& plan) const override;
};

/// Brings chains of small steps side by side that need nothing of one another, such as those of two
/// directions. They run at the same time, each on one thread. Runs when steps have their last places.
class SideBySide final : public Pass {
 public:
  const char* name() const override { return "side by side"; }
  const char* contract() const override {
    return "groups of steps that run side by side neither draw random numbers nor have effects, "
           "and "
           "no group writes elements that another one uses";
  }
  std::string run(Plan& plan) const override;
};

/// Joins neighbouring steps that compute the same rows, so that they run block of rows by block of
/// rows (kernels/joined_rows.hpp). A normalization of large tensors reads and writes each of them
/// once. Follows the choice of layouts: rows in blocks of channels stay apart.
class JoinRows final : public Pass {
 public:
  const char* name() const override { return "join rows"; }
  const char* contract() const override {
    return "a step of joined rows has parts with equal numbers of rows; of a variable that a part "
           "writes and another part uses, each row of one part is in the same row of the other; "
           "values that no other step uses have no buffer";
  }
  std::string run(Plan& plan) const override;
};

}  // namespace popir

#endif
