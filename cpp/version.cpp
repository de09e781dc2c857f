#include <popir/sdk.hpp>
#include <popir/version.hpp>

const char POPIR_SDK_SYMBOL = 0;

const char* popir_version() { return POPIR_VERSION; }
