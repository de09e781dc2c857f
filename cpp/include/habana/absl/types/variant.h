// Abseil's path for what popir has in tf/values.hpp.
#ifndef popir_habana_absl_types_variant_h
#define popir_habana_absl_types_variant_h
#include "../../tf/values.hpp"
#endif
