#include <popart/version.hpp>

#include <string>

namespace popart {
namespace core {

VersionNumber versionNumber() { return versionGetCurrent(); }
const char* versionString() {
  static const std::string text =
      std::string(POPART_VERSION_STRING " (popir ") + popir_version() + ")";
  return text.c_str();
}
const char* versionHashString() { return popir_build_id(); }
const char* packageHash() {
  static const std::string text = std::string("popir-") + popir_version();
  return text.c_str();
}

}  // namespace core
}  // namespace popart
