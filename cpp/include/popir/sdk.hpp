// The version of the SDK headers that a library was compiled with. popir's own.
//
// Each file that includes this refers to a symbol with the version in its name. libpopir defines
// the symbol of its own version only. So a library compiled with other headers fails to load,
// rather than call functions with another interface.
#ifndef popir_sdk_hpp
#define popir_sdk_hpp

/// The version in pyproject.toml; a test compares them.
#define POPIR_SDK_SYMBOL popir_sdk_0_1_0

extern "C" __attribute__((visibility("default"))) const char POPIR_SDK_SYMBOL;

namespace popir {
namespace {
__attribute__((used)) const char* const sdkOfThisFile = &POPIR_SDK_SYMBOL;
}  // namespace
}  // namespace popir

#endif
