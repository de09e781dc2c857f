// Indices of a model in a process of C++, and models as bytes.
#include <onnx/onnx.pb.h>
#include <popart/builder.hpp>
#include <popart/devicemanager.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>
#include <poplar/exceptions.hpp>
#include <popops/ExprOpUtils.hpp>

#include <iostream>
#include <sstream>

using namespace popart;

int main() {
  auto builder = Builder::create();
  const TensorId x = builder->addInputTensor("FLOAT", {2, 2}, "x");
  const TensorId y = builder->aiOnnxOpset9().argmin({x}, 0, 1);
  std::stringstream bytes(builder->getModelProto());
  onnx::ModelProto model, copy;
  std::cout << model.ParseFromIstream(&bytes) << copy.ParseFromString("\xff") << "\n";
  model.mutable_graph()->mutable_node(0)->set_name("least");
  std::string written;
  model.SerializeToString(&written);
  copy.ParseFromArray(written.data(), int(written.size()));
  std::cout << copy.graph().node(0).op_type() << " " << copy.graph().node(0).name() << "\n";

  auto session =
      InferenceSession::createFromOnnxModel(written, DataFlow(1, {{y, AnchorReturnType("All")}}),
                                            DeviceManager::createDeviceManager().createCpuDevice());
  session->prepareDevice();
  std::cout << session->getInfo(y) << "\n";
  float in[4] = {2, 1, -3, -10};
  int32_t out[2] = {7, 7};
  NDArrayWrapper<float> input(in, {2, 2});
  NDArrayWrapper<int32_t> output(out, {1, 2});
  StepIO stepio({{x, input}}, {{y, output}});
  session->run(stepio);
  std::cout << out[0] << " " << out[1] << "\n";

  try {
    throw poplar::recoverable_runtime_error("a link", poplar::RecoveryAction::LINK_RESET);
  } catch (const poplar::system_runtime_error& e) {
    const auto& fault = dynamic_cast<const poplar::recoverable_runtime_error&>(e);
    std::cout << fault.what() << ": " << fault.getRecoveryAction() << "\n";
  }
  const poplar::recoverable_runtime_error former(poplar::RecoveryAction::FULL_RESET, "of old");
  const poplar::link_error linked("no foo", "undefined symbol: foo");
  const poplar::graph_memory_allocation_error full("full", "a/profile");
  std::cout << former.what() << ": " << former.getRecoveryAction() << ", " << linked.what() << ": "
            << linked.output << ", " << poplar::link_error("bare").output << full.profilePath
            << "\n";
  using namespace popops::expr::ostream_ext;
  std::cout << popops::expr::UnaryOpType::EXPONENT << " " << popops::expr::BinaryOpType::ADD << " "
            << popops::expr::TernaryOpType::CLAMP << " " << popops::expr::BinaryOpType(1000)
            << "\n";
  for (const poplar::poplar_error* each : {static_cast<const poplar::poplar_error*>(&former),
                                           static_cast<const poplar::poplar_error*>(&linked),
                                           static_cast<const poplar::poplar_error*>(&full)})
    std::cout << each->type << " ";
  std::cout << poplar::poplar_error("").type << " " << poplar::unknown_runtime_error("").type << " "
            << poplar::index_error("").type << "\n";
}
