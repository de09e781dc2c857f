// TensorFlow's path for what popir has in tf/values.hpp.
#ifndef popir_habana_tensorflow_core_platform_thread_annotations_h
#define popir_habana_tensorflow_core_platform_thread_annotations_h
#include "../../../tf/values.hpp"
#endif
