// Operators beside a graph: their shapes, their parameters, and the combined steps of optimizers.
#include <popart/error.hpp>
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/adamcombo.hpp>
#include <popart/op/conv.hpp>
#include <popart/op/matmul.hpp>
#include <popart/op/pad.hpp>
#include <popart/op/receptive.hpp>
#include <popart/op/sgd0combo.hpp>
#include <popart/op/sgd1acclupdate.hpp>
#include <popart/op/sgd1combo.hpp>
#include <popart/op/sgd2acclupdate.hpp>
#include <popart/op/sgd2combo.hpp>
#include <popart/op/sgd2varupdate.hpp>
#include <popart/operators.hpp>
#include <popart/tensor.hpp>
#include <popart/util.hpp>

#include <iostream>
#include <memory>

#include "errors.hpp"

using namespace popart;

namespace {

/// Connects an operator to tensors beside the graph, one for each shape, and infers its output.
struct Beside {
  Beside(Graph& graph, Op& op, std::vector<std::pair<DataType, Shape>> inputs)
      : out("out", TensorType::ActGrad, graph) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      tensors.emplace_back(
          new Tensor("in" + std::to_string(i), TensorType::ActGrad, graph, {"context"}));
      tensors.back()->info.set(inputs[i].first, inputs[i].second);
      op.input->insert(static_cast<int>(i), tensors.back().get());
    }
    op.output->insert(0, &out);
    op.setup();
  }
  std::vector<std::unique_ptr<Tensor>> tensors;
  Tensor out;
};

class Window : public HasReceptiveFieldOp {
 public:
  using HasReceptiveFieldOp::HasReceptiveFieldOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Window>(*this); }
  Shape getSpatialK() const final { return {3, 2}; }
  int64_t getNOutChans() const final { return 2 * getNInChans(); }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }

 private:
  void setup0() const final {}
};

void convolutions(Graph& graph) {
  const Op::Settings settings(graph, "conv");
  const MultiConvOptions options({{"partialsType", "float"}}, Attributes());
  for (const AutoPad type :
       {AutoPad::NOTSET, AutoPad::SAME_UPPER, AutoPad::SAME_LOWER, AutoPad::VALID}) {
    ConvOp conv(Onnx::Operators::Conv_11, settings, {2, 1},
                type == AutoPad::NOTSET ? Shape{1, 0, 0, 2} : Shape(), {1, 2}, 2, type, options);
    Beside beside(graph, conv, {{DataType::FLOAT, {1, 4, 7, 8}}, {DataType::FLOAT, {6, 2, 3, 3}}});
    std::cout << beside.out.info.shape() << " " << conv.lowerPads(0) << conv.upperPads(0) << "\n";
    const ConvDataGradOp gradient(conv);
    const ConvParameters& p = gradient.getParameters();
    const auto& in = p.inputTransformation;
    const auto& kernel = p.kernelTransformation;
    const auto& out = p.outputTransformation;
    std::cout << p.inputShape << p.kernelShape << in.lowerTruncation << in.upperTruncation
              << in.dilation << in.lowerPadding << in.upperPadding << kernel.lowerTruncation
              << kernel.upperTruncation << kernel.dilation << kernel.lowerPadding
              << kernel.upperPadding << out.lowerTruncation << out.upperTruncation << out.stride
              << out.lowerPadding << out.upperPadding << "\n";
    std::cout << ConvWeightsGradOp(conv).gradInputInfo().size() << " "
              << conv.getConvOptions().getConvOptions(0).at("partialsType") << " "
              << (conv.getParameters() == ConvWeightsGradOp(conv).getParameters()) << "\n";
  }
}

}  // namespace

int main() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  convolutions(graph);

  const Op::Settings settings(graph, "op");
  HasReceptiveFieldOp::ReceptiveOpAttributes attributes;
  attributes.strides = {2, 3};
  attributes.pads = {1, 0, 1, 2};
  attributes.ceil_mode = 1;
  Window window({"test", "Window", 1}, attributes, settings);
  Beside besideWindow(graph, window, {{DataType::FLOAT16, {5, 3, 8, 9}}});
  std::cout << besideWindow.out.info.shape() << " " << window.lowerPads_i32() << " "
            << besideWindow.out.hasProducer() << besideWindow.out.consumers.getTotal()
            << besideWindow.out.hasTensorData() << "\n";

  MatMulOp product(Onnx::Operators::MatMul_9, settings, {}, {}, {});
  Beside besideProduct(graph, product,
                       {{DataType::FLOAT, {5, 1, 3, 4}}, {DataType::FLOAT, {2, 4, 6}}});
  std::cout << besideProduct.out.info.shape() << "\n";
  MatMulOp scaled(Onnx::Operators::MatMul_9, settings, {}, {}, {});
  Beside besideScaled(
      graph, scaled,
      {{DataType::FLOAT8_143, {4}}, {DataType::FLOAT8_152, {4, 2}}, {DataType::INT32, {}}});
  std::cout << besideScaled.out.info.shape() << " " << besideScaled.out.info.dataType() << " "
            << scaled.isPow2ScaledMatMul() << product.isPow2ScaledMatMul() << "\n";
  fails([&] {
    MatMulOp mixed(Onnx::Operators::MatMul_9, settings, {}, {}, {});
    Beside(graph, mixed, {{DataType::FLOAT8_143, {4}}, {DataType::FLOAT16, {4, 2}}});
  });

  PadOp pad(Onnx::Operators::Pad_2, {1, -2, 0, 3}, {}, 0.0f, "constant", settings);
  Beside besidePad(graph, pad, {{DataType::FLOAT, {3, 5}}});
  std::cout << besidePad.out.info.shape() << " " << pad.valueRegion() << " "
            << pad.bwdRegMap(0, 0)(view::Region({1, 0}, {2, 6}))[0] << " "
            << PadInplaceOp(pad).getPads() << "\n";

  // ---- Optimizers ----
  const OptimizerValue constant(0.5f, true), variable(0.25f, false);
  using Reduction = OptimizerReductionType;
  SGD1ComboOp plain(variable, constant, constant, variable, Reduction::AcclReduce, settings);
  SGD1ComboOp nesterov(variable, constant, constant, variable, variable, constant, constant,
                       variable, Reduction::AcclReduce, settings);
  AdamComboOp adam(variable, constant, constant, constant, constant, variable, constant, constant,
                   AdamMode::Adam, WeightDecayMode::Decay, false, Reduction::GradReduce,
                   DataType::FLOAT, DataType::FLOAT, DataType::FLOAT, false, settings);
  Tensor rate("rate", TensorType::Stream, graph);
  for (auto* op : std::vector<VarUpdateWithUpdaterOp*>{&plain, &nesterov, &adam}) {
    for (int i = 2; i < 10; ++i) op->input->insert(i, &rate);
    for (const auto& input : op->optimizerInputs()) std::cout << input.first << " ";
    std::cout << op->opid << " " << op->optionalInputs().size() << "\n";
  }
  fails([&] {
    SGD0ComboOp(variable, constant, false, Reduction::AccumReduce, DataType::FLOAT, settings);
  });
  fails([&] {
    SGD2ComboOp(variable, constant, constant, variable, true, Reduction::AcclReduce,
                DataType::FLOAT, DataType::FLOAT, settings);
  });
  fails([&] {
    SGD2ComboOp(variable, constant, constant, variable, true, Reduction::AccumReduce,
                DataType::UINT32, DataType::FLOAT, settings);
  });
  const SGD2PartialAcclUpdateOp update(variable, constant, settings);
  const SGD2VarUpdateOp step(variable, settings);
  std::cout << update.opid << " " << step.opid << " "
            << update.clone()->isConvertibleTo<SGD2PartialAcclUpdateOp>() << "\n";
}
