// The messages of an ONNX model, by the name of the file that protobuf would generate. After
// onnx/onnx.pb.h of ONNX.
#ifndef onnx_onnx_dot_pb_h
#define onnx_onnx_dot_pb_h

#include <onnx/onnx_pb.h>

#endif
