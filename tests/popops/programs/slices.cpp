// Scatters, gathers, sequences, histograms and the like.
#include <arrays.hpp>
#include <popops/CircBuf.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Gather.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/NaN.hpp>
#include <popops/NormaliseImage.hpp>
#include <popops/Scatter.hpp>
#include <popops/SequenceSlice.hpp>
#include <popops/UpdateScalarInRows.hpp>
#include <poputil/GraphFunction.hpp>
#include <poputil/exceptions.hpp>

#include <iostream>

using namespace poplar;

int main(int, char** argv) {
  const std::string part = argv[1];
  Arrays a;
  if (part == "refused") {
    using Case = std::pair<std::vector<std::size_t>, std::vector<unsigned>>;
    for (const auto& [sizes, dims] : {Case{{1, 6}, {0}}, {{1, 6, 5}, {2, 0, 2}}, {{1, 6, 5}, {3}}})
      try {
        popops::createGatherInput(a.graph, FLOAT, {4, 6, 5}, sizes, dims);
      } catch (const poputil::poplibs_error& e) {
        std::cout << e.what() << "\n";
      }
    return 0;
  }
  if (part == "scatter") {
    // Columns of pairs of rows: the windows are [2, 1] of an operand [6, 5].
    const auto operand = a.input("operand", FLOAT, {6, 5});
    const auto indices = a.input("indices", INT, {3, 2});
    const auto updates = a.input("updates", FLOAT, {2, 3});
    popops::scatter(a.graph, operand, indices, updates, 1, {0}, {1}, {0, 1}, a.prog);
    a.output("scattered", operand);
  } else if (part == "scatterAdd") {
    const auto operand = a.input("operand", FLOAT, {6, 5});
    const auto indices = a.input("indices", INT, {4});
    const auto updates = a.input("updates", FLOAT, {4, 5});
    popops::UpdateComputationFunc twice = [](Graph& graph, Tensor& old, Tensor& update,
                                             program::Sequence& prog) {
      return popops::add(graph, popops::mul(graph, old, 2.0f, prog), update, prog);
    };
    popops::scatter(a.graph, operand, indices, updates, 1, {1}, {0}, {0}, twice, a.prog, {},
                    {{"remapOutOfBoundIndices", "true"}});
    a.output("scattered", operand);
  } else if (part == "gather") {
    const auto input = a.input("input", FLOAT, {4, 6, 5});
    const auto indices = a.input("indices", UNSIGNED_INT, {2, 3, 2});
    a.output("gathered",
             popops::gather(a.graph, input, indices, 2, {0, 3}, {2, 1, 5}, {1}, {1, 0}, a.prog));
  } else if (part == "sequences") {
    const auto in = a.input("in", FLOAT, {8, 3});
    const auto out = a.input("out", FLOAT, {10, 3}), kept = a.input("kept", FLOAT, {10, 3});
    const auto n = a.input("n", UNSIGNED_INT, {3}), from = a.input("from", UNSIGNED_INT, {3});
    const auto to = a.input("to", UNSIGNED_INT, {3});
    popops::sequenceSlice(a.graph, in, out, n, from, to, true, a.prog);
    popops::sequenceSlice(a.graph, in, kept, n, from, to, false, a.prog);
    a.output("zeroed", out);
    a.output("written", kept);
  } else if (part == "deviations") {
    const auto x = a.input("x", FLOAT, {3, 5}), eps = a.input("eps", FLOAT, {1});
    const auto half = popops::varianceToInvStdDev(a.graph, x, eps, a.prog, HALF);
    a.output("half", half);
    a.output("float", popops::varianceToInvStdDev(a.graph, x, 0.5f, a.prog, FLOAT, "named"));
    a.output("asDefault", popops::varianceToInvStdDev(a.graph, x, 0.5f, a.prog));
    a.output("wide", popops::invStdDevToVariance(a.graph, half, 0.5f, a.prog, FLOAT));
    a.output("narrow", popops::invStdDevToVariance(a.graph, half, 0.5f, a.prog, HALF));
    a.output("back", popops::invStdDevToVariance(a.graph, half, 0.5f, a.prog));
    a.output("own", popops::invStdDevToVariance(a.graph, x, eps, a.prog));
    for (int i = 0; i < 4; ++i) try {
        if (i == 0) popops::varianceToInvStdDev(a.graph, half, eps, a.prog, HALF);
        if (i == 1) popops::varianceToInvStdDev(a.graph, half, 0.5f, a.prog, FLOAT);
        if (i == 2) popops::invStdDevToVariance(a.graph, x, 0.5f, a.prog, HALF);
        if (i == 3) popops::invStdDevToVariance(a.graph, x, x, a.prog, FLOAT);
        return 1;
      } catch (const poputil::poplibs_error& e) {
        std::cout << e.what() << "\n";
      }
  } else if (part == "statistics") {
    const auto x = a.input("x", FLOAT, {7, 11});
    const auto levels = a.input("levels", FLOAT, {4});
    a.output("counts", popops::histogram(a.graph, x, levels, false, a.prog));
    a.output("absolute", popops::histogram(a.graph, x, levels, true, a.prog, {},
                                           {{"useFloatArithmetic", "true"}}));
    const auto bad = a.input("bad", FLOAT, {7, 11});
    a.output("nan", poplar::concat({popops::hasNaN(a.graph, x, a.prog).reshape({1}),
                                    popops::hasNaN(a.graph, bad, a.prog).reshape({1}),
                                    popops::hasNaNOrInf(a.graph, x, a.prog).reshape({1}),
                                    popops::hasNaNOrInf(a.graph, bad, a.prog).reshape({1})}));
    const auto rows = a.input("rows", FLOAT, {4, 3});
    popops::updateScalarInRows(a.graph, rows, a.input("labels", UNSIGNED_INT, {4}), a.prog);
    a.output("updated", rows);
  } else if (part == "image") {
    const auto image = popops::createNormaliseImageInput(a.graph, UNSIGNED_CHAR, {2, 5, 3});
    a.given("image", image);
    a.output("normal",
             popops::normaliseImage(a.graph, a.prog, image, 0.25f, a.input("offsets", HALF, {3}),
                                    a.input("scales", HALF, {3})));
  } else if (part == "buffer") {
    popops::CircBuf buffer(a.graph, FLOAT, 3, {2});
    const auto all = a.input("all", FLOAT, {5, 2});
    for (unsigned i = 0; i < 5; ++i) buffer.add(all[i], a.prog);
    std::vector<Tensor> seen;
    for (unsigned i = 0; i < 3; ++i) seen.push_back(buffer.prev(i, a.prog).expand({0}));
    a.output("seen", poplar::concat(seen));
  } else {
    // A function of two calls.
    const auto x = a.input("x", FLOAT, {4}), y = a.input("y", FLOAT, {4});
    namespace fn = poputil::graphfn;
    fn::TensorFunction sum(a.graph, {fn::input(x), fn::inout(y)},
                           [&](std::vector<Tensor>& args, program::Sequence& prog) {
                             popops::mulInPlace(a.graph, args[1], 3.0f, prog);
                             return popops::add(a.graph, args[0], args[1], prog);
                           });
    std::vector<Tensor> args = {x, y};
    a.output("first", sum(args, a.prog));
    a.output("second", sum(args, a.prog));
    a.output("changed", y);
  }
  a.run();
}
