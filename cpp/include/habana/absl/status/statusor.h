// Abseil's path for what popir has in tf/values.hpp.
#ifndef popir_habana_absl_status_statusor_h
#define popir_habana_absl_status_statusor_h
#include "../../tf/values.hpp"
#endif
