// The passes that assign buffers to an engine's variables.
#ifndef popir_engine_placement_passes_hpp
#define popir_engine_placement_passes_hpp

#include "engine/plan/pass.hpp"

namespace popir {

class AssignBuffers final : public Pass {
 public:
  const char* name() const override { return "assign buffers"; }
  const char* contract() const override {
    return "constants live where they are, streamed data in the host's buffers where nothing "
           "speaks against it, and all else that is used in the arena";
  }
  std::string run(Plan& plan) const override;
};

class AliasConcats final : public Pass {
 public:
  const char* name() const override { return "alias concatenations"; }
  const char* contract() const override {
    return "variables that are read joined are to lie side by side, each in one concatenation at "
           "most";
  }
  std::string run(Plan& plan) const override;
};

class BlockChannels final : public Pass {
 public:
  const char* name() const override { return "block channels"; }
  const char* contract() const override {
    return "variables that kernels tie to one another, or that are read as one concatenation, have "
           "the block of channels that contractions prefer if every use of every one of them "
           "accepts it";
  }
  std::string run(Plan& plan) const override;
};

class AssignOffsets final : public Pass {
 public:
  const char* name() const override { return "assign offsets"; }
  const char* contract() const override {
    return "every buffer of the arena has bytes that are its own while its variable lives";
  }
  std::string run(Plan& plan) const override;
};

}  // namespace popir

#endif
