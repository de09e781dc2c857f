// Rows of the table of classes, which stand in three files.
#ifndef popir_popart_builtin_rows_hpp
#define popir_popart_builtin_rows_hpp

#include <popart/attributes.hpp>
#include <popart/datatype.hpp>

#include <vector>

#include "popart/builtins.hpp"

namespace popir {

/// Domains of operators.
constexpr const char* onnx = "ai.onnx";
constexpr const char* graphcore = "ai.graphcore";

/// A class without attributes of its own.
template <class OP>
BuiltinClass plainRow(const char* type, const char* domain = onnx) {
  return {
      domain, type, typeid(OP),
      [](const popart::OperatorIdentifier& opid, const popart::Op::Settings& settings,
         const popart::Attributes&) { return std::unique_ptr<popart::Op>(new OP(opid, settings)); },
      [](const popart::Op&) { return popart::Attributes(); }};
}

/// The same, of a variant in place: one that a program gives to a graph stays its own.
template <class OP>
BuiltinClass inplaceRow(const char* type) {
  BuiltinClass row = plainRow<OP>(type, graphcore);
  row.attributes = nullptr;
  return row;
}

/// Functions, comparisons, activations, reductions, Gemm and recurrent layers.
std::vector<BuiltinClass> functionRows();
/// Sorts, pools, movements, random numbers and losses that models have.
std::vector<BuiltinClass> modelRows();

/// Element types by their numbers in ONNX: UNDEFINED, or 0, for one that is none.
popart::DataType typeOf(int64_t number);
popart::Attributes::Int numberOf(popart::DataType type);

}  // namespace popir

#endif
