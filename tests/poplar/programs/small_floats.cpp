// Casts to small floats and back, and the seeds of the tiles.
#include <arrays.hpp>
#include <popfloat/experimental/CastToGfloat.hpp>
#include <poplar/RandomSeed.hpp>
#include <popops/Fill.hpp>
#include <poprand/RandomGen.hpp>

#include <sstream>

using namespace poplar;
using namespace popfloat::experimental;

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
