// Identifiers of operators: Onnx::Operators::LeakyRelu_6, Onnx::AiOnnx::OpSet11::LeakyRelu,
// Onnx::GradOperators::LeakyReluGrad. After popart/operators.hpp of PopART 3.
#ifndef popart_operators_hpp
#define popart_operators_hpp

#include <popart/graphcoreoperators.hpp>
#include <popart/onnxoperators.gen.hpp>
#include <popart/operatoridentifier.hpp>

#endif
