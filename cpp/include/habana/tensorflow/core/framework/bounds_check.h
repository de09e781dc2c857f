// TensorFlow's path for what popir has in tf/values.hpp.
#ifndef popir_habana_tensorflow_core_framework_bounds_check_h
#define popir_habana_tensorflow_core_framework_bounds_check_h
#include "../../../tf/values.hpp"
#endif
