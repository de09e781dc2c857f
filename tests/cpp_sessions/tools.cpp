// Small parts of PopART's interface: casts of the host, messages, indices, attributes as text.
#include <popart/error.hpp>
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/add.hpp>
#include <popart/op/batchnorm.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensorinfo.hpp>
#include <popart/util.hpp>

#include <iostream>
#include <limits>
#include <map>

#include "errors.hpp"

using namespace popart;

namespace {

template <typename To, typename From>
void show(DataType src, DataType dst, const std::vector<From>& values) {
  const char* bytes = reinterpret_cast<const char*>(values.data());
  const std::vector<char> made =
      cast(src, dst, std::vector<char>(bytes, bytes + values.size() * sizeof(From)));
  const To* numbers = reinterpret_cast<const To*>(made.data());
  for (std::size_t i = 0; i < values.size(); ++i) std::cout << (i ? " " : "") << +numbers[i];
  std::cout << "\n";
}

class Texts : public OpSerialiserBase {
 public:
  using OpSerialiserBase::appendAttribute;
  void appendAttribute(const std::string& name, nonstd::optional<float> value) override {
    std::cout << name << (value ? " given" : " missing") << "; ";
  }

 private:
  void appendStrAttr(const std::string& name, const std::string& value) override {
    if (name != "domain" && name != "type" && name != "version")
      std::cout << name << "=" << value << "; ";
  }
};

}  // namespace

int main() {
  show<int32_t>(DataType::FLOAT, DataType::INT32, std::vector<float>{1.9f, -1.9f, 0});
  show<float>(DataType::INT64, DataType::FLOAT, std::vector<int64_t>{1357, -2});
  show<int>(DataType::INT64, DataType::INT32,
            std::vector<int64_t>{std::numeric_limits<int32_t>::min(),
                                 std::numeric_limits<int32_t>::max()});
  const uint16_t half = 0x3e00;
  std::cout << *reinterpret_cast<const float*>(
                   cast(DataType::FLOAT16, DataType::FLOAT, &half, 2).data())
            << "\n";
  const int64_t large = int64_t{1} << 40;
  const float negative = -1, nan = std::numeric_limits<float>::quiet_NaN();
  fails([&] { cast(DataType::INT64, DataType::INT32, &large, 8); });
  fails([&] { cast(DataType::FLOAT, DataType::UINT8, &negative, 4); });
  fails([&] { cast(DataType::FLOAT, DataType::INT8, &nan, 4); });
  fails([&] { cast(DataType::INT64, DataType::STRING, &large, 8); });
  fails([&] { cast(DataType::INT64, DataType::INT32, &large, 7); });

  std::cout << logging::format(logging::escape("{a}}")) << "\n";
  fails([] { logging::format("{} and {}", 1); });
  std::cout << error("{} and {}", 1).what() << " " << (error("x").uid() == ErrorUid::E0) << "\n";

  Ir ir;
  Graph& graph = ir.getMainGraph();
  graph.addStream("a", TensorInfo(DataType::FLOAT, {2}));
  graph.addStream("b", TensorInfo(DataType::FLOAT, {2}));
  Op* add = graph.createConnectedOp<AddOp>({{0, "b"}, {1, "a"}}, {{0, "c"}}, Onnx::Operators::Add_7,
                                           Op::Settings(graph, "add"));
  for (const auto& entry : add->input->indicesMap())
    std::cout << entry.first->id << " " << entry.second.at(0) << " ";
  std::cout << "\n";

  const BatchNormOp norm(Onnx::CustomOperators::BatchNormalization_1, 0.5f, 0.25f, 1, true,
                         Op::Settings(graph, "norm"));
  Texts texts;
  norm.appendOutlineAttributes(texts);
  std::cout << "\n";
  texts.appendAttribute("some", nonstd::optional<float>(1.0f));
  OpSerialiserBase& base = texts;
  base.appendAttribute("whole", nonstd::optional<int64_t>(3));
  base.appendAttribute("none", nonstd::optional<double>());
  base.appendAttribute("ids", std::map<TensorId, uint64_t>{{"x", 1}, {"y", 2}});
  base.appendForwardOp(add);
  std::cout << "\n";
}
