// Optimizers, and what they are in the compiler.
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/error.hpp>
#include <popart/sessionoptions.hpp>
#include <popart/sgd.hpp>
#include <popart/tensor.hpp>

#include <cctype>

#include "popart/host/python.hpp"

namespace popart {

struct Optimizer::Arguments {
  const char* cls;
  popir::python::Dict named;
};

namespace {

using popir::python::call;
using popir::python::Dict;
using popir::python::List;
using popir::python::make;
using popir::python::member;
using popir::python::Object;
using popir::python::toPython;
using popir::python::Value;

/// "defaultLearningRate" for "learningRate". Of nesterov there is only one value, for all weights.
std::string defaultName(const std::string& name) {
  if (name == "nesterov") return name;
  return std::string("default") + static_cast<char>(std::toupper(name[0])) + name.substr(1);
}

Value pairOf(const OptimizerValue& value) {
  return make("OptimizerValue", {value.val(), value.isConst()});
}

Value decayOf(WeightDecayMode mode) {
  return member("WeightDecayMode", {"Decay", "L2Regularization"}, static_cast<int>(mode));
}

OptimizerValue lossScalingOf(const Optimizer::Params& params) {
  const auto found = params.find("lossScaling");
  return found == params.end() ? OptimizerValue(1.0f, true) : OptimizerValue(found->second);
}

}  // namespace

Optimizer::Optimizer(OptimizerValue lossScaling, const Values& defaults,
                     std::vector<ClipNormSettings> clipNormSettings,
                     const DebugContext& debugContext)
    : lossScaling_(lossScaling), clip_(std::move(clipNormSettings)), debugContext_(debugContext) {
  for (const auto& [name, value] : defaults) values_[name] = value;
}

Optimizer::~Optimizer() = default;
optimizer_replacement_error::~optimizer_replacement_error() = default;

void Optimizer::validReplacement(const Optimizer& other) const {
  const auto refuse = [&](const std::string& why) {
    throw optimizer_replacement_error("{} does not take the place of {}: {}", other.type_s(),
                                      type_s(), why);
  };
  if (other.type() != type()) refuse("they are of different kinds");
  if (other.clip_ != clip_) refuse("gradients are clipped in another way");
  const auto check = [&](const std::string& name, const auto& own, const auto& replacement) {
    try {
      own.validReplacement(replacement);
    } catch (const error& fault) {
      refuse(name + ": " + fault.what());
    }
  };
  check("lossScaling", lossScaling_, other.lossScaling_);
  for (const auto& [name, value] : values_) check(name, value, other.values_.at(name));
  const auto own = form(), replacement = other.form();
  for (const auto& [name, value] : own)
    if (const auto found = replacement.find(name);
        found == replacement.end() || found->second != value)
      refuse(name + " is not the same");
}

Optimizer::Values Optimizer::complete(const Params& params, const Values& otherwise) {
  Values found = otherwise;
  std::size_t used = params.count("lossScaling");
  for (auto& [name, value] : found) {
    auto given = params.find(defaultName(name));
    if (given == params.end() && name == "maxWeightNorm") given = params.find(name);
    if (given == params.end()) continue;
    value = given->second;
    ++used;
  }
  if (used == params.size()) return found;
  std::string names;
  for (const auto& each : params) names += (names.empty() ? "" : ", ") + each.first;
  std::string known = "lossScaling";
  for (const auto& each : found) known += ", " + defaultName(each.first);
  throw error("An optimizer was given the values {}; it has {}", names, known);
}

void Optimizer::insert(const TensorId& weight, const Values& given) {
  for (const auto& [name, value] : given) {
    const auto found = values_.find(name);
    if (found == values_.end())
      throw error("{}: a weight has no value '{}' of its own", type_s(), name);
    found->second.insertSpecific(weight, value);
  }
}

void Optimizer::insertSpecific(const TensorId& weight, const Params& params) {
  insert(weight, Values(params.begin(), params.end()));
}

bool Optimizer::hasSpecific() const {
  for (const auto& each : values_)
    if (each.second.hasSpecific()) return true;
  return false;
}

bool Optimizer::hasSpecific(const Tensor& weight) const {
  for (const auto& each : values_)
    if (each.second.hasSpecific(weight.id)) return true;
  return false;
}

OptimizerValue Optimizer::value(const std::string& name, const TensorId& weight) const {
  if (name == "lossScaling") return lossScaling_;
  const auto found = values_.find(name);
  if (found == values_.end()) throw error("{} has no value '{}'", type_s(), name);
  return found->second.get(weight);
}

void Optimizer::setFactorsFromOptions(const SessionOptions& options) {
  const bool isAccumulated = options.enableGradientAccumulation;
  factors_ = Factors{
      isAccumulated, options.accumulationAndReplicationReductionType == ReductionType::Mean,
      options.meanAccumulationAndReplicationReductionStrategy == MeanReductionStrategy::Post,
      isAccumulated ? options.accumulationFactor : 1, options.getGlobalReplicationFactor()};
}

const Optimizer::Factors& Optimizer::factors() const {
  if (!factors_)
    throw error(
        "{}: it does not know how gradients are added up before setFactorsFromOptions() was called",
        type_s());
  return *factors_;
}

bool Optimizer::postMeanAccumulationEnabled() const {
  const Factors& f = factors();
  return f.isAccumulated && f.isMean && f.isDividedAfter;
}

bool Optimizer::postMeanReplicationEnabled() const {
  const Factors& f = factors();
  return f.replicas > 1 && f.isMean && f.isDividedAfter;
}

std::shared_ptr<void> Optimizer::handle() const {
  Dict defaults = {{"lossScaling", pairOf(lossScaling_)}};
  std::map<TensorId, Dict> specific;
  for (const auto& [name, map] : values_) {
    defaults[defaultName(name)] = pairOf(map.getDefault());
    for (const auto& [weight, value] : map.getSpecifics())
      if (name != "nesterov") specific[weight][name] = pairOf(value);
  }
  Arguments arguments;
  describe(arguments);
  List clip;
  for (const ClipNormSettings& each : clip_) {
    const bool isAll = each.getMode() == ClipNormSettings::Mode::ClipAllWeights;
    clip.push_back(make("ClipNormSettings", {each.weightIds, each.maxNorm, isAll}));
  }
  if (!clip.empty()) arguments.named["clip_norm_settings"] = clip;
  arguments.named["debugContext"] = debugContext_.getPathName();
  const Object made = make(arguments.cls, {defaults}, arguments.named);
  for (const auto& [weight, values] : specific) call(made, "insertSpecific", {weight, values});
  return made;
}

// ---- SGD ----

SGD::SGD(OptimizerValue lr, OptimizerValue wd, OptimizerValue mm, OptimizerValue dp,
         OptimizerValue vs, OptimizerValue lossScaling, OptimizerValue nesterov,
         const std::vector<ClipNormSettings>& clipNormSettings, SGDAccumulatorAndMomentum sgdAccMm,
         DataType accumType, DataType accl1Type, const DebugContext& debugContext)
    : Optimizer(lossScaling,
                {{"learningRate", lr},
                 {"weightDecay", wd},
                 {"momentum", mm},
                 {"dampening", dp},
                 {"velocityScaling", vs},
                 {"nesterov", nesterov}},
                clipNormSettings, debugContext),
      form_(sgdAccMm),
      accumType_(accumType),
      accl1Type_(accl1Type) {}

SGD::SGD(OptimizerValue lr, OptimizerValue wd, OptimizerValue mm, OptimizerValue dp,
         OptimizerValue vs, OptimizerValue lossScaling,
         const std::vector<ClipNormSettings>& clipNormSettings, SGDAccumulatorAndMomentum sgdAccMm,
         DataType accumType, DataType accl1Type, const DebugContext& debugContext)
    : SGD(lr, wd, mm, dp, vs, lossScaling, getUnsetNesterov(), clipNormSettings, sgdAccMm,
          accumType, accl1Type, debugContext) {}

SGD::SGD(const Params& params, const std::vector<ClipNormSettings>& clipNormSettings,
         SGDAccumulatorAndMomentum sgdAccMm, DataType accumType, DataType accl1Type,
         const DebugContext& debugContext)
    : Optimizer(lossScalingOf(params),
                complete(params, {{"learningRate", getUnsetLearningRate()},
                                  {"weightDecay", getUnsetWeightDecay()},
                                  {"momentum", getUnsetMomentum()},
                                  {"dampening", getUnsetDampening()},
                                  {"velocityScaling", getUnsetVelocityScaling()},
                                  {"nesterov", getUnsetNesterov()}}),
                clipNormSettings, debugContext),
      form_(sgdAccMm),
      accumType_(accumType),
      accl1Type_(accl1Type) {}

SGD::~SGD() = default;
ConstSGD::~ConstSGD() = default;
std::unique_ptr<Optimizer> SGD::clone() const { return std::make_unique<SGD>(*this); }

void SGD::insertSpecific(const TensorId& weight, OptimizerValue learningRate,
                         OptimizerValue weightDecay, OptimizerValue momentum,
                         OptimizerValue dampening, OptimizerValue velocityScaling,
                         OptimizerValue nesterov) {
  if (!(nesterov == values("nesterov").getDefault()))
    throw error("SGD: all weights have the same nesterov; '{}' cannot have one of its own", weight);
  insert(weight, {{"learningRate", learningRate},
                  {"weightDecay", weightDecay},
                  {"momentum", momentum},
                  {"dampening", dampening},
                  {"velocityScaling", velocityScaling}});
}

/// Of no momentum there is nothing to keep.
std::map<std::string, int> SGD::form() const {
  const OptimizerValue momentum = momentums().getDefault();
  if (momentum.isConst() && momentum.val() == 0.0f && !momentums().hasSpecific()) return {};
  return {{"accumulatorAndMomentum", static_cast<int>(form_)},
          {"accumType", static_cast<int>(accumType_)},
          {"accl1Type", static_cast<int>(accl1Type_)}};
}

void SGD::describe(Arguments& arguments) const {
  arguments.cls = "SGD";
  arguments.named = {
      {"accumulatorAndMomentum",
       member("SGDAccumulatorAndMomentum", {"Combined", "Separate"}, static_cast<int>(form_))},
      {"accumType", toPython(accumType_)},
      {"accl1Type", toPython(accl1Type_)}};
}

// ---- Adam ----

Adam::Adam(OptimizerValue lr, OptimizerValue wd, OptimizerValue b1, OptimizerValue b2,
           OptimizerValue eps, OptimizerValue lossScaling, OptimizerValue maxWeightNorm,
           AdamMode adamMode, WeightDecayMode weightDecayMode, DataType accumType,
           DataType accl1Type, DataType accl2Type,
           const std::vector<ClipNormSettings>& clipNormSettings, bool scaledOptimizerState,
           const DebugContext& debugContext)
    : Optimizer(lossScaling,
                {{"learningRate", lr},
                 {"weightDecay", wd},
                 {"beta1", b1},
                 {"beta2", b2},
                 {"eps", eps},
                 {"maxWeightNorm", maxWeightNorm}},
                clipNormSettings, debugContext),
      mode_(adamMode),
      decay_(weightDecayMode),
      accumType_(accumType),
      accl1Type_(accl1Type),
      accl2Type_(accl2Type),
      isScaled_(scaledOptimizerState) {}

Adam::Adam(OptimizerValue lr, OptimizerValue wd, OptimizerValue b1, OptimizerValue b2,
           OptimizerValue eps, OptimizerValue lossScaling, AdamMode adamMode,
           WeightDecayMode weightDecayMode, DataType accumType, DataType accl1Type,
           DataType accl2Type, const std::vector<ClipNormSettings>& clipNormSettings,
           bool scaledOptimizerState, const DebugContext& debugContext)
    : Adam(lr, wd, b1, b2, eps, lossScaling, getUnsetMaxWeightNorm(), adamMode, weightDecayMode,
           accumType, accl1Type, accl2Type, clipNormSettings, scaledOptimizerState, debugContext) {}

Adam::Adam(OptimizerValue lr, OptimizerValue wd, OptimizerValue b1, OptimizerValue b2,
           OptimizerValue eps, OptimizerValue lossScaling, OptimizerValue maxWeightNorm,
           AdamMode adamMode, DataType accumType, DataType accl1Type, DataType accl2Type,
           const std::vector<ClipNormSettings>& clipNormSettings, bool scaledOptimizerState,
           const DebugContext& debugContext)
    : Adam(lr, wd, b1, b2, eps, lossScaling, maxWeightNorm, adamMode, WeightDecayMode::Decay,
           accumType, accl1Type, accl2Type, clipNormSettings, scaledOptimizerState, debugContext) {}

Adam::Adam(OptimizerValue lr, OptimizerValue wd, OptimizerValue b1, OptimizerValue b2,
           OptimizerValue eps, OptimizerValue lossScaling, AdamMode adamMode, DataType accumType,
           DataType accl1Type, DataType accl2Type,
           const std::vector<ClipNormSettings>& clipNormSettings, bool scaledOptimizerState,
           const DebugContext& debugContext)
    : Adam(lr, wd, b1, b2, eps, lossScaling, getUnsetMaxWeightNorm(), adamMode,
           WeightDecayMode::Decay, accumType, accl1Type, accl2Type, clipNormSettings,
           scaledOptimizerState, debugContext) {}

Adam::Adam(const Params& params, AdamMode adamMode, WeightDecayMode weightDecayMode,
           DataType accumType, DataType accl1Type, DataType accl2Type,
           const std::vector<ClipNormSettings>& clipNormSettings, bool scaledOptimizerState,
           const DebugContext& debugContext)
    : Optimizer(lossScalingOf(params),
                complete(params, {{"learningRate", getUnsetLearningRate()},
                                  {"weightDecay", getUnsetWeightDecay()},
                                  {"beta1", getUnsetBeta1()},
                                  {"beta2", getUnsetBeta2()},
                                  {"eps", getUnsetEps()},
                                  {"maxWeightNorm", getUnsetMaxWeightNorm()}}),
                clipNormSettings, debugContext),
      mode_(adamMode),
      decay_(weightDecayMode),
      accumType_(accumType),
      accl1Type_(accl1Type),
      accl2Type_(accl2Type),
      isScaled_(scaledOptimizerState) {}

Adam::~Adam() = default;
std::unique_ptr<Optimizer> Adam::clone() const { return std::make_unique<Adam>(*this); }

void Adam::insertSpecific(const TensorId& weight, OptimizerValue learningRate,
                          OptimizerValue weightDecay, OptimizerValue beta1, OptimizerValue beta2,
                          OptimizerValue eps, OptimizerValue mwn) {
  insert(weight, {{"learningRate", learningRate},
                  {"weightDecay", weightDecay},
                  {"beta1", beta1},
                  {"beta2", beta2},
                  {"eps", eps},
                  {"maxWeightNorm", mwn}});
}

std::map<std::string, int> Adam::form() const {
  return {
      {"mode", static_cast<int>(mode_)},           {"weightDecayMode", static_cast<int>(decay_)},
      {"accumType", static_cast<int>(accumType_)}, {"accl1Type", static_cast<int>(accl1Type_)},
      {"accl2Type", static_cast<int>(accl2Type_)}, {"scaledOptimizerState", isScaled_ ? 1 : 0}};
}

void Adam::describe(Arguments& arguments) const {
  arguments.cls = "Adam";
  arguments.named = {
      {"mode", member("AdamMode", {"Adam", "AdamNoBias", "AdaMax", "Lamb", "LambNoBias"},
                      static_cast<int>(mode_))},
      {"weight_decay_mode", decayOf(decay_)},
      {"accum_type", toPython(accumType_)},
      {"accl1_type", toPython(accl1Type_)},
      {"accl2_type", toPython(accl2Type_)},
      {"scaled_optimizer_state", isScaled_}};
}

// ---- Adaptive ----

Adaptive::Adaptive(OptimizerValue lr, OptimizerValue wd, OptimizerValue alpha,
                   OptimizerValue momentum, OptimizerValue eps, OptimizerValue lossScaling,
                   AdaptiveMode adaptiveMode, WeightDecayMode weightDecayMode, DataType accumType,
                   DataType accl1Type, DataType accl2Type, DataType accl3Type,
                   bool rmspropTFVariant, const DebugContext& debugContext)
    : Optimizer(lossScaling,
                {{"learningRate", lr},
                 {"weightDecay", wd},
                 {"alpha", alpha},
                 {"momentum", momentum},
                 {"eps", eps}},
                {}, debugContext),
      mode_(adaptiveMode),
      decay_(weightDecayMode),
      accumType_(accumType),
      accl1Type_(accl1Type),
      accl2Type_(accl2Type),
      accl3Type_(accl3Type),
      isTensorFlows_(rmspropTFVariant) {}

Adaptive::Adaptive(const Params& params, AdaptiveMode adaptiveMode, WeightDecayMode weightDecayMode,
                   DataType accumType, DataType accl1Type, DataType accl2Type, DataType accl3Type,
                   bool rmspropTFVariant, const DebugContext& debugContext)
    : Optimizer(lossScalingOf(params),
                complete(params, {{"learningRate", getUnsetLearningRate()},
                                  {"weightDecay", getUnsetWeightDecay()},
                                  {"alpha", getUnsetAlpha()},
                                  {"momentum", getUnsetMomentum()},
                                  {"eps", getUnsetEps()}}),
                {}, debugContext),
      mode_(adaptiveMode),
      decay_(weightDecayMode),
      accumType_(accumType),
      accl1Type_(accl1Type),
      accl2Type_(accl2Type),
      accl3Type_(accl3Type),
      isTensorFlows_(rmspropTFVariant) {}

Adaptive::~Adaptive() = default;
std::unique_ptr<Optimizer> Adaptive::clone() const { return std::make_unique<Adaptive>(*this); }

void Adaptive::insertSpecific(const TensorId& weight, OptimizerValue learningRate,
                              OptimizerValue weightDecay, OptimizerValue alpha,
                              OptimizerValue momentum, OptimizerValue eps) {
  insert(weight, {{"learningRate", learningRate},
                  {"weightDecay", weightDecay},
                  {"alpha", alpha},
                  {"momentum", momentum},
                  {"eps", eps}});
}

std::map<std::string, int> Adaptive::form() const {
  return {
      {"mode", static_cast<int>(mode_)},           {"weightDecayMode", static_cast<int>(decay_)},
      {"accumType", static_cast<int>(accumType_)}, {"accl1Type", static_cast<int>(accl1Type_)},
      {"accl2Type", static_cast<int>(accl2Type_)}, {"accl3Type", static_cast<int>(accl3Type_)},
      {"rmspropTFVariant", isTensorFlows_ ? 1 : 0}};
}

void Adaptive::describe(Arguments& arguments) const {
  arguments.cls = "Adaptive";
  arguments.named = {
      {"mode", member("AdaptiveMode", {"AdaGrad", "RMSProp", "CenteredRMSProp", "AdaDelta"},
                      static_cast<int>(mode_))},
      {"weight_decay_mode", decayOf(decay_)},
      {"accum_type", toPython(accumType_)},
      {"accl1_type", toPython(accl1Type_)},
      {"accl2_type", toPython(accl2Type_)},
      {"accl3_type", toPython(accl3Type_)},
      {"rmsprop_tf_variant", isTensorFlows_}};
}

}  // namespace popart
