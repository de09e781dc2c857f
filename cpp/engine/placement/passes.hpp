// The passes that assign buffers to an engine's variables.
#ifndef popir_engine_placement_passes_hpp
#define popir_engine_placement_passes_hpp

#include "engine/plan/pass.hpp"

namespace popir {

class AssignBuffers final : public Pass {
 public:
  const char* name() const override { return "assign buffers"; }
  bool isNeeded() const override { return true; }
  const char* contract() const override {
    return "constants stay in their own memory; a temporary is in the host's buffer of a stream "
           "only if one copy of the stream fills it and no other step writes it, or if one copy "
           "drains it and no step writes it later; all other variables in use are in the arena";
  }
  std::string run(Plan& plan) const override;
};

class AliasConcats final : public Pass {
 public:
  const char* name() const override { return "alias concatenations"; }
  const char* contract() const override {
    return "variables that are to lie side by side are temporaries in the arena, and vertices use "
           "them as concatenations; each variable is in at most one list of them";
  }
  std::string run(Plan& plan) const override;
};

class BlockChannels final : public Pass {
 public:
  const char* name() const override { return "block channels"; }
  const char* contract() const override {
    return "variables that kernels tie to one another, or that are used as one concatenation, have "
           "the same channel block: the only one that contractions prefer for them if every use "
           "accepts it, else none";
  }
  std::string run(Plan& plan) const override;
};

class ReuseOperands final : public Pass {
 public:
  const char* name() const override { return "reuse operands"; }
  const char* contract() const override {
    return "an element-wise step writes a result that is a whole temporary over an operand that is "
           "one too and is not read later, if types, shapes and channel blocks are equal, neither "
           "lies in a concatenation, and nothing but vertices and copies uses them";
  }
  std::string run(Plan& plan) const override;
};

class AssignOffsets final : public Pass {
 public:
  const char* name() const override { return "assign offsets"; }
  bool isNeeded() const override { return true; }
  const char* contract() const override {
    return "every variable in the arena has an offset, and variables that are live at the same "
           "time share no byte";
  }
  std::string run(Plan& plan) const override;
};

}  // namespace popir

#endif
