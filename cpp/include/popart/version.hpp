// The version of PopART's interface that this is, and popir's own. After popart/version.hpp of
// PopART 3.
#ifndef popart_version_hpp
#define popart_version_hpp

#include <popir/version.hpp>

#include <cstdint>

#define POPART_VERSION_MAJOR 3
#define POPART_VERSION_MINOR 4
#define POPART_VERSION_PATCH 0
#define POPART_VERSION_STRING "3.4.0"

#pragma GCC visibility push(default)

namespace popart {
namespace core {

/// Major, minor and point, in this order of weight.
struct VersionNumber {
  uint8_t major;
  uint8_t minor;
  uint8_t point;
};

constexpr bool operator<(const VersionNumber& x, const VersionNumber& y) noexcept {
  return x.major != y.major   ? x.major < y.major
         : x.minor != y.minor ? x.minor < y.minor
                              : x.point < y.point;
}
constexpr bool operator==(const VersionNumber& x, const VersionNumber& y) noexcept {
  return x.major == y.major && x.minor == y.minor && x.point == y.point;
}
constexpr bool operator!=(const VersionNumber& x, const VersionNumber& y) noexcept {
  return !(x == y);
}

constexpr VersionNumber versionMake(uint8_t major, uint8_t minor, uint8_t patch) {
  return {major, minor, patch};
}
/// Of these headers.
constexpr VersionNumber versionGetCurrent() {
  return versionMake(POPART_VERSION_MAJOR, POPART_VERSION_MINOR, POPART_VERSION_PATCH);
}

/// Of the library, as the other three.
VersionNumber versionNumber();
/// The release, and popir's own version: "3.4.0 (popir 0.1.0)".
const char* versionString();
/// The build of popir.
const char* versionHashString();
/// popir's own version, such as "popir-0.1.0". Programs keep it with files that they write.
const char* packageHash();

}  // namespace core
}  // namespace popart

#pragma GCC visibility pop

#endif
