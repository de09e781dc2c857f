// Ties a library or a program to the SDK headers that it was compiled with. popir's own.
//
// Each file that includes this refers to a symbol that has the version of popir and a digest of the
// headers in its name. libpopir defines the symbol of its own headers only. So what was compiled
// with other headers fails to load, rather than call functions with another interface.
#ifndef popir_sdk_hpp
#define popir_sdk_hpp

#ifndef POPIR_IS_BUILT  // popir's own files are compiled with it: they have its headers.
#include <popir/sdk_symbol.hpp>

extern "C" __attribute__((visibility("default"))) const char POPIR_SDK_SYMBOL;

namespace popir {
namespace {
__attribute__((used)) const char* const sdkOfThisFile = &POPIR_SDK_SYMBOL;
}  // namespace
}  // namespace popir
#endif

#endif
