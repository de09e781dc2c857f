#include <popir/version.hpp>

const char* popir_version() { return POPIR_VERSION; }
