// QUARTER: casts both ways, products, and conversions on the host.
// ARGS: part format scale count, where part is cast, product, units, cycles, codelets or host. For
// `units` and `cycles` count says which machine: 1 an ipu21, which has units for 8-bit floats, 0 an
// ipu2, which has none.
#include <arrays.hpp>
#include <iostream>
#include <poplar/IPUModel.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popops/Cast.hpp>

using namespace poplar;
using Format = QuarterMetadata::Format;

namespace {

// Vertices of quarter: a vector, a list of vectors, one element, and the conversions of a tile.
const char* const kCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
struct ToFloats : MultiVertex {
  Input<Vector<quarter, VectorLayout::ONE_PTR>> in;
  Output<Vector<float>> out;
  void compute(unsigned worker = 0) {
    const auto metadata = unpackMetadata(in.getMetadata());
    for (unsigned i = worker; i < out.size(); i += 6) out[i] = toFloat(in[i], metadata);
  }
};
struct FromFloats : Vertex {
  Input<Vector<float>> in;
  Vector<Output<Vector<quarter>>> out;
  Input<quarter> one;
  Output<float> oneAsFloat, oneAsHalf;
  void compute() {
    const auto metadata = unpackMetadata(out.getMetadata());
    const float* next = &in[0];
    for (auto& row : out)
      for (auto& x : row) x = toQuarter(*next++, unpackMetadata(row.getMetadata()));
    quarter copy = one;
    quarter again = quarterToQuarter(&copy, metadata, metadata);
    half rounded = quarterToHalf(&again, metadata);
    oneAsHalf = float(rounded);
    oneAsFloat = toFloat(halfToQuarter(&rounded, metadata), unpackMetadata(one.getMetadata()));
  }
};
)";

template <class Call>
void refused(const Call& call) {
  try {
    call();
    std::cout << "accepted\n";
  } catch (const std::exception& error) {
    std::cout << error.what() << "\n";
  }
}

Device machine(bool hasUnits) {
  IPUModel model(hasUnits ? "ipu21" : "ipu2");
  model.tilesPerIPU = 16;
  return model.createDevice();
}

/// Products and convolutions of operands with metadata of their own.
void contract(Arrays& a, Format format, int scale) {
  const auto meta = createConstantMetadataTensor(a.graph, format, scale);
  const auto other = createConstantMetadataTensor(
      a.graph, format == Format::F143 ? Format::F152 : Format::F143, -scale);
  const auto small = [&](const char* name, const std::vector<std::size_t>& shape,
                         const Tensor& metadata) {
    return popops::cast(a.graph, a.input(name, FLOAT, shape), QUARTER, metadata, a.prog);
  };
  const auto left = small("x", {2, 9, 20}, meta), right = small("y", {2, 20, 7}, other);
  a.output("product", poplin::matMulGrouped(a.graph, left, right, a.prog, HALF));
  // Views: columns of every second row, reversed.
  const auto turned = left[0].subSample(2, 0).reverse(1);
  const auto sum = a.input("c", FLOAT, {5, 7});
  poplin::matMulAcc(a.graph, sum, 0.5f, turned, right[1], a.prog);
  a.output("sum", sum);

  poplin::ConvParams params(QUARTER, HALF, 2, {9, 8}, {3, 3}, 4, 6, 2);
  params.inputTransform.paddingLower = {1, 1};
  params.inputTransform.paddingUpper = {1, 1};
  params.outputTransform.stride = {2, 1};
  const auto in = small("in", {2, 8, 9, 8}, meta), weights = small("w", {2, 6, 4, 3, 3}, other);
  a.output("conv", poplin::convolution(a.graph, in, weights, params, false, a.prog));
  poplin::ConvParams back(QUARTER, FLOAT, 2, {9, 8}, {3, 3}, 6, 4, 2);
  back.inputTransform.paddingLower = {1, 1};
  back.inputTransform.paddingUpper = {1, 1};
  const auto gradient = small("g", {2, 12, 9, 8}, other);
  a.output("back", poplin::convolution(a.graph, gradient, weights, back, true, a.prog));
  refused([&] {
    poplin::calculateWeightDeltas(a.graph, gradient, in,
                                  poplin::ConvParams(QUARTER, FLOAT, 2, {9, 8}, {3, 3}, 4, 6, 2),
                                  a.prog);
  });
  refused([&] { poplin::matMul(a.graph, left[0], right[0], a.prog, QUARTER); });
  refused([&] { poplin::matMul(a.graph, left[0], a.graph.clone(HALF, right[0]), a.prog, HALF); });
  refused([&] { poplin::matMul(a.graph, left[0], a.graph.clone(FLOAT, right[0]), a.prog, HALF); });
}

/// The cycles of a product and a convolution of a type.
void estimate(const Device& device, const Type& type, Format format) {
  Graph graph(device);
  program::Sequence product, convolution;
  const auto variable = [&](const Tensor& t) {
    if (type != QUARTER) return t;
    return graph.clone(QUARTER, createConstantMetadataTensor(graph, format, 0), t);
  };
  const auto x =
      variable(poplin::createMatMulInputLHS(graph, type, HALF, {512, 512}, {512, 512}, "x"));
  const auto y =
      variable(poplin::createMatMulInputRHS(graph, type, HALF, {512, 512}, {512, 512}, "y"));
  poplin::matMul(graph, x, y, product, HALF);
  const poplin::ConvParams params(type, HALF, 4, {16, 16}, {3, 3}, 64, 64, 1);
  const auto in = variable(poplin::createInput(graph, params, "in"));
  const auto weights = variable(poplin::createWeights(graph, params, "weights"));
  poplin::convolution(graph, in, weights, params, false, convolution);
  Engine engine(graph, {product, convolution});
  engine.printProfileSummary(std::cout);
}

}  // namespace

int main(int, char** argv) {
  std::istringstream words(argv[1]);
  std::string part, name;
  int scale = 0;
  std::size_t count = 0;
  words >> part >> name >> scale >> count;
  const auto format = name == "F143" ? Format::F143 : Format::F152;
  if (part == "cycles") {
    for (const auto& type : {QUARTER, HALF, FLOAT}) estimate(machine(count > 0), type, format);
    return 0;
  }
  Arrays a(part == "units" ? machine(count > 0) : Device::createCPUDevice());
  if (part == "units") {
    contract(a, format, scale);
  } else if (part == "cast") {
    const auto x = a.input("x", FLOAT, {count}), s = a.input("s", INT, {});
    const auto metadata = createVariableMetadataTensor(a.graph, format, s, a.prog);
    const auto small = popops::cast(a.graph, x, QUARTER, metadata, a.prog);
    a.output("bits", small.reinterpret(UNSIGNED_CHAR));
    a.output("back", popops::cast(a.graph, small, FLOAT, a.prog));
    const auto cs = a.graph.addComputeSet("both");
    a.output("set", popops::cast(a.graph, small, HALF, cs));
    a.prog.add(program::Execute(cs));
    refused([&] { popops::cast(a.graph, small, INT, cs); });
    // Bytes that came from elsewhere, as operators of PopART take them; in the other direction too.
    const auto bytes = a.input("bytes", UNSIGNED_CHAR, {256});
    const auto all = a.graph.clone(
        QUARTER, createVariableMetadataTensor(a.graph, format, scale, a.prog).reshape({1}), bytes);
    a.prog.add(program::Copy(bytes, all.reinterpret(UNSIGNED_CHAR)));
    a.output("values", popops::cast(a.graph, all, HALF, a.prog));
    const auto again =
        a.graph.addVariable(QUARTER, createConstantMetadataTensor(a.graph, format, scale), {256},
                            VariableMappingMethod::LINEAR);
    popops::castWithOutput(a.graph, all, again, a.prog);
    const auto turned = bytes.reshape({8, 32}).transpose();
    const auto alike = a.graph.clone(QUARTER, a.graph.getMetadata(all), turned);
    a.prog.add(program::Copy(turned, alike.reinterpret(UNSIGNED_CHAR)));
    a.output("turned", popops::cast(a.graph, alike, HALF, a.prog));
    a.output("again", again.reinterpret(UNSIGNED_CHAR));
  } else if (part == "codelets") {
    std::stringstream source(kCodelets);
    a.graph.addCodelets(source);
    const auto cs = a.graph.addComputeSet("codelets"), second = a.graph.addComputeSet("second");
    const auto metadata = createVariableMetadataTensor(a.graph, format, scale, a.prog);
    const auto x = a.input("x", FLOAT, {2 * count});
    const auto small =
        a.graph.addVariable(QUARTER, metadata, {2, count}, VariableMappingMethod::LINEAR, "small");
    const auto back = a.graph.addVariable(FLOAT, {2 * count}, VariableMappingMethod::LINEAR);
    const auto one = a.graph.addVariable(FLOAT, {2}, VariableMappingMethod::LINEAR);
    const auto part = popops::cast(a.graph, x.slice(0, 1), QUARTER, metadata, a.prog);
    const auto from = a.graph.addVertex(cs, "FromFloats",
                                        {{"in", x},
                                         {"out", small},
                                         {"one", part[0]},
                                         {"oneAsFloat", one[0]},
                                         {"oneAsHalf", one[1]}});
    const auto to = a.graph.addVertex(second, "ToFloats", {{"in", small.flatten()}, {"out", back}});
    a.graph.setTileMapping(from, 0);
    a.graph.setTileMapping(to, 0);
    a.prog.add(program::Execute(cs));
    a.prog.add(program::Execute(second));
    const auto other =
        a.graph.addVariable(QUARTER, createConstantMetadataTensor(a.graph, format, 0), {count},
                            VariableMappingMethod::LINEAR, "other");
    refused([&] { a.graph.connect(to["in"], x.slice(0, 1)); });
    refused([&] {
      const auto wrong = a.graph.addComputeSet("wrong");
      const auto v = a.graph.addVertex(
          wrong, "FromFloats",
          {{"in", x}, {"one", part[0]}, {"oneAsFloat", one[0]}, {"oneAsHalf", one[1]}});
      a.graph.connect(v["out"], std::vector<Tensor>{small[0], other});
      a.graph.setTileMapping(v, 0);
      Engine(a.graph, program::Execute(wrong));
    });
    a.output("bits", small.reinterpret(UNSIGNED_CHAR));
    a.output("back", back);
    a.output("one", one);
  } else if (part == "product") {
    const auto meta = createConstantMetadataTensor(a.graph, format, scale);
    const auto x = a.input("x", FLOAT, {5, 7}), y = a.input("y", FLOAT, {7, 3});
    const auto left = popops::cast(a.graph, x, QUARTER, meta, a.prog);
    const auto right = poplin::createMatMulInputRHS(a.graph, QUARTER, FLOAT, {5, 7}, {7, 3}, "w");
    refused([&] { popops::cast(a.graph, right, FLOAT, a.prog); });
    refused([&] { popops::cast(a.graph, x, QUARTER, a.prog); });
    refused([&] { popops::cast(a.graph, x, HALF, meta, a.prog); });
    refused([&] { createConstantMetadataTensor(a.graph, format, 32); });
    const auto w = popops::cast(a.graph, y, QUARTER, meta, a.prog);
    a.output("product", poplin::matMul(a.graph, left, w, a.prog, FLOAT));
    a.output("half", poplin::matMul(a.graph, left, w, a.prog, HALF));
  } else {
    const QuarterMetadata metadata(format, scale);
    std::vector<float> values, back(count);
    for (std::size_t i = 0; i < count; ++i) {
      float value = 0;
      words >> value;
      values.push_back(value);
    }
    std::vector<unsigned char> bytes(count);
    for (const bool nan : {true, false}) {
      convertToDeviceType<float>(QUARTER, metadata, values, bytes.data(), nan);
      for (const unsigned byte : bytes) std::cout << byte << " ";
      std::cout << "\n";
    }
    convertFromDeviceType(QUARTER, metadata, bytes.data(), back.data(), count);
    for (const float value : back) std::cout << value << " ";
    std::cout << "\n" << QuarterMetadata(metadata.getBinary()) << "\n";
    std::cout << calculateMetadataForConversion<float>(QUARTER, values, format).getScale() << "\n";
    refused([&] { convertToDeviceType<float>(HALF, metadata, values, bytes.data()); });
    std::vector<float> again(count);
    convertFromDeviceType(QUARTER, metadata, bytes.data(), again);
    std::cout << (again == back);
    convertFromDeviceType(QUARTER, metadata, bytes.data(), ArrayRef<float>(again));
    std::cout << (again == back) << "\n";
    const std::vector<double> numbers = {0, 1, 2.6, -1, 70000, 1e-8, 0.1};
    for (const Type& type : {HALF, FLOAT, DOUBLE, INT, LONGLONG, BOOL}) {
      std::vector<unsigned char> there(numbers.size() * type.sizeInBytes());
      std::vector<double> returned(numbers.size());
      convertToDeviceType(type, numbers, there.data());
      convertFromDeviceType(type, there.data(), ArrayRef<double>(returned));
      for (const double value : returned) std::cout << value << " ";
      std::cout << "\n";
    }
    refused([&] { convertToDeviceType(QUARTER, numbers, bytes.data()); });
    refused([&] { convertToDeviceType(BFLOAT16, numbers, bytes.data()); });
    return 0;
  }
  a.run();
}
