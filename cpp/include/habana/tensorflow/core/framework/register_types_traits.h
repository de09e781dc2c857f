// TensorFlow's path for what popir has in tf/values.hpp.
#ifndef popir_habana_tensorflow_core_framework_register_types_traits_h
#define popir_habana_tensorflow_core_framework_register_types_traits_h
#include "../../../tf/values.hpp"
#endif
