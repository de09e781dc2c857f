// Abseil's path for what popir has in tf/values.hpp.
#ifndef popir_habana_absl_strings_str_replace_h
#define popir_habana_absl_strings_str_replace_h
#include "../../tf/values.hpp"
#endif
