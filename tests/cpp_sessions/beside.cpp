// Transposed convolutions and slices at run time, beside a graph and in one.
#include <popart/error.hpp>
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/convtranspose.hpp>
#include <popart/op/dynamic/dynamicadd.hpp>
#include <popart/op/dynamic/dynamicslice.hpp>
#include <popart/op/dynamic/dynamicupdate.hpp>
#include <popart/op/dynamic/dynamiczero.hpp>
#include <popart/operators.hpp>
#include <popart/tensor.hpp>
#include <popart/util.hpp>

#include <cstring>
#include <iostream>
#include <memory>

#include "errors.hpp"

using namespace popart;

namespace {

/// Connects an operator to tensors beside the graph, and infers its output.
struct Beside {
  Beside(Graph& graph, Op& op, std::vector<std::pair<DataType, Shape>> inputs)
      : out("out", TensorType::ActGrad, graph) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      tensors.emplace_back(new Tensor("in" + std::to_string(i), TensorType::ActGrad, graph));
      tensors.back()->info.set(inputs[i].first, inputs[i].second);
      op.input->insert(static_cast<int>(i), tensors.back().get());
    }
    op.output->insert(0, &out);
    op.setup();
  }
  std::vector<std::unique_ptr<Tensor>> tensors;
  Tensor out;
};

struct Case {
  AutoPad type;
  Shape pads, outputPadding, outputShape;
};

std::unique_ptr<ConvTransposeOp> transposed(Graph& graph, const Case& c, int64_t group = 2) {
  return std::make_unique<ConvTransposeOp>(
      Onnx::Operators::ConvTranspose_11, Op::Settings(graph, "t"), Shape{3, 2}, c.pads, Shape{1, 2},
      group, c.type, c.outputPadding, c.outputShape, MultiConvOptions({}, Attributes()));
}

void transposedConvolutions(Graph& graph) {
  const auto f = DataType::FLOAT;
  const std::vector<std::pair<DataType, Shape>> inputs{{f, {1, 4, 5, 6}}, {f, {4, 3, 2, 3}}};
  for (const Case& c :
       {Case{AutoPad::NOTSET, {}, {}, {}}, Case{AutoPad::NOTSET, {1, 0, 0, 2}, {1, 1}, {}},
        Case{AutoPad::SAME_UPPER, {}, {}, {}}, Case{AutoPad::SAME_LOWER, {}, {}, {}},
        Case{AutoPad::NOTSET, {}, {}, {13, 12}}, Case{AutoPad::NOTSET, {4, 6, 2, 5}, {}, {}}}) {
    const auto op = transposed(graph, c);
    Beside beside(graph, *op, inputs);
    const auto &in = op->params.inputTransformation, &kernel = op->params.kernelTransformation;
    const auto& out = op->params.outputTransformation;
    std::cout << beside.out.info.shape() << in.dilation << in.lowerPadding << in.upperPadding
              << kernel.dilation << out.lowerTruncation << out.upperTruncation << "\n";
  }
  const Case plain{AutoPad::NOTSET, {}, {}, {}};
  const auto refused = [&](DataType data, DataType weights, const Shape& shape, int64_t group) {
    fails([&] {
      const auto op = transposed(graph, plain, group);
      Beside(graph, *op, {{data, {1, 4, 5, 6}}, {weights, shape}});
    });
  };
  refused(f, f, {3, 3, 2, 3}, 2);
  refused(f, f, {4, 3, 2, 3}, 3);
  refused(DataType::FLOAT8_143, f, {4, 3, 2, 3}, 2);
  const auto quarters = transposed(graph, plain);
  Beside beside(graph, *quarters,
                {{DataType::FLOAT8_143, {1, 4, 5, 6}},
                 {DataType::FLOAT8_152, {4, 3, 2, 3}},
                 {DataType::INT32, {}}});
  std::cout << beside.out.info << quarters->isPow2ScaledConvTranspose() << "\n";
}

void slices(Graph& graph) {
  const auto f = DataType::FLOAT, u = DataType::UINT32;
  const Op::Settings settings(graph, "slices");
  const Shape axes{1, -1}, sizes{2, 3};
  DynamicSliceOp slice(Onnx::CustomOperators::DynamicSlice_1, axes, sizes, true, settings);
  std::cout << Beside(graph, slice, {{f, {4, 5, 6}}, {u, {2}}}).out.info << " ";
  DynamicSliceInplaceOp given(slice);
  Beside into(graph, given, {{f, {4, 5, 6}}, {u, {2}}, {f, {4, 2, 3}}});
  std::cout << into.out.info << given.doesAlias(2, 0) << given.doesAlias(0, 0) << "\n";
  DynamicUpdateOp update(Onnx::CustomOperators::DynamicUpdate_1, axes, sizes, false, settings);
  Beside updated(graph, update, {{f, {4, 5, 6}}, {u, {2}}, {f, {4, 2, 3}}});
  DynamicUpdateInplaceOp inPlace(update);
  Beside written(graph, inPlace, {{f, {4, 5, 6}}, {u, {2}}, {f, {4, 2, 3}}});
  DynamicAddOp add(Onnx::CustomOperators::DynamicAdd_1, axes, sizes, false, settings,
                   TensorInfo(f, {7}));
  DynamicZeroOp zero(Onnx::CustomOperators::DynamicZero_1, axes, sizes, false, settings);
  std::cout << updated.out.info << " " << written.out.info << inPlace.modifiesIndex(0)
            << inPlace.modifiesIndex(2) << update.modifiesIndex(0) << " "
            << Beside(graph, add, {{f, {4, 5, 6}}, {u, {2}}, {f, {4, 2, 3}}}).out.info << " "
            << Beside(graph, zero, {{f, {4, 5, 6}}, {u, {2}}}).out.info << "\n";
  fails([&] {
    DynamicSliceOp large(Onnx::CustomOperators::DynamicSlice_1, {1}, {6}, true, settings);
    Beside(graph, large, {{f, {4, 5, 6}}, {u, {1}}});
  });
  fails([&] {
    DynamicSliceOp odd(Onnx::CustomOperators::DynamicSlice_1, {1}, {1, 2}, true, settings);
    Beside(graph, odd, {{f, {4, 5, 6}}, {u, {1}}});
  });
}

/// In a graph the compiler's own operators take what setters change.
void inGraph(Graph& graph) {
  graph.getTensors().addStream("x", {DataType::FLOAT, {4, 5}});
  graph.getTensors().addStream("i", {DataType::UINT32, {1}});
  auto* slice = graph.createConnectedOp<DynamicSliceOp>(
      {{0, "x"}, {1, "i"}}, {{0, "y"}}, Onnx::CustomOperators::DynamicSlice_1, Shape{1}, Shape{2},
      true, Op::Settings(graph, "slice"));
  std::cout << slice->outInfo(0) << " ";
  slice->setAxes({0});
  slice->setSizes({3});
  slice->setup();
  std::cout << slice->outInfo(0) << "\n";
}

}  // namespace

int main() {
  Ir ir;
  transposedConvolutions(ir.getMainGraph());
  slices(ir.getMainGraph());
  inGraph(ir.getMainGraph());
}
