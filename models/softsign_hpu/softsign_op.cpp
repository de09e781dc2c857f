// SoftsignHpu and its gradient, as operators of Habana's TensorFlow API.
#include "hpu_kernel.h"
#include "hpu_kernel_context.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

using tensorflow::shape_inference::MergeBothInputsShapeFn;
using tensorflow::shape_inference::UnchangedShape;

REGISTER_OP("SoftsignHpu")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {float}")
    .SetShapeFn(UnchangedShape);
REGISTER_OP("SoftsignHpuGrad")
    .Input("dy: T")
    .Input("x: T")
    .Output("dx: T")
    .Attr("T: {float}")
    .SetShapeFn(MergeBothInputsShapeFn);

// One kernel whose output is like its last input.
template <int Inputs>
struct Softsign : habana::BaseFunctor {
  void DefineNode(habana::HpuKernelContext* context) override {
    habana::TensorInfo info;
    OP_REQUIRES_OK(context, context->InputInfo(Inputs - 1, info));
    OP_REQUIRES(context, info.shape.dims() <= 2,
                tensorflow::errors::InvalidArgument("x has the shape ", info.shape,
                                                    "; its rank must be 1 or 2"));
    const habana::NodeDesc node{Inputs == 1 ? "softsign_fwd_f32" : "softsign_bwd_f32"};
    const std::vector<int> inputs = Inputs == 1 ? std::vector<int>{0} : std::vector<int>{0, 1};
    const std::vector<habana::TensorInfo> outputs{info};
    OP_REQUIRES_OK(context, context->DefineNode(node, inputs, outputs));
  }
};
REGISTER_KERNEL_BUILDER(ForHpuWithName("SoftsignHpu").TypeConstraint<float>("T"),
                        habana::HpuKernel<Softsign<1>>);
REGISTER_KERNEL_BUILDER(ForHpuWithName("SoftsignHpuGrad").TypeConstraint<float>("T"),
                        habana::HpuKernel<Softsign<2>>);
