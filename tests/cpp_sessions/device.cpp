// The device of a session, streams of a lowering's own, programs in streams, and what text says of
// settings.
#include <popart/builder.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/op/add.hpp>
#include <popart/op/slice.hpp>
#include <popart/operators.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/creatorx.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/session.hpp>
#include <popart/testdevice.hpp>
#include <popart/version.hpp>
#include <popops/ElementWise.hpp>

#include <iostream>
#include <sstream>

#include "errors.hpp"

using namespace popart;

namespace {

// Adds what the host sends by a stream of the lowering's own.
const OperatorIdentifier addSent = {"com.acme", "AddSent", 1};

class AddSent : public Op {
 public:
  using Op::Op;
  void setup() final { outInfo(0) = inInfo(0); }
  std::unique_ptr<Op> clone() const final { return std::make_unique<AddSent>(*this); }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
};

class AddSentOpx : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    const poplar::Tensor in = getInTensor(0);
    poplar::Tensor sent = graph().clone(in);
    const auto stream = graph().addHostToDeviceFIFO("sent", in.elementType(), in.numElements());
    prog.add(poplar::program::Copy(stream, sent));
    setOutTensor(0, popops::add(graph(), in, sent, prog));
  }
};

OpCreator<AddSent> creator(
    {{addSent, {{}, {}, {}}}},
    [](const OpCreatorInfo& info) { return std::make_unique<AddSent>(info.opid, info.settings); },
    true);
popx::OpxCreator<AddSentOpx> opxCreator(addSent);

std::unique_ptr<InferenceSession> session() {
  auto builder = Builder::create();
  const TensorId x = builder->addInputTensor("FLOAT", {2}, "x");
  const TensorId y = builder->customOp(addSent, 1, {x}, 1, {})[0];
  return InferenceSession::createFromOnnxModel(builder->getModelProto(),
                                               DataFlow(1, {{y, AnchorReturnType("All")}}),
                                               createTestDevice(TestDeviceType::Cpu));
}

void step(InferenceSession& session) {
  const TensorId y = session.getIr().getDataFlow().anchors()[0];
  float in[] = {1, 2}, out[] = {0, 0};
  NDArrayWrapper<float> input(in, {2}), output(out, {2});
  StepIO io({{"x", input}}, {{y, output}});
  session.getDevice().run(io);
  std::cout << out[0] << " " << out[1] << "\n";
}

void ofSession() {
  const auto made = session();
  popx::Devicex& device = made->getDevice();
  float sent[] = {10, 20};
  fails([&] { device.connectStream("sent", sent); });
  made->prepareDevice();
  std::cout << *device.getDeviceInfo() << "; " << device.getReplicationFactor() << " "
            << device.getAccumulationFactor() << " " << device.prepareHasBeenCalled() << " "
            << (&device.ir() == &made->getIr()) << "\n";
  device.connectStream("sent", sent);
  step(*made);
  float next = 100;
  made->connectStreamToCallback("sent", [&](void* p) {
    for (int i = 0; i < 2; ++i) static_cast<float*>(p)[i] = next++;
  });
  step(*made);
  fails([&] { made->connectStream("send", sent); });
  fails([&] {
    made->connectStreamToCallback(
        "sent", [](void*) {}, 1);
  });

  auto file = std::make_shared<std::stringstream>();
  made->saveExecutableToStream(*file);
  const auto other = session();
  other->loadExecutableFromStream(file);
  const bool isLoaded = other->getExecutable().isDeserialized();
  other->prepareDevice();
  std::cout << "deserialized " << made->getExecutable().isDeserialized() << isLoaded
            << other->getExecutable().isDeserialized() << "\n";
  other->connectStream("sent", sent);
  step(*other);
  fails([&] { other->loadExecutableFromStream(nullptr); });
}

// A session takes a stream from where it stands.
void behindHeader() {
  const auto made = session();
  made->prepareDevice();
  std::stringstream file;
  file << "header";
  made->saveExecutableToStream(file);
  file.seekg(6);
  const auto other = session();
  other->loadExecutableFromStream(file);
  other->prepareDevice();
  float sent[] = {30, 40};
  other->connectStream("sent", sent);
  step(*other);
}

// A device that the program makes runs a graph of its own.
void ofGraph() {
  Ir ir;
  const TensorInfo two("FLOAT", std::vector<int64_t>{2});
  ir.getMainGraph().getTensors().addStream("a", two);
  ir.getMainGraph().createConnectedOp<AddOp>({{0, "a"}, {1, "a"}}, {{0, "b"}},
                                             Onnx::Operators::Add_7,
                                             Op::Settings(ir.getMainGraph(), ""));
  ir.setDataFlow(DataFlow(1, {{"b", AnchorReturnType("All")}}));
  const auto info = createTestDevice(TestDeviceType::IpuModel, 1, 4);
  popx::IrLowering lowering(ir, info);
  popx::Executablex executable(lowering);
  popx::Devicex device(executable, info);
  float in[] = {3, 4}, out[] = {0, 0};
  NDArrayWrapper<float> input(in, {2}), output(out, {2});
  StepIO io({{"a", input}}, {{"b", output}});
  fails([&] { device.run(io); });
  device.prepare();
  device.run(io);
  std::cout << out[0] << " " << out[1] << " "
            << device.getReport().compilation().target().numTiles() << "\n";
  poplar::Graph graph(info->getTarget());
  fails([&] { popx::Devicex(graph).prepare(); });
}

// The gradient of a slice, as an operator that a program may add; and what lies around slices.
void ofSlices() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  graph.getTensors().addStream("x", TensorInfo("FLOAT", std::vector<int64_t>{5, 3}));
  using Numbers = std::vector<int64_t>;
  const OperatorIdentifier opid("ai.graphcore", "Slice", 1, 1);
  const auto* slice =
      graph.createConnectedOp<SliceOp>({{0, "x"}}, {{0, "part"}}, opid, Numbers{1, 0},
                                       Numbers{4, 2}, Numbers{0, 1}, Op::Settings(graph, "part"));
  const SliceGradOp gradient(*slice);
  std::cout << gradient.getPads() << " " << gradient.getFlips() << "\n";
  const auto shown = [&](const TensorId& out, const Numbers& starts, const Numbers& ends,
                         const Numbers& steps) {
    return graph.createConnectedOp<SliceInplaceOp>(
        {{0, "x"}}, {{0, out}}, Onnx::CustomOperators::SliceInplace, starts, ends, Numbers{0, 1},
        steps, Op::Settings(graph, out));
  };
  const auto* back = shown("back", {3, 0}, {0, 3}, {-1, 1});
  std::cout << back->getPads() << " " << back->getFlips() << "\n";
  fails([&] { shown("every", {0, 0}, {5, 3}, {2, 1})->getPads(); });
}

}  // namespace

int main() {
  ofSession();
  ofGraph();
  ofSlices();

  std::cout << TensorLocation(TensorStorage::OffChip, ReplicatedTensorSharding::On) << "\n"
            << RecomputationType::None << " " << AutodiffStitchStrategy::AddFwdOutputs << " "
            << InputSettings() << " " << ReductionType::Mean << "\n";
  const nonstd::optional<std::vector<int>> none(std::in_place), one{{7}};
  std::cout << none->size() << " " << one->size() << "\n";
  std::cout << Patterns({PreAliasPatternType::PostNRepl}).isPatternEnabled("PostNRepl")
            << Patterns({PreAliasPatternType::OptoIdentity}).isPatternEnabled("PostNRepl") << "\n";
  std::cout << core::versionString() << "; " << core::packageHash() << "; "
            << (core::versionNumber() == core::versionMake(3, 4, 0))
            << (core::versionMake(1, 10, 10) < core::versionGetCurrent()) << "\n";
  std::istringstream words("IpuModel Ipu");
  TestDeviceType type;
  words >> type;
  std::cout << type << "\n";
  fails([&] { words >> type; });
  fails([&] { createTestDevice(TestDeviceType::Sim2); });
  behindHeader();
}
