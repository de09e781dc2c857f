// TensorFlow's path for what popir has in tf/shape_functions.hpp.
#ifndef popir_habana_tensorflow_core_util_padding_h
#define popir_habana_tensorflow_core_util_padding_h
#include "../../../tf/shape_functions.hpp"
#endif
