// Casts to small floats and back, and the seeds of the tiles.
#include <arrays.hpp>
#include <popfloat/experimental/CastToGfloat.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/RandomSeed.hpp>
#include <popops/Fill.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/Util.hpp>

#include <sstream>

using namespace poplar;
using namespace popfloat::experimental;

namespace {

/// Masks that two vertices on each of 4 tiles draw, and the seeds that they draw from.
void masks() {
  IPUModel model;
  model.tilesPerIPU = 4;
  Arrays a(model.createDevice());
  const auto seed = a.input("seed", UNSIGNED_INT, {2});
  poprand::setSeed(a.graph, seed, 7, a.prog);
  const auto mask = a.graph.addVariable(FLOAT, {8, 1000}, "mask");
  const auto draws = a.graph.addComputeSet("draws");
  for (unsigned i = 0; i < 8; ++i) {
    a.graph.setTileMapping(mask[i], i / 2);
    const auto drawn = a.graph.addVertex(draws, "poprand::Bernoulli<float>", {{"out", mask[i]}});
    a.graph.setInitialValue(drawn["prob"], 30000);
    a.graph.setTileMapping(drawn, i / 2);
  }
  const auto draw = [&](const char* name) {
    a.prog.add(program::Execute(draws));
    a.output(name, poputil::duplicate(a.graph, mask, a.prog));
  };
  draw("first");
  const auto kept = getHwSeeds(a.graph, a.prog);
  draw("second");
  setHwSeeds(a.graph, kept, a.prog);
  draw("repeated");
  poprand::setSeed(a.graph, seed, 7, a.prog);
  draw("again");
  poprand::setSeed(a.graph, seed, 7, a.prog);
  // Of a part of the tiles.
  auto part = a.graph.createVirtualGraph(std::vector<unsigned>{1, 3});
  a.output("own", getHwSeeds(part, a.prog));
  a.output("all", getHwSeeds(a.graph, a.prog));
  poprand::setSeed(part, seed, 8, a.prog);
  draw("partly");
  a.run();
}

}  // namespace

// ARGS: mantissa exponent bias denormals infinity nanoo rounding type(FP32, FP16, INT8 or INT16).
// cast in=x.bin (FLOAT): "kept" as FLOAT, after it was packed if the type packs.
int main(int argc, char** argv) {
  const std::string part = argv[1];
  Arrays a;
  if (part == "seeds") {
    const std::vector<std::size_t> shape = {1, a.graph.getTarget().getNumWorkerContexts(), 4};
    const auto seed = a.input("seed", UNSIGNED_INT, {2});
    a.output("first", getHwSeeds(a.graph, a.prog));
    poprand::setSeed(a.graph, seed, 7, a.prog);
    a.output("seeded", getHwSeeds(a.graph, a.prog));
    setHwSeeds(a.graph, a.input("own", UNSIGNED_INT, shape), a.prog);
    a.output("set", getHwSeeds(a.graph, a.prog));
    poprand::setSeed(a.graph, seed, 7, a.prog);
    a.output("again", getHwSeeds(a.graph, a.prog));
    a.run();
    return 0;
  }
  if (part == "masks") {
    masks();
    return 0;
  }
  std::vector<int> numbers;
  std::string rounding, type;
  std::size_t count = 0;
  unsigned mantissa = 0, exponent = 0;
  int bias = 0, denormals = 0, infinity = 0, nanoo = 0;
  std::istringstream(part) >> mantissa >> exponent >> bias >> denormals >> infinity >> nanoo >>
      rounding >> type >> count;
  GfloatCast::GfloatCastOptions options(OptionFlags{{"roundMode", rounding}});
  const GfloatCast::FormatConfig format(mantissa, exponent, bias, denormals != 0, infinity != 0);
  const SpecType kept = type == "FP32"   ? SpecType::FP32
                        : type == "INT8" ? SpecType::INT8
                        : type == "FP16" ? SpecType::FP16
                                         : SpecType::INT16;
  GfloatCast::RoundConfig round(options, FLOAT);
  if (argc > 2) {  // noise: density, offset, scale, minimum, maximum, probability
    std::istringstream in(argv[2]);
    std::string density;
    float offset, scale, min, max, probability;
    unsigned bits;
    in >> density >> offset >> scale >> min >> max >> probability >> bits;
    const GfloatCast::GfloatCastOptions named(OptionFlags{{"srNoiseDensity", density}});
    round = GfloatCast::RoundConfig(options.roundMode, bits, FLOAT, named.srNoiseDensity, offset,
                                    scale, max, min, probability);
  }
  GfloatCast cast(format, round, nanoo != 0, kept, SpecType::FP32);
  cast.createCastOpParamsTensor(a.graph, a.prog);
  const auto x = a.input("x", FLOAT, {count});
  const auto small = cast.castNativeToGfloat(a.graph, x, a.prog);
  a.output("small", small);
  a.output("kept",
           small.elementType() == FLOAT ? small : cast.castGfloatToNative(a.graph, small, a.prog));
  if (small.elementType() == FLOAT && rounding != "SR" && rounding != "SX") {
    cast.castNativeToGfloatInPlace(a.graph, x, a.prog);
    a.output("inPlace", x);
  }
  a.run();
}
