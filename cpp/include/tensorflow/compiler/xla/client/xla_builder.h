// The builder under its path in TensorFlow's tree. XLA's document "Custom Calls" includes this
// header and writes ShapeUtil, Shape and F32 without their namespace, so here they are known
// without it; with XLA_NO_GLOBAL_NAMES they are not.
#ifndef TENSORFLOW_COMPILER_XLA_CLIENT_XLA_BUILDER_H_
#define TENSORFLOW_COMPILER_XLA_CLIENT_XLA_BUILDER_H_

#include "xla/hlo/builder/xla_builder.h"  // IWYU pragma: export

#ifndef XLA_NO_GLOBAL_NAMES
using xla::F32;
using xla::int64;
using xla::Shape;
using xla::ShapeUtil;
#endif

#endif  // TENSORFLOW_COMPILER_XLA_CLIENT_XLA_BUILDER_H_
