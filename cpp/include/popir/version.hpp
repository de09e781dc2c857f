// popir/version.hpp: which popir this is.
#ifndef popir_version_hpp
#define popir_version_hpp

extern "C" {
/// Version of the libpopir that is loaded, as in "0.1.0".
__attribute__((visibility("default"))) const char* popir_version();
}

#endif
