// QUARTER: casts both ways, products, and conversions on the host.
// ARGS: part format scale count, where part is cast, product or host.
#include <arrays.hpp>
#include <iostream>
#include <poplar/MetadataCreation.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplin/MatMul.hpp>
#include <popops/Cast.hpp>

using namespace poplar;
using Format = QuarterMetadata::Format;

namespace {

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
