// Operators that ONNX is told of.
#include <onnx/defs/schema.h>
#include <onnx/defs/shape_inference.h>
#include <popart/opmanager.hpp>

namespace {

struct StackOp : popart::Op {
  using popart::Op::Op;
  void setup() override {
    popart::Shape shape = inInfo(0).shape();
    shape.insert(shape.begin(), 2);
    outInfo(0) = {inInfo(0).dataType(), shape};
  }
  std::unique_ptr<popart::Op> clone() const override { return std::make_unique<StackOp>(*this); }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
};

popart::OpCreator<StackOp> stack(popart::OpDefinitions({{{"test.onnx", "Stack", 1}, {}}}));

}  // namespace

namespace ONNX_NAMESPACE {

void inferStack(InferenceContext& ctx) {
  propagateElemTypeFromInputToOutput(ctx, 0, 0);
  checkInputRank(ctx, 0, 2);
  const int64_t times = getAttribute(ctx, "times", 2);
  if (times < 1) fail_shape_inference("times is ", times, ", expected 1 or more");
  if (!hasInputShape(ctx, 0)) return;
  const TensorShapeProto& in = getInputShape(ctx, 0);
  TensorShapeProto* out = getOutputShape(ctx, 0);
  appendDim(out, times);
  for (const Dim& d : in.dim()) out->add_dim(d);
  if (ctx.getNumInputs() > 1 && ctx.getInputData(1) != nullptr)
    appendDim(out, ctx.getInputData(1)->int64_data(0));
}

ONNX_OPERATOR_SET_SCHEMA_EX(
    Stack, Test, "test.onnx", 1, false,
    OpSchema()
        .SetDoc("The input several times.")
        .Attr("times", "How often.", AttributeProto::INT, static_cast<int64_t>(2))
        .Attr("weights", "One for each.", AttributeProto::FLOATS, std::vector<float>{1.0f, 0.5f})
        .Attr("label", "A name.", AttributeProto::STRING, false)
        .Input(0, "x", "A matrix.", "T")
        .Input(1, "last", "A last dimension.", "tensor(int64)", OpSchema::Optional)
        .Output(0, "y", "It, stacked.", "T")
        .TypeConstraint("T", OpSchema::all_float_types(), "Floating point.")
        .TypeAndShapeInferenceFunction(inferStack));

class Test_ver1 {
 public:
  static void ForEachSchema(std::function<void(OpSchema&&)> function) {
    function(GetOpSchema<ONNX_OPERATOR_SET_SCHEMA_CLASS_NAME(Test, 1, Stack)>());
  }
};

static const bool registered = [] {
  OpSchemaRegistry::DomainToVersionRange::Instance().AddDomainToVersion("test.onnx", 1, 1);
  RegisterOpSetSchema<Test_ver1>();
  // A second one of the name is refused, and one that makes no sense too.
  RegisterSchema(GetOpSchema<ONNX_OPERATOR_SET_SCHEMA_CLASS_NAME(Test, 1, Stack)>());
  RegisterSchema(OpSchema("Odd", __FILE__, __LINE__)
                     .SetDomain("test.onnx")
                     .Input(0, "x", "", "T")
                     .Output(0, "y", "", "U"));
  return true;
}();

ONNX_OPERATOR_SCHEMA(Once).SetDomain("test.onnx").Input(0, "x", "", "tensor(float)");

}  // namespace ONNX_NAMESPACE
