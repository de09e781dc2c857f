// Numbers of updates that are made of several hyperparameters, and the ids of their tensors.
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/compoundscalarhelper.hpp>
#include <popart/error.hpp>
#include <popart/ir.hpp>
#include <popart/sgd.hpp>

#include <iostream>

#include "errors.hpp"

using namespace popart;

namespace {

template <class... Helpers, class T>
void print(const T& optimizer, const TensorId& weight) {
  ((std::cout << Helpers().val(weight, optimizer)
              << (Helpers().isConst(weight, optimizer) ? "" : "v") << " "),
   ...);
  std::cout << "\n";
}

SessionOptions options(int accumulated, int replicas, ReductionType reduction) {
  SessionOptions made;
  made.enableGradientAccumulation = accumulated > 1;
  made.accumulationFactor = accumulated;
  made.enableReplicatedGraphs = replicas > 1;
  made.replicatedGraphCount = replicas;
  made.accumulationAndReplicationReductionType = reduction;
  made.meanAccumulationAndReplicationReductionStrategy = MeanReductionStrategy::Post;
  return made;
}

void sgd(SGD& optimizer) {
  print<WeightDecayScaleFactor0Helper, ScaledLearningRate0Helper, ScaledWeightDecay1Helper,
        ScaledLearningRate1Helper, DampeningScaleFactor1Helper, ScaledMomentum1Helper,
        ScaledLearningRate2Helper, DampeningScaleFactor2Helper, ScaledMomentum2Helper,
        SGDWeightDecayHelper, SGDMomentumHelper, NesterovGradScaleFactor1Helper,
        NesterovGradScaleFactor2Helper, NesterovDampeningScaleFactor1Helper,
        NesterovDampeningScaleFactor2Helper>(optimizer, "");
}

}  // namespace

int main() {
  std::cout.precision(8);
  SGD optimizer({{"defaultLearningRate", {0.5f, true}},
                 {"defaultWeightDecay", {0.25f, true}},
                 {"defaultMomentum", {0.75f, false}},
                 {"defaultDampening", {0.5f, true}},
                 {"defaultVelocityScaling", {2.0f, true}},
                 {"lossScaling", {8.0f, false}}});
  fails([&] { ScaledLearningRate0Helper().val("", optimizer); });
  optimizer.setFactorsFromOptions(options(1, 1, ReductionType::Sum));
  sgd(optimizer);
  optimizer.setFactorsFromOptions(options(4, 2, ReductionType::Mean));
  sgd(optimizer);
  optimizer.setFactorsFromOptions(options(4, 2, ReductionType::Sum));
  sgd(optimizer);
  optimizer.setFactorsFromOptions(options(1, 2, ReductionType::Mean));
  sgd(optimizer);

  Ir ir;
  const std::vector<float> values = {1, 2};
  for (const char* id : {"w", "u"})
    ir.getMainGraph().addVarInit(id, {"FLOAT", std::vector<int64_t>{2}}, values.data());
  Tensor *w = ir.getTensor("w"), *u = ir.getTensor("u");
  optimizer.insertSpecific("w", {{"learningRate", {1.0f, false}}, {"momentum", {0.5f, true}}});
  const ScaledLearningRate0Helper rate;
  const ScaledMomentum2Helper momentum;
  std::cout << rate.getScalarId(*w, optimizer) << " " << rate.getScalarId(*u, optimizer) << " '"
            << momentum.getScalarIdIfNonConst(*w, optimizer) << "' "
            << momentum.getScalarIdIfNonConst(*u, optimizer) << "\n";
  std::cout << momentum.getFromScalarId("scaledMomentum2___specific___w", optimizer) << " "
            << momentum.getFromScalarId("scaledMomentum2___default___FLOAT", optimizer) << " "
            << rate.getWeightId("scaledLearningRate0___specific___w")
            << rate.idMatch("scaledMomentum2___specific___w") << "\n";
  fails([&] { rate.getFromScalarId("lossScaling_FLOAT", optimizer); });
  fails([&] { rate.getWeightId("scaledLearningRate0___default___FLOAT"); });

  for (const bool isScaled : {false, true}) {
    Adam adam({{"defaultLearningRate", {0.5f, true}},
               {"defaultWeightDecay", {0.25f, true}},
               {"defaultBeta1", {0.75f, true}},
               {"defaultBeta2", {0.5f, true}},
               {"defaultEps", {0.125f, true}},
               {"lossScaling", {8.0f, false}}},
              AdamMode::Adam, WeightDecayMode::L2Regularization, DataType::FLOAT, DataType::FLOAT,
              DataType::FLOAT, {}, isScaled);
    adam.setFactorsFromOptions(options(4, 2, ReductionType::Mean));
    print<AdamBeta1Helper, AdamBeta2Helper, AdamLearningRateHelper, AdamWeightDecayHelper,
          AdamEpsHelper, AdamLossScalingHelper, AdamMaxWeightNormHelper, AdamGradientScalingHelper>(
        adam, "");
  }
  Adaptive adaptive({{"defaultLearningRate", {0.5f, true}},
                     {"defaultWeightDecay", {0.25f, true}},
                     {"defaultAlpha", {0.75f, false}},
                     {"defaultMomentum", {0.5f, true}},
                     {"defaultEps", {0.125f, true}},
                     {"lossScaling", {8.0f, true}}},
                    AdaptiveMode::RMSProp, WeightDecayMode::Decay, DataType::FLOAT, DataType::FLOAT,
                    DataType::FLOAT, DataType::FLOAT);
  adaptive.setFactorsFromOptions(options(4, 2, ReductionType::Mean));
  print<AdaptiveAlphaHelper, AdaptiveMomentumHelper, AdaptiveLearningRateHelper,
        AdaptiveWeightDecayHelper, AdaptiveEpsHelper, AdaptiveLossScalingHelper,
        AdaptiveGradientScalingHelper>(adaptive, "");
}
