// Small functions of PopLibs: order in memory, partitions, factors, plans, counts of operations.
#include <arrays.hpp>
#include <gcl/TileAllocation.hpp>
#include <iostream>
#include <poplin/ConvPreplan.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/Norms.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/codelets.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/Util.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <set>

using namespace poplar;

namespace {

/// Prints the message of what a call throws.
template <class Call>
void refused(const Call& call) {
  try {
    call();
    std::cout << "accepted\n";
  } catch (const std::exception& error) {
    std::cout << error.what() << "\n";
  }
}

void print(const std::vector<std::size_t>& numbers) {
  for (const std::size_t n : numbers) std::cout << n << " ";
}

/// A sum over a group of replicas that are all alike.
std::vector<Tensor> sumOfAlike(Graph& graph, const std::vector<Tensor>& tensors,
                               program::Sequence& prog, unsigned group, const DebugContext&,
                               const OptionFlags&) {
  std::vector<Tensor> sums;
  for (const auto& t : tensors)
    sums.push_back(popops::mul(graph, t, static_cast<float>(group), prog));
  return sums;
}

}  // namespace

int main(int, char** argv) {
  const std::string part = argv[1];
  Arrays a;
  if (part == "partitions") {
    for (const std::vector<std::size_t>& cuts :
         {std::vector<std::size_t>{1, 1, 1}, {3, 2, 4}, {4, 3, 5}, {2, 9, 1}}) {
      const auto t = poputil::createPartitionableTensor(a.graph, FLOAT, {5, 8, 12}, cuts, "t");
      print(t.shape());
      std::size_t elements = 0, regions = 0;
      poputil::iterateTensorPartitions(t, cuts, [&](const auto& indices, const Tensor& slice) {
        elements += slice.numElements();
        regions = std::max(regions, slice.getVarRegions().size());
        if (indices == std::vector<std::size_t>{1, 1, 0}) print(slice.shape());
      });
      std::cout << elements << " " << regions << "\n";
    }
    print(poputil::createPartitionableTensor(a.graph, FLOAT, {5, 0}, {2, 2}, "none").shape());
    std::cout << "\n";
    refused([&] { poputil::createPartitionableTensor(a.graph, FLOAT, {5, 8}, {2}, "t"); });
    refused([&] {
      const auto t = a.graph.addVariable(FLOAT, {4});
      poputil::iterateTensorPartitions(t, {0}, [](const auto&, const Tensor&) {});
    });
  } else if (part == "order") {
    const auto x = a.input("x", FLOAT, {4, 6}), y = a.input("y", INT, {24});
    Tensor t = x.transpose().flatten(), other = y;
    std::cout << t.getVarRegions().size() << " ";
    a.graph.reorderToSimplify(&t, {&other});
    std::cout << t.getVarRegions().size() << " " << other.getVarRegions().size() << "\n";
    refused([&] {
      Tensor two = x;
      a.graph.reorderToSimplify(&two, {});
    });
    refused([&] {
      Tensor less = y.slice(0, 3);
      a.graph.reorderToSimplify(&t, {&less});
    });
    a.output("t", t);
    a.output("other", other);
    a.run();
  } else if (part == "factors") {
    const auto x = a.input("x", FLOAT, {2, 4, 6, 5});
    const auto made = poputil::factorDims(x, {2, 3}, 1);
    a.output("factored", made);
    a.output("back", poputil::unfactorDims(made, 2, 1));
    refused([&] { poputil::factorDims(x, {3}, 1); });
    refused([&] { poputil::unfactorDims(x, 3); });
    a.run();
  } else if (part == "casts") {
    const auto& target = a.graph.getTarget();
    const auto x = a.input("x", FLOAT, {6});
    std::vector<Tensor> kept;
    for (unsigned i = 0; i < 6; ++i)
      kept.push_back(popops::checkAccuracyWhenCast(a.graph, x.slice(i, i + 1), HALF, 1e-4, a.prog)
                         .expand({0}));
    a.output("kept", concat(kept));
    for (const double value : {1.0, 1.0001, 70000.0, 1e-9, 0.0})
      std::cout << poputil::checkAccuracyWhenCast(target, value, FLOAT, HALF, 1e-4);
    std::cout << poputil::checkAccuracyWhenCast(target, 0.1, HALF, FLOAT, 0) << "\n";
    refused([&] { poputil::checkAccuracyWhenCast(target, 1, INT, HALF, 1); });
    refused([&] { popops::checkAccuracyWhenCast(a.graph, x, HALF, 1, a.prog); });
    a.run();
  } else if (part == "biases") {
    const auto deltas = a.input("deltas", FLOAT, {2, 3, 4, 5}), biases = a.input("b", FLOAT, {3});
    poplin::convolutionBiasUpdate(a.graph, deltas, biases, 0.5f, {}, a.prog);
    a.output("biases", biases);
    refused([&] { poplin::convolutionBiasUpdate(a.graph, biases, biases, 0.5f, {}, a.prog); });
    // A fully connected layer: the gradient of its input by the weights of its forward pass.
    const poplin::ConvParams forward(FLOAT, 4, {1}, {1}, 3, 5, 1);
    const auto w = a.input("w", FLOAT, {1, 5, 3, 1}), gradient = a.input("g", FLOAT, {4, 5, 1});
    const auto params = poplin::getGradientParams(forward);
    const auto transposed = poplin::fullyConnectedWeightTranspose(a.graph, w, params, a.prog);
    a.output("dx", poplin::convolution(a.graph, gradient, transposed, params, false, a.prog));
    a.run();
  } else if (part == "plans") {
    const auto& target = a.graph.getTarget();
    const OptionFlags good{{"partialsType", "half"}}, bad{{"partialType", "half"}};
    const poplin::MatMulParams product{FLOAT, FLOAT, {2, 3}, {3, 4}};
    const poplin::ConvParams params(HALF, 1, {8}, {3}, 2, 4, 1);
    for (const auto* options : {&good, &bad}) {
      refused([&] {
        poplin::matmul::PlanningCache cache;
        poplin::preplanMatMuls({{&target, product, options}}, cache);
      });
      refused([&] {
        poplin::PlanningCache cache;
        poplin::preplanConvolutions({{&target, params, options}}, cache);
        poplin::preplanConvolutions(a.graph, {{&target, params, options}}, cache);
      });
      refused([&] { poplin::convolutionValidateOptions(*options); });
    }
    // A contraction that was planned ahead finds its plan: the cache grows with others alone.
    poplin::matmul::PlanningCache cache;
    poplin::preplan({{&target, params, &good}}, {{&target, product, &good}}, cache);
    std::cout << cache.size();
    const auto x = a.input("x", FLOAT, {2, 3}), y = a.input("y", FLOAT, {3, 4});
    const auto in = a.input("in", HALF, {1, 2, 8}), kernel = a.input("k", HALF, {1, 4, 2, 3});
    poplin::matMul(a.graph, x, y, a.prog, {}, good, &cache);
    poplin::convolution(a.graph, in, kernel, params, false, a.prog, {}, good, &cache);
    std::cout << cache.size();
    poplin::matMul(a.graph, y.transpose(), x.transpose(), a.prog, {}, good, &cache);
    std::cout << cache.size() << "\n";
    const poplin::MatMulParams wrong{FLOAT, FLOAT, {2, 3}, {4, 4}};
    refused([&] { poplin::preplanMatMuls({{&target, wrong, &good}}, cache); });
  } else if (part == "counts") {
    const auto target = Target::createIPUTarget(1, "ipu2");
    const Graph graph(target);
    const poplin::ConvParams whole(FLOAT, 2, {8, 8}, {3, 3}, 4, 16, 1);
    const poplin::ConvParams half(HALF, 2, {8, 8}, {3, 3}, 4, 16, 1);
    std::cout.precision(12);
    std::cout << poplin::getFwdPerfectCycleCount(graph, whole) << " "
              << poplin::getBwdPerfectCycleCount(graph, half) << " "
              << poplin::getWuPerfectCycleCount(graph, half) << "\n";
    const popnn::pooling::PoolParams pool(popnn::PoolingType::MAX, {8, 8}, {2, 2}, {2, 2}, {0, 0},
                                          {0, 0}, 3, 2, HALF);
    std::cout << popnn::pooling::getFwdPerfectCycleCount(graph, pool) << " "
              << popnn::pooling::getBwdPerfectCycleCount(graph, pool) << "\n";
    std::cout << popnn::getNormFwdFlops(3, 100) << " " << popnn::getNormFwdFlops(3, 100, false)
              << " " << popnn::getNormBwdFlops(3, 100) << " " << popnn::getNormWuFlops(3, 100)
              << "\n";
  } else if (part == "tiles") {
    const Graph two(Target::createIPUTarget(2, "ipu2")),
        small(Target::createIPUTarget(1, 20, "ipu2"));
    std::cout << gcl::getMinIoTiles(two) << " " << gcl::getMinIoTiles(small) << "\n";
    for (const bool pairs : {true, false}) {
      for (const bool sorted : {true, false}) {
        for (const unsigned tile : gcl::perIPUTiles(two, 0, 6, sorted, pairs))
          std::cout << tile << " ";
        std::cout << "\n";
      }
      std::set<unsigned> all;
      for (const auto& range : {std::make_pair(0u, 32u), {32u, 1400u}, {1432u, 40u}})
        for (const unsigned tile : gcl::perIPUTiles(two, range.first, range.second, true, pairs))
          all.insert(tile);
      std::cout << all.size() << " " << *all.rbegin() << "\n";
    }
    refused([&] { gcl::perIPUTiles(small, 18, 3); });
  } else if (part == "norms") {
    const auto x = a.input("x", FLOAT, {4, 3, 5}), g = a.input("g", FLOAT, {4, 3, 5});
    const auto gamma = a.input("gamma", FLOAT, {3});
    const auto statistics = [&](bool unbiased) {
      return popnn::bn::distributedBatchNormStatistics(a.graph, x, 1e-3f, a.prog, unbiased,
                                                       sumOfAlike, 8);
    };
    const auto made = statistics(false);
    a.output("mean", made.first);
    a.output("inverse", made.second);
    a.output("unbiased", statistics(true).second);
    a.output("dx", popnn::bn::distributedBatchNormGradients(a.graph, x, g, made.first, made.second,
                                                            gamma, a.prog, sumOfAlike, 8));
    a.run();
  } else {
    popnn::addCodelets(a.graph);
    const auto x = a.input("x", FLOAT, {7}), labels = a.input("labels", UNSIGNED_INT, {7});
    const auto cs = a.graph.addComputeSet("extremes");
    for (const std::string which : {"Max", "Min"}) {
      const auto name = which == "Max" ? "max" : "min";
      const auto value = a.graph.addVariable(FLOAT, {}, VariableMappingMethod::LINEAR);
      const auto index = a.graph.addVariable(UNSIGNED_INT, {}, VariableMappingMethod::LINEAR);
      const auto v = a.graph.addVertex(
          cs, poputil::templateVertex("popnn::Reduce" + which + "ClassSparse", FLOAT, UNSIGNED_INT),
          {{"activations", x},
           {"labels", labels},
           {std::string(name) + "Value", value},
           {std::string(name) + "Index", index}});
      a.graph.setTileMapping(v, 0);
      a.output(std::string(name) + "Value", value);
      a.output(std::string(name) + "Index", index);
    }
    a.prog.add(program::Execute(cs));
    refused([&] { a.graph.addVertex(cs, "popnn::Nothing<float>"); });
    a.run();
  }
}
