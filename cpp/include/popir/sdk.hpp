// popir/sdk.hpp: which version of these headers a library was compiled with.
//
// What includes this refers to a symbol that has the version in its name and that libpopir of the
// same version defines. So a library that was compiled with other headers does not load, whoever
// loads it, instead of calling functions that have changed their places.
#ifndef popir_sdk_hpp
#define popir_sdk_hpp

/// The version of popir, which pyproject.toml states; a test compares the two.
#define POPIR_SDK_SYMBOL popir_sdk_0_1_0

extern "C" __attribute__((visibility("default"))) const char POPIR_SDK_SYMBOL;

namespace popir {
namespace {
__attribute__((used)) const char* const sdkOfThisFile = &POPIR_SDK_SYMBOL;
}  // namespace
}  // namespace popir

#endif
