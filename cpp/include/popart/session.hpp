// Sessions. In popir sessions are created in Python. After popart/session.hpp of PopART 3.
#ifndef popart_session_hpp
#define popart_session_hpp

#include <popart/dataflow.hpp>
#include <popart/devicemanager.hpp>
#include <popart/hostside.hpp>
#include <popart/inputshapeinfo.hpp>
#include <popart/ir.hpp>
#include <popart/istepio.hpp>
#include <popart/names.hpp>
#include <popart/optimizer.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/sessionoptions.hpp>

#include <functional>
#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// C++ programs cannot create one: createFromOnnxModel() throws an error that says what to do.
class Session {
 public:
  virtual ~Session();

  void prepareDevice(bool = true) { hostside::refuse("Session::prepareDevice"); }
  void weightsFromHost() { hostside::refuse("Session::weightsFromHost"); }
  void weightsToHost() { hostside::refuse("Session::weightsToHost"); }
  void run(IStepIO&, std::string = "") { hostside::refuse("Session::run"); }
  void setRandomSeed(uint64_t) { hostside::refuse("Session::setRandomSeed"); }
  void connectHostFunction(
      const std::string&,
      std::function<void(const void* const*, std::size_t, void* const*, std::size_t)>,
      unsigned = 0) {
    hostside::refuse("Session::connectHostFunction");
  }

 protected:
  Session() = default;

  std::shared_ptr<Ir> ir;
};

/// A session for inference.
class InferenceSession : public Session {
 public:
  ~InferenceSession() override;

  static std::unique_ptr<InferenceSession> createFromOnnxModel(
      const std::string&, const DataFlow&, std::shared_ptr<DeviceInfo>,
      const InputShapeInfo& = InputShapeInfo(), const SessionOptions& = SessionOptions(),
      const Patterns& = Patterns(PatternsLevel::Default), const std::string& = "inference") {
    hostside::refuse("InferenceSession::createFromOnnxModel");
  }
};

/// A session for training.
class TrainingSession : public Session {
 public:
  ~TrainingSession() override;

  static std::unique_ptr<TrainingSession> createFromOnnxModel(
      const std::string&, const DataFlow&, const TensorId&, const Optimizer&,
      std::shared_ptr<DeviceInfo>, const InputShapeInfo& = InputShapeInfo(),
      const SessionOptions& = SessionOptions(), const Patterns& = Patterns(PatternsLevel::Default),
      const std::string& = "training") {
    hostside::refuse("TrainingSession::createFromOnnxModel");
  }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
