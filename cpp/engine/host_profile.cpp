#include "engine/host_profile.hpp"

#include <poplar/exceptions.hpp>

#include "engine/engine.hpp"

namespace popir {

std::vector<EngineImpl::HostRow> EngineImpl::hostProfile(unsigned program) const {
  if (program >= programNodes_.size())
    throw poplar::control_program_error("Engine::hostProfile: program " + std::to_string(program) +
                                        " given, the engine has " +
                                        std::to_string(programNodes_.size()));
  const auto& c = compiled_[program];
  if (c.times.size() != c.instrs.size())
    throw poplar::profiling_disabled(
        "Engine::hostProfile: the engine does not time its instructions; give it the option "
        "host.profile = 'true'");
  std::vector<HostRow> rows;
  for (std::size_t i = 0; i < c.instrs.size(); ++i)
    rows.push_back({c.instrs[i].names, c.text[i], c.times[i]});
  return rows;
}

}  // namespace popir
