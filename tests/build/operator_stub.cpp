// Stands for an operator library: a static initialiser and a use of libpopir.
#include <popir/version.hpp>
#include <poplar/Type.hpp>

static const unsigned bytes = poplar::FLOAT.sizeInBytes();

extern "C" {
const char* stubVersion() { return popir_version(); }
unsigned stubFloatBytes() { return bytes; }
/// Where this library sees libpopir's data: the same address as everybody else's, if it is one
/// copy.
const void* stubFloat() { return &poplar::FLOAT; }
}
