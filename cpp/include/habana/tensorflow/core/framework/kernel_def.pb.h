// TensorFlow's path for what popir has in tf/registration.hpp.
#ifndef popir_habana_tensorflow_core_framework_kernel_def_pb_h
#define popir_habana_tensorflow_core_framework_kernel_def_pb_h
#include "../../../tf/registration.hpp"
#endif
