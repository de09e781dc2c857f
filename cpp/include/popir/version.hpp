// The version of popir. popir's own.
#ifndef popir_version_hpp
#define popir_version_hpp

extern "C" {
/// The version of the loaded libpopir, for example "0.1.0".
__attribute__((visibility("default"))) const char* popir_version();
/// A digest of the loaded libpopir's contents, which the linker has made: 40 hexadecimal digits.
__attribute__((visibility("default"))) const char* popir_build_id();
}

#endif
