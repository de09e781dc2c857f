// Options of Poplar's libraries, as a map. After popart/popx/poplaroptionsx.hpp of PopART 3.
#ifndef popart_popx_poplaroptionsx_hpp
#define popart_popx_poplaroptionsx_hpp

#include <poplar/OptionFlags.hpp>

#include <map>
#include <string>

namespace popart {
namespace popx {

struct PoplarOptions {
  std::map<std::string, std::string> options;

  poplar::OptionFlags toOptionFlags() const {
    poplar::OptionFlags flags;
    for (const auto& each : options) flags.set(each.first, each.second);
    return flags;
  }
};

}  // namespace popx
}  // namespace popart

#endif
