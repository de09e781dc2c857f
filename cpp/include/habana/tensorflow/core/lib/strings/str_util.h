// TensorFlow's path for what popir has in tf/values.hpp.
#ifndef popir_habana_tensorflow_core_lib_strings_str_util_h
#define popir_habana_tensorflow_core_lib_strings_str_util_h
#include "../../../../tf/values.hpp"
#endif
