// QUARTER: casts both ways, products, and conversions on the host.
// ARGS: part format scale count, where part is cast, product, codelets or host.
#include <arrays.hpp>
#include <iostream>
#include <poplar/MetadataCreation.hpp>
#include <poplar/TypeConversion.hpp>
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

}  // namespace

int main(int, char** argv) {
  std::istringstream words(argv[1]);
  std::string part, name;
  int scale = 0;
  std::size_t count = 0;
  words >> part >> name >> scale >> count;
  const auto format = name == "F143" ? Format::F143 : Format::F152;
  Arrays a;
  if (part == "cast") {
    const auto x = a.input("x", FLOAT, {count}), s = a.input("s", INT, {});
    const auto metadata = createVariableMetadataTensor(a.graph, format, s, a.prog);
    const auto small = popops::cast(a.graph, x, QUARTER, metadata, a.prog);
    a.output("bits", small.reinterpret(UNSIGNED_CHAR));
    a.output("back", popops::cast(a.graph, small, FLOAT, a.prog));
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
    return 0;
  }
  a.run();
}
