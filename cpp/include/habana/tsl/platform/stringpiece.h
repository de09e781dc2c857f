// TensorFlow's path for what popir has in tf/values.hpp.
#ifndef popir_habana_tsl_platform_stringpiece_h
#define popir_habana_tsl_platform_stringpiece_h
#include "../../tf/values.hpp"
#endif
