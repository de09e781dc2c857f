// TensorFlow's path for what popir has in tf/values.hpp.
#ifndef popir_habana_tensorflow_core_util_env_var_h
#define popir_habana_tensorflow_core_util_env_var_h
#include "../../../tf/values.hpp"
#endif
