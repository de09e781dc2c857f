// A session of a graph that a program has made.
#ifndef tests_cpp_sessions_running_hpp
#define tests_cpp_sessions_running_hpp

#include <popart/devicemanager.hpp>
#include <popart/ir.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>

#include <iostream>
#include <map>
#include <memory>
#include <vector>

/// Runs a graph once, with what the host sends, floats each but for "chooses", and prints what it
/// gets of each of `ids`.
inline void run(const std::shared_ptr<popart::Ir>& ir,
                std::map<popart::TensorId, std::vector<float>> given, bool chooses,
                const std::vector<popart::TensorId>& ids) {
  std::map<popart::TensorId, popart::AnchorReturnType> anchors;
  for (const popart::TensorId& id : ids) anchors.emplace(id, popart::AnchorReturnType("All"));
  ir->setDataFlow(popart::DataFlow(1, anchors));
  std::map<popart::TensorId, std::vector<float>> found;
  std::vector<std::unique_ptr<popart::NDArrayWrapper<float>>> kept;
  std::map<popart::TensorId, popart::IArray&> in, out;
  for (auto& each : given) {
    kept.emplace_back(
        new popart::NDArrayWrapper<float>(each.second.data(), ir->getTensor(each.first)->info));
    in.emplace(each.first, *kept.back());
  }
  for (const popart::TensorId& id : ids) {
    const popart::TensorInfo& info = ir->getTensor(id)->info;
    found[id].resize(static_cast<std::size_t>(info.nelms()));
    kept.emplace_back(new popart::NDArrayWrapper<float>(found[id].data(), info));
    out.emplace(id, *kept.back());
  }
  bool condition[] = {chooses};
  popart::NDArrayWrapper<bool> decides(condition, popart::TensorInfo(popart::DataType::BOOL, {}));
  if (ir->containsTensor("chooses")) in.emplace("chooses", decides);
  auto session = popart::InferenceSession::createFromIr(
      ir, popart::DeviceManager::createDeviceManager().createCpuDevice());
  session->prepareDevice();
  session->weightsFromHost();
  popart::StepIO io(in, out);
  session->run(io);
  for (const popart::TensorId& id : ids) {
    for (const float value : found[id]) std::cout << value << " ";
    std::cout << "\n";
  }
}

#endif
