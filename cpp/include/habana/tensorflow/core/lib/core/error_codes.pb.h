// TensorFlow's path for what popir has in tf/values.hpp.
#ifndef popir_habana_tensorflow_core_lib_core_error_codes_pb_h
#define popir_habana_tensorflow_core_lib_core_error_codes_pb_h
#include "../../../../tf/values.hpp"
#endif
