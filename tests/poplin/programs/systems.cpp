// Decompositions, triangular systems, several convolutions, grids.
#include <arrays.hpp>
#include <iostream>
#include <poplin/Cholesky.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/MeshGrid.hpp>
#include <poplin/MultiConvolution.hpp>
#include <poplin/TriangularSolve.hpp>
#include <poplin/experimental/LuFactorization.hpp>
#include <poplin/experimental/QRFactorization.hpp>

using namespace poplar;

int main(int, char** argv) {
  const std::string part = argv[1];
  Arrays a;
  if (part == "cholesky") {
    const auto x = a.input("x", FLOAT, {2, 6, 6});
    a.output("lower", poplin::cholesky(a.graph, x, true, a.prog));
    a.output("upper", poplin::cholesky(a.graph, x, false, a.prog));
  } else if (part == "solve") {
    const auto x = a.input("x", FLOAT, {5, 5});
    const auto b = a.input("b", FLOAT, {5, 3}), c = a.input("c", FLOAT, {3, 5});
    a.output("lower", poplin::triangularSolve(a.graph, x, b, true, true, false, a.prog));
    a.output("upper", poplin::triangularSolve(a.graph, x, b, true, false, false, a.prog));
    a.output("unit", poplin::triangularSolve(a.graph, x, c, false, true, true, a.prog));
    a.output("right", poplin::triangularSolve(a.graph, x, c, false, false, false, a.prog));
    a.output("mask", poplin::triangularMask(a.graph, x, true, true, a.prog));
  } else if (part == "batches") {
    const auto x = a.input("x", FLOAT, {2, 3, 4, 4}), b = a.input("b", FLOAT, {2, 3, 4, 2});
    a.output("solved", poplin::triangularSolve(a.graph, x, b, true, true, false, a.prog));
    a.output("mask", poplin::triangularMask(a.graph, x, true, true, a.prog));
    a.output("factor", poplin::cholesky(a.graph, a.input("p", FLOAT, {2, 3, 4, 4}), true, a.prog));
  } else if (part == "lu") {
    auto x = a.input("x", FLOAT, {5, 4});
    const auto made = poplin::experimental::LUFactorization(a.graph, x, a.prog);
    a.output("l", made.first);
    a.output("u", made.second);
  } else if (part == "qr") {
    auto both = poplin::experimental::createQRFactorizationMatrices(a.graph, FLOAT, 6, 4, "qr");
    a.given("x", both[0]);
    a.given("q", both[1]);
    poplin::experimental::QRFactorization(a.graph, both[0], both[1], a.prog);
    a.output("r", both[0]);
    a.output("orthogonal", both[1]);
  } else if (part == "convolutions") {
    std::vector<poplin::multiconv::ConvolutionArgs> args;
    for (const std::size_t channels : {2, 3}) {
      const poplin::ConvParams params(FLOAT, 1, {5, 5}, {3, 3}, channels, 4, 1);
      const std::string n = std::to_string(channels);
      args.push_back({a.input("x" + n, FLOAT, {1, channels, 5, 5}),
                      a.input("w" + n, FLOAT, {1, 4, channels, 3, 3}),
                      params,
                      {}});
    }
    const auto made = poplin::multiconv::convolution(a.graph, args, false, a.prog);
    a.output("y2", made[0]);
    a.output("y3", made[1]);
  } else if (part.rfind("update", 0) == 0) {
    // The gradient of weights as a convolution, and the update by a scale on the device.
    poplin::ConvParams params(FLOAT, 3, {9, 7}, {3, 2}, 4, 5, 2);
    params.inputTransform.paddingLower = {1, 0};
    params.inputTransform.paddingUpper = {2, 1};
    params.outputTransform.stride = {2, 1};
    params.kernelTransform.dilation = {1, 2};
    if (part == "update flipped") {
      params.kernelTransform.flip = {true, false};
      params.inputTransform.flip = {false, true};
      params.outputTransform.truncationLower = {1, 0};
      params.kernelTransform.paddingUpper = {0, 1};
    }
    const auto x = a.input("x", FLOAT, {3, 8, 9, 7});
    const auto w = a.input("w", FLOAT, {2, 5, 4, 3, 2});
    const auto y = poplin::convolution(a.graph, x, w, params, false, a.prog);
    const auto deltas = poplin::calculateWeightDeltas(a.graph, y, x, params, a.prog);
    const auto turned = [](const Tensor& t, std::size_t rows) {  // channels of a group as the batch
      return t.reshapePartial(1, 2, {2, rows}).dimRoll(0, 2);
    };
    const auto update = poplin::getWeightUpdateParams(params);
    const auto in = turned(x, 4).dimRoll(0, 1).reshape({4, 6, 9, 7});
    const auto kernel = turned(y, 5);
    const auto made = poplin::convolution(a.graph, in, kernel, update, false, a.prog);
    a.output("deltas", deltas);
    a.output("made", made.reshapePartial(1, 2, {2, 5}).dimRoll(0, 2));
    const auto scale = a.graph.addConstant(FLOAT, {}, -0.5f);
    a.graph.setTileMapping(scale, 0);
    poplin::convolutionWeightUpdate(a.graph, y, w, x, params, scale, a.prog);
    a.output("updated", w);
    a.output("biases", poplin::createBiases(a.graph, y, params, "biases", {}, nullptr));
  } else if (part == "reports") {
    poplin::matMulReportPlan(std::cout, a.graph, FLOAT, FLOAT, {2, 3}, {3, 4});
    poplin::matMulGroupedReportPlan(std::cout, a.graph, HALF, FLOAT, {5, 2, 3}, {5, 3, 4});
    const poplin::ConvParams params(FLOAT, 2, {6, 5}, {3, 2}, 4, 7, 1);
    poplin::reportPlanInfo(std::cout, a.graph, params);
    poplin::reportWeightUpdatePlanInfo(std::cout, a.graph, params);
    return 0;
  } else if (part == "grid") {
    const auto x = poplin::linspace(a.graph, FLOAT, -1, 1, 5);
    const auto y = poplin::linspace(a.graph, FLOAT, 0, 2, 3);
    const auto made = poplin::meshgrid2d(a.graph, x, y);
    a.output("gx", made[0]);
    a.output("gy", made[1]);
  } else {
    // Which input each element of the output and of the kernel meet: stride 2, dilations, paddings.
    poplin::ConvParams params(FLOAT, 1, {7}, {3}, 1, 1, 1);
    params.inputTransform.paddingLower = {1};
    params.inputTransform.paddingUpper = {1};
    params.inputTransform.dilation = {2};
    params.kernelTransform.dilation = {2};
    params.kernelTransform.flip = {true};
    params.outputTransform.stride = {2};
    params.outputTransform.truncationLower = {1};
    params.validate();
    for (unsigned o = 0; o < params.getOutputSize(0); ++o)
      for (unsigned k = 0; k < 3; ++k)
        std::cout << static_cast<int>(poplin::getInputIndex(0, o, k, params)) << ' ';
    const auto range = poplin::getInputRange(0, {1, 3}, 0, params);
    std::cout << range.first << ' ' << range.second << '\n';
    return 0;
  }
  a.run();
}
