#include <popir/sdk_symbol.hpp>
#include <popir/version.hpp>

extern "C" {
extern __attribute__((visibility("default"))) const char POPIR_SDK_SYMBOL;
const char POPIR_SDK_SYMBOL = 0;
}

const char* popir_version() { return POPIR_VERSION; }
