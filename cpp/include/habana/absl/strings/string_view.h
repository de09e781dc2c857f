// Abseil's path for what popir has in tf/values.hpp.
#ifndef popir_habana_absl_strings_string_view_h
#define popir_habana_absl_strings_string_view_h
#include "../../tf/values.hpp"
#endif
