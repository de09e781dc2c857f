// The version of Poplar. After what poplar/Graph.hpp of the Poplar SDK 3 declares.
#ifndef poplar_version_hpp
#define poplar_version_hpp

#include <string>

#pragma GCC visibility push(default)
namespace poplar {

/// The release whose interface these headers have.
std::string versionString();
/// What tells builds apart: popir's own version.
std::string packageHash();

}  // namespace poplar
#pragma GCC visibility pop

#endif
