// Operators of Habana's TensorFlow API, for tests: good ones, and each way to define a node wrongly.
#include <cstring>

#include "hpu_kernel.h"
#include "hpu_kernel_context.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

using habana::BaseFunctor;
using habana::HpuKernelContext;
using habana::NodeDesc;
using habana::TensorInfo;
using tensorflow::DT_BFLOAT16;
using tensorflow::DT_FLOAT;
namespace errors = tensorflow::errors;
namespace shapes = tensorflow::shape_inference;

template <class T>
const char* suffix() {
  return std::is_same<T, float>::value ? "_f32" : "_bf16";
}

// Two operands of one type and shape, divided.

REGISTER_OP("RatioOp")
    .Input("dividend: T")
    .Input("divisor: T")
    .Output("quotient: T")
    .Attr("T: {float, bfloat16, int32}")
    .Attr("example_attr: int = 7")
    .Attr("swapped: bool = false")
    .SetShapeFn(shapes::UnchangedShape)
    .Doc("Divides.");

template <class T>
struct RatioFunctor : BaseFunctor {
  void DefineNode(HpuKernelContext* context) override {
    TensorInfo a, b;
    OP_REQUIRES_OK(context, context->InputInfo(0, a));
    OP_REQUIRES_OK(context, context->InputInfo(1, b));
    OP_REQUIRES(context, a.shape == b.shape,
                errors::InvalidArgument("shapes differ: ", a.shape, " and ", b.shape));
    int example = 0;
    bool swapped = false;
    OP_REQUIRES_OK(context, context->GetAttr("example_attr", &example));
    OP_REQUIRES_OK(context, context->GetAttr("swapped", &swapped));
    OP_REQUIRES(context, example >= 0,
                errors::InvalidArgument("example_attr is ", example, ", below 0"));
    OP_REQUIRES_OK(context, context->DefineOutputInfo(0, a));
    const std::string guid = std::string("div_fwd") + suffix<T>();
    const std::vector<int> inputs = swapped ? std::vector<int>{1, 0} : std::vector<int>{0, 1};
    OP_REQUIRES_OK(context, context->DefineNode({.guid = guid}, inputs, std::vector<int>{0}));
  }
};
REGISTER_KERNEL_BUILDER(ForHpuWithName("RatioOp").TypeConstraint<float>("T"),
                        habana::HpuKernel<RatioFunctor<float>>);
REGISTER_KERNEL_BUILDER(ForHpuWithName("RatioOp").TypeConstraint<tensorflow::bfloat16>("T"),
                        habana::HpuKernel<RatioFunctor<tensorflow::bfloat16>>);

// An activation and its gradient.

REGISTER_OP("Ramp6Op")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {float}")
    .SetShapeFn(shapes::UnchangedShape);
REGISTER_OP("Ramp6GradOp")
    .Input("grad: T")
    .Input("y: T")
    .Output("dx: T")
    .Attr("T: {float}")
    .SetShapeFn(shapes::MergeBothInputsShapeFn);

struct Ramp6 : BaseFunctor {
  void DefineNode(HpuKernelContext* context) override {
    TensorInfo x;
    OP_REQUIRES_OK(context, context->InputInfo(0, x));
    OP_REQUIRES_OK(context,
                   context->DefineNode({.guid = "relu6_fwd_f32"}, {0}, std::vector<TensorInfo>{x}));
  }
};
struct Ramp6Grad : BaseFunctor {
  void DefineNode(HpuKernelContext* context) override {
    TensorInfo y;
    OP_REQUIRES_OK(context, context->InputInfo(1, y));
    OP_REQUIRES_OK(context, context->DefineNode({.guid = "relu6_bwd_f32"}, {0, 1},
                                                std::vector<TensorInfo>{y}));
  }
};
REGISTER_KERNEL_BUILDER(ForHpuWithName("Ramp6Op").TypeConstraint("T", DT_FLOAT),
                        habana::HpuKernel<Ramp6>);
REGISTER_KERNEL_BUILDER(ForHpuWithName("Ramp6GradOp").TypeConstraint("T", DT_FLOAT),
                        habana::HpuKernel<Ramp6Grad>);

// Parameters, without a shape function.

REGISTER_OP("LeakOp").Input("x: float").Output("y: float").Attr("alpha: float = 0.25");
struct Leak : BaseFunctor {
  void DefineNode(HpuKernelContext* context) override {
    TensorInfo x;
    OP_REQUIRES_OK(context, context->InputInfo(0, x));
    float alpha = 0;
    OP_REQUIRES_OK(context, context->GetAttr("alpha", &alpha));
    NodeDesc node{"leakyrelu_fwd_f32", &alpha, sizeof(alpha)};
    node.name = context->NodeDef().name() + "/leak";
    OP_REQUIRES_OK(context, context->DefineNode(node, {0}, std::vector<TensorInfo>{x}));
    alpha = -1000;  // The parameters were copied.
  }
};
REGISTER_KERNEL_BUILDER(ForHpuWithName("LeakOp"), habana::HpuKernel<Leak>);

// A shape from the values of an input on the host.

REGISTER_OP("FillShapeOp").Input("shape: int32").Input("x: float").Output("y: float");
struct FillShape : BaseFunctor {
  void DefineNode(HpuKernelContext* context) override {
    const auto* shape = context->HostMemoryInput(0);
    OP_REQUIRES(context, shape != nullptr, errors::Internal("input 0 is not on the host"));
    OP_REQUIRES(context, context->HostMemoryInput(1) == nullptr,
                errors::Internal("input 1 is on the host"));
    OP_REQUIRES(context, context->HostMemoryInput(7) == nullptr, errors::Internal("input 7?"));
    tensorflow::TensorShape wanted;
    const auto sizes = shape->flat<int>();
    for (int i = 0; i < sizes.size(); ++i) wanted.AddDim(sizes(i));
    TensorInfo y{DT_FLOAT, wanted};
    OP_REQUIRES_OK(context, context->DefineOutputInfo(0, y));
    OP_REQUIRES_OK(context,
                   context->DefineNode({.guid = "probe_fill_f32"}, {1}, std::vector<int>{0}));
  }
};
REGISTER_KERNEL_BUILDER(ForHpuWithName("FillShapeOp").HostMemory("shape"),
                        habana::HpuKernel<FillShape>);

// A list of inputs, and outputs in another order than the kernel's.

REGISTER_OP("SplitSignOp")
    .Input("xs: N * float")
    .Output("low: float")
    .Output("high: float")
    .Attr("N: int >= 1");
struct SplitSign : BaseFunctor {
  void DefineNode(HpuKernelContext* context) override {
    TensorInfo x;
    OP_REQUIRES_OK(context, context->InputInfo(context->NumInputs() - 1, x));
    OP_REQUIRES_OK(context, context->DefineOutputInfo(1, x));
    OP_REQUIRES_OK(context, context->DefineOutputInfo(0, x));
    // The kernel writes the positive part first.
    OP_REQUIRES_OK(context,
                   context->DefineNode({.guid = "probe_parts_f32"}, {context->NumInputs() - 1},
                                       std::vector<int>{1, 0}));
  }
};
REGISTER_KERNEL_BUILDER(ForHpuWithName("SplitSignOp"), habana::HpuKernel<SplitSign>);

// Two kernels in one functor.

REGISTER_OP("TwoKernelsOp").Input("x: float").Output("a: float").Output("b: float");
struct TwoKernels : BaseFunctor {
  void DefineNode(HpuKernelContext* context) override {
    TensorInfo x;
    OP_REQUIRES_OK(context, context->InputInfo(0, x));
    OP_REQUIRES_OK(context, context->DefineOutputInfo(0, x));
    OP_REQUIRES_OK(context, context->DefineOutputInfo(1, x));
    OP_REQUIRES_OK(context, context->DefineNode({.guid = "abs_fwd_f32"}, {0}, std::vector<int>{0}));
    OP_REQUIRES_OK(context, context->DefineNode({.guid = "neg_fwd_f32"}, {0}, std::vector<int>{1}));
  }
};
REGISTER_KERNEL_BUILDER(ForHpuWithName("TwoKernelsOp"), habana::HpuKernel<TwoKernels>);

// Each way to be wrong, by name.

REGISTER_OP("WrongOp")
    .Input("x: float")
    .Output("y: float")
    .Output("z: float")
    .Attr("how: string = 'nothing'");
struct Wrong : BaseFunctor {
  void DefineNode(HpuKernelContext* context) override {
    TensorInfo x, other;
    OP_REQUIRES_OK(context, context->InputInfo(0, x));
    std::string how;
    OP_REQUIRES_OK(context, context->GetAttr("how", &how));
    const std::vector<TensorInfo> both{x, x};
    const std::vector<int> indices{0, 1};
    const NodeDesc node{"exp_fwd_f32"};
    if (how == "nothing") return;
    if (how == "status") {
      context->SetStatus(errors::Unavailable("the weather is bad"));
      context->SetStatus(errors::Internal("a later one"));
      return;
    }
    if (how == "throw") throw std::runtime_error("thrown by a functor");
    if (how == "throw int") throw 7;
    if (how == "input index") OP_REQUIRES_OK(context, context->InputInfo(3, other));
    if (how == "output info early") OP_REQUIRES_OK(context, context->OutputInfo(0, other));
    if (how == "output index") OP_REQUIRES_OK(context, context->DefineOutputInfo(2, x));
    if (how == "attribute name") {
      int value = 0;
      OP_REQUIRES_OK(context, context->GetAttr("none", &value));
    }
    if (how == "attribute kind") {
      int value = 0;
      OP_REQUIRES_OK(context, context->GetAttr("how", &value));
    }
    if (how == "output twice") {
      OP_REQUIRES_OK(context, context->DefineOutputInfo(0, x));
      OP_REQUIRES_OK(context, context->DefineOutputInfo(0, x));
    }
    if (how == "node before outputs")
      OP_REQUIRES_OK(context, context->DefineNode(node, {0}, indices));
    if (how == "infos after outputs") {
      OP_REQUIRES_OK(context, context->DefineOutputInfo(0, x));
      OP_REQUIRES_OK(context, context->DefineNode(node, {0}, both));
    }
    if (how == "too few infos")
      OP_REQUIRES_OK(context, context->DefineNode(node, {0}, std::vector<TensorInfo>{x}));
    if (how == "node twice") {
      OP_REQUIRES_OK(context, context->DefineNode(node, {0}, both));
      OP_REQUIRES_OK(context, context->DefineNode(node, {0}, both));
    }
    if (how == "operand") OP_REQUIRES_OK(context, context->DefineNode(node, {5}, both));
    if (how == "null parameters")
      OP_REQUIRES_OK(context, context->DefineNode({"exp_fwd_f32", nullptr, 4}, {0}, both));
    if (how == "no guid") OP_REQUIRES_OK(context, context->DefineNode({""}, {0}, both));
    if (how == "undefined output" || how == "uncomputed output") {
      OP_REQUIRES_OK(context, context->DefineOutputInfo(0, x));
      if (how == "uncomputed output") OP_REQUIRES_OK(context, context->DefineOutputInfo(1, x));
      OP_REQUIRES_OK(context, context->DefineNode(node, {0}, std::vector<int>{0}));
    }
    if (how == "dynamic")
      OP_REQUIRES_OK(context, context->DefineOutputInfo(0, {DT_FLOAT, {-1, 3}}));
    if (how == "type") {
      OP_REQUIRES_OK(context,
                     context->DefineNode(node, {0}, std::vector<TensorInfo>{x, {DT_BFLOAT16, {}}}));
    }
    if (how == "unknown guid")
      OP_REQUIRES_OK(context, context->DefineNode({"relu6_fdw_f32"}, {0}, both));
    if (how == "operands of a kernel")
      OP_REQUIRES_OK(context, context->DefineNode(node, {0}, both));
  }
};
REGISTER_KERNEL_BUILDER(ForHpuWithName("WrongOp"), habana::HpuKernel<Wrong>);
