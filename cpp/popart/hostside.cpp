// Functions of PopART's host-side classes (sessions, builders, devices) that are not inline.
#include <popart/hostside.hpp>

#include <popart/devicemanager.hpp>
#include <popart/error.hpp>
#include <popart/half.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>

#include <cstring>

#include "kernels/half.hpp"

namespace popart {

void hostside::refuse(const char* function) {
  throw error(
      "popart::{}: popir builds and runs models from Python alone. Compile the operators as a "
      "library, load that with ctypes.cdll.LoadLibrary or popir.load_op_library, and use "
      "popir.Builder, popir.InferenceSession and popir.TrainingSession",
      function);
}

uint16_t floatToHalf(float f) {
  half h;
  popir::fromFloats(&f, &h, 1, popir::Rounding(), 0);
  uint16_t bits;
  std::memcpy(&bits, &h, sizeof bits);
  return bits;
}

float halfToFloat(uint16_t f16) {
  half h;
  std::memcpy(&h, &f16, sizeof h);
  float f;
  popir::toFloats(&h, &f, 1);
  return f;
}

DeviceInfo::~DeviceInfo() = default;

DeviceManager& DeviceManager::createDeviceManager() {
  static DeviceManager manager;
  return manager;
}

Session::~Session() = default;
InferenceSession::~InferenceSession() = default;
TrainingSession::~TrainingSession() = default;
Optimizer::~Optimizer() = default;
SGD::~SGD() = default;
ConstSGD::~ConstSGD() = default;

}  // namespace popart
