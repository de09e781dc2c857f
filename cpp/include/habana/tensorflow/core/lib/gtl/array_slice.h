// TensorFlow's path for what popir has in tf/values.hpp.
#ifndef popir_habana_tensorflow_core_lib_gtl_array_slice_h
#define popir_habana_tensorflow_core_lib_gtl_array_slice_h
#include "../../../../tf/values.hpp"
#endif
