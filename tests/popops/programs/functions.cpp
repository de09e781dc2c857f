// Functions of PopLibs on the numbers of a file: padding, sorting, tests, the largest, norms.
// Reads x, gradients, gamma and beta; writes all results, one after another.
#include <popfloat/experimental/CastToHalf.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/Loss.hpp>
#include <popnn/Norms.hpp>
#include <popops/AllTrue.hpp>
#include <popops/Cast.hpp>
#include <popops/HostSliceTensor.hpp>
#include <popops/Pad.hpp>
#include <popops/Sort.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <fstream>

using namespace poplar;
using namespace poplar::program;

namespace {

constexpr std::size_t N = 3, C = 6, F = 5;
std::vector<Tensor> results;

template <class Fn>
void refused(Fn f) {
  try {
    f();
    std::cout << "nothing\n";
  } catch (const poputil::poplibs_error& e) {
    std::cout << e.what() << "\n";
  }
}

template <class Pair>
void keep(const Pair& both) {
  results.push_back(both.first);
  results.push_back(both.second);
}

}  // namespace

int main(int, char** argv) {
  Graph graph(IPUModel("ipu2").createDevice());
  Sequence prog;
  const auto input = [&](const std::string& name, std::vector<std::size_t> shape) {
    Tensor t = graph.addVariable(FLOAT, shape, VariableMappingMethod::LINEAR, name);
    graph.createHostWrite(name, t);
    return t;
  };
  Tensor x = input("x", {N, C, F}), g = input("g", {N, C, F});
  Tensor gamma = input("gamma", {C}), beta = input("beta", {C});

  results.push_back(popops::pad(graph, x, {1, -2, 0}, {0, 1, 2}, 1.5f));
  results.push_back(popops::pad(graph, x, 1, 2, 2, 7, popops::padding::MappingMethod::EDGE));
  results.push_back(popops::pad(graph, x, 0, 1, 0, beta[0]));
  results.push_back(popops::pad(x, {0, 0, 2}, {0, 1, 3}, popops::padding::Type::EDGE));
  results.push_back(popops::pad(x, 4, 3, 2, popops::padding::Type::REFLECT));
  results.push_back(popops::sort(graph, x, 1, prog));
  results.push_back(popops::sortKeyValue(graph, x, g, 0, prog));
  Tensor keys = poputil::duplicate(graph, x, prog), values = poputil::duplicate(graph, g, prog);
  popops::sortKeyValueInPlace(graph, keys, values, 2, prog);
  keep(std::make_pair(keys, values));
  Tensor indices;
  results.push_back(popnn::topK(graph, x.reshape({N * C, F}), indices, 2, true, prog));
  results.push_back(popops::cast(graph, indices, FLOAT, prog));
  results.push_back(popops::cast(graph, popops::allTrue(graph, x, prog), FLOAT, prog));
  results.push_back(popops::cast(
      graph, popops::allTrue(graph, popops::pad(graph, x, 0, 1, 0, 0.0f), prog), FLOAT, prog));

  const float eps = 0.01f;
  {
    const auto s = popnn::bn::batchNormStatistics(graph, x, eps, prog, false);
    keep(s);
    const auto y = popnn::bn::batchNormalise(graph, x, gamma, beta, s.first, s.second, prog);
    results.push_back(y.first);
    keep(popnn::bn::batchNormParamGradients(graph, y.second, g, prog));
    results.push_back(popnn::bn::batchNormGradients(graph, x, g, s.first, s.second, gamma, prog));
  }
  for (const bool strided : {true, false}) {
    const OptionFlags options{{"groupNormStridedChannelGrouping", strided ? "true" : "false"}};
    const auto s =
        popnn::gn::groupNormStatistics(graph, x, eps, prog, 2, false, false, FLOAT, {}, options);
    keep(s);
    const auto y =
        popnn::gn::groupNormalise(graph, x, gamma, beta, s.first, s.second, prog, {}, options);
    results.push_back(y.first);
    keep(popnn::gn::groupNormParamGradients(graph, x, g, s.first, s.second, prog, FLOAT, {},
                                            options));
    results.push_back(popnn::gn::groupNormGradients(graph, x, g, s.first, s.second, gamma, prog,
                                                    FLOAT, {}, options));
  }
  {
    const auto s = popnn::ln::layerNormStatistics(graph, x, eps, prog, true);
    results.push_back(
        popnn::ln::layerNormalise(graph, x, gamma, beta, s.first, s.second, prog).first);
    const auto i = popnn::in::instanceNormStatistics(graph, x, eps, prog, false);
    results.push_back(
        popnn::in::instanceNormalise(graph, x, gamma, beta, i.first, i.second, prog).first);
    Tensor moved = poputil::duplicate(graph, gamma, prog),
           also = poputil::duplicate(graph, beta, prog);
    popnn::bn::batchNormParamUpdate(graph, beta, gamma, -0.5f, moved, also, prog);
    keep(std::make_pair(moved, also));
  }
  const auto rows = popops::createHostSliceableTensor(graph, FLOAT, {4, 3}, true);
  std::cout << rows.indices.shapeToString() << rows.tensor.shapeToString()
            << popops::createHostTransferableTensor(graph, FLOAT, {7}, true).shapeToString()
            << "\n";
  std::cout << popfloat::experimental::singleToHalf(1.0f) << " "
            << popfloat::experimental::singleToHalf(1e6f) << " "
            << popfloat::experimental::halfToSingle(0x3e00) << "\n";
  std::cout << popnn::createNormParams(graph, x).first.shapeToString() << "\n";
  refused([&] { popops::pad(graph, x, {1}, {1}); });
  refused([&] { popops::pad(graph, x, -3, -3, 2); });
  refused([&] { popops::pad(x, 5, 0, 2, popops::padding::Type::REFLECT); });
  refused([&] { popops::sort(graph, x, 3, prog); });
  refused([&] { popops::sortKeyValue(graph, x, gamma, 0, prog); });
  refused([&] { popnn::gn::groupNormStatistics(graph, x, eps, prog, 4, false); });
  refused([&] {
    popnn::bn::batchNormStatistics(graph, x, eps, prog, false, false, FLOAT, {}, {{"group", "1"}});
  });
  refused([&] { poplin::normStatistics(graph, gamma, eps, prog, false); });

  std::vector<std::vector<float>> out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    Tensor t = graph.addVariable(FLOAT, results[i].shape());
    poputil::mapTensorLinearly(graph, t);
    prog.add(Copy(results[i], t));
    graph.createHostRead("r" + std::to_string(i), t);
    out.emplace_back(t.numElements());
  }
  Engine engine(graph, prog);
  std::ifstream file(argv[1], std::ios::binary);
  const auto give = [&](const std::string& name, const Tensor& t) {
    std::vector<float> v(t.numElements());
    file.read(reinterpret_cast<char*>(v.data()), static_cast<std::streamsize>(4 * v.size()));
    engine.writeTensor(name, v);
  };
  give("x", x), give("g", g), give("gamma", gamma), give("beta", beta);
  engine.run(0);
  std::ofstream saved(argv[2], std::ios::binary);
  for (std::size_t i = 0; i < results.size(); ++i) {
    engine.readTensor("r" + std::to_string(i), out[i]);
    saved.write(reinterpret_cast<const char*>(out[i].data()),
                static_cast<std::streamsize>(4 * out[i].size()));
  }
}
