#include <popfloat/experimental/CastToGfloat.hpp>
#include <popfloat/experimental/codelets.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/OptionParsing.hpp>

#include <cstring>

#include "kernels/random/gfloat.hpp"
#include "poplar/bulk_vertex.hpp"

namespace popfloat {
namespace experimental {
namespace {

using poplar::ComputeSet;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using poputil::poplibs_error;

constexpr unsigned kHalfMantissa = 10, kHalfExponent = 5, kFloatMantissa = 23, kFloatExponent = 8;
constexpr int kLeastBias = -128, kMostBias = 127;

const std::map<std::string, RoundType>& roundTypes() {
  static const std::map<std::string, RoundType> all = {
      {"INV", RoundType::INV}, {"RZ", RoundType::RZ}, {"RN", RoundType::RN}, {"RA", RoundType::RA},
      {"RU", RoundType::RU},   {"RD", RoundType::RD}, {"SR", RoundType::SR}, {"SX", RoundType::SX}};
  return all;
}
const std::map<std::string, SRDensityType>& densities() {
  static const std::map<std::string, SRDensityType> all = {
      {"INVALID", SRDensityType::INVALID},
      {"UNIFORM", SRDensityType::UNIFORM},
      {"NORMAL", SRDensityType::NORMAL},
      {"TRUNCATED_NORMAL", SRDensityType::TRUNCATED_NORMAL},
      {"BERNOULLI", SRDensityType::BERNOULLI},
      {"LOGISTIC", SRDensityType::LOGISTIC},
      {"TRUNCATED_LOGISTIC", SRDensityType::TRUNCATED_LOGISTIC},
      {"LAPLACE", SRDensityType::LAPLACE},
      {"TRUNCATED_LAPLACE", SRDensityType::TRUNCATED_LAPLACE},
      {"LOGIT_NORMAL", SRDensityType::LOGIT_NORMAL},
      {"TRUNCATED_LOGIT_NORMAL", SRDensityType::TRUNCATED_LOGIT_NORMAL}};
  return all;
}
const std::map<std::string, FormatType>& formatTypes() {
  static const std::map<std::string, FormatType> all = {
      {"INVALID_FORMAT", FormatType::INVALID_FORMAT},
      {"IEEE_FP16", FormatType::IEEE_FP16},
      {"QUANTISED_FP32", FormatType::QUANTISED_FP32},
      {"QUANTISED_FP16", FormatType::QUANTISED_FP16},
      {"MIN_NORM_ALIGN_GF8", FormatType::MIN_NORM_ALIGN_GF8},
      {"ONE_FIVE_TWO_GF8", FormatType::ONE_FIVE_TWO_GF8},
      {"MAX_NORM_ALIGN_GF8", FormatType::MAX_NORM_ALIGN_GF8},
      {"BFLOAT16", FormatType::BFLOAT16},
      {"NO_DENORM_GF16", FormatType::NO_DENORM_GF16},
      {"ENABLE_DENORM_GF16", FormatType::ENABLE_DENORM_GF16}};
  return all;
}
const std::map<std::string, SpecType>& specTypes() {
  static const std::map<std::string, SpecType> all = {
      {"FP32", SpecType::FP32}, {"BF16", SpecType::BF16},   {"FP16", SpecType::FP16},
      {"INT8", SpecType::INT8}, {"INT16", SpecType::INT16}, {"INT32", SpecType::INT32},
      {"AUTO", SpecType::AUTO}};
  return all;
}

template <class T>
std::string nameIn(const std::map<std::string, T>& names, T value, const char* what) {
  for (const auto& [name, each] : names)
    if (each == value) return name;
  throw poplibs_error(std::string("popfloat: there is no ") + what + " " +
                      std::to_string(static_cast<int>(value)));
}

[[noreturn]] void refuse(const std::string& why) {
  throw poplibs_error("popfloat::GfloatCast: " + why);
}

/// The type that keeps packed numbers of so many bits.
Type packedType(unsigned bits) {
  return bits <= 8 ? poplar::SIGNED_CHAR : bits <= 16 ? poplar::SHORT : poplar::FLOAT;
}

bool packs(const Type& type) { return type != poplar::FLOAT && type != poplar::HALF; }

popir::GfloatPacking packingOf(FormatType format) {
  using popir::GfloatPacking;
  switch (format) {
    case FormatType::ONE_FIVE_TWO_GF8: return GfloatPacking::OneFiveTwo;
    case FormatType::MIN_NORM_ALIGN_GF8: return GfloatPacking::MinNormAlign;
    case FormatType::MAX_NORM_ALIGN_GF8: return GfloatPacking::MaxNormAlign;
    case FormatType::BFLOAT16: return GfloatPacking::Bfloat16;
    case FormatType::NO_DENORM_GF16: return GfloatPacking::NoDenormals;
    case FormatType::ENABLE_DENORM_GF16: return GfloatPacking::Denormals;
    default: return GfloatPacking::None;
  }
}

popir::GfloatCastSpec specOf(const Graph&, const GfloatCast::CastConfig& config, ComputeSet cs,
                             bool toGfloat) {
  const auto& round = config.getRoundConfig();
  popir::GfloatCastSpec spec;
  spec.toGfloat = toGfloat;
  spec.nanoo = config.isNanooModeEnabled();
  spec.halves = config.getCalculationType() == poplar::HALF;
  spec.packing = packingOf(config.getFormatType());
  spec.round = static_cast<std::uint8_t>(round.getRoundMode());
  spec.density = static_cast<std::uint8_t>(round.getSRNoiseDensity());
  spec.bits = round.getNumSRBits();
  spec.offset = round.getSRNoiseOffset();
  spec.scale = round.getSRNoiseScale();
  spec.max = round.getSRNoiseMax();
  spec.min = round.getSRNoiseMin();
  spec.probability = round.getBernoulliProbability();
  spec.stream = cs.getId();
  return spec;
}

void addCast(Graph& graph, const Tensor& in, const Tensor& out, const Tensor& param,
             const GfloatCast::CastConfig& config, bool toGfloat, ComputeSet cs,
             const DebugContext& context) {
  const auto type = (toGfloat ? in : out).elementType();
  if (type != poplar::FLOAT && type != poplar::HALF)
    refuse("a cast of " + in.elementType().toString() + " to " + out.elementType().toString() +
           "; the wide side is FLOAT or HALF");
  if (!param.valid() || param.elementType() != poplar::INT || param.numElements() != 1)
    refuse("the format is no INT[1]; createCastOpParamsTensor() makes it");
  auto spec = specOf(graph, config, cs, toGfloat);
  spec.inPlace = in == out;
  const auto kernel = std::make_shared<popir::GfloatKernel>(spec);
  using popir::Access;
  std::vector<popir::BulkOperand> operands = {
      {out, Access::Write}, {in, Access::Read}, {param.reshape({1}), Access::Read}};
  if (kernel->addsNoise()) {
    const auto runs = graph.addVariable(poplar::UNSIGNED_INT, {2}, {context, "runs"});
    graph.setTileMapping(runs, 0);
    graph.setInitialValue(runs, std::vector<unsigned>{0, 0});
    operands.push_back({runs, Access::ReadWrite});
  }
  popir::addBulkVertex(graph, cs, kernel, std::move(operands), context.getPathName());
}

Tensor castTo(Graph& graph, const Tensor& in, const Tensor& param,
              const GfloatCast::CastConfig& config, bool toGfloat, ComputeSet cs,
              const DebugContext& context) {
  const auto out =
      popops::createOutputForElementWiseOp(graph, {in}, config.getStorageType(), context);
  addCast(graph, in, out, param, config, toGfloat, cs, context);
  return out;
}

void castInPlace(Graph& graph, const Tensor& in, const Tensor& param,
                 const GfloatCast::CastConfig& config, ComputeSet cs, const DebugContext& context) {
  if (!config.inPlaceOp(in.elementType()))
    refuse("in place, " + in.elementType().toString() + " is to become " +
           config.getStorageType().toString() + "; both must be one type");
  addCast(graph, in, in, param, config, true, cs, context);
}

ComputeSet added(Graph& graph, Sequence& prog, const DebugContext& context) {
  const auto cs = graph.addComputeSet(context);
  prog.add(poplar::program::Execute(cs, context));
  return cs;
}

unsigned bitsOf(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

void addCodelets(Graph&) {}

std::string roundTypeToString(RoundType rmode) { return nameIn(roundTypes(), rmode, "rounding"); }
std::string formatTypeToString(FormatType fmt) { return nameIn(formatTypes(), fmt, "format"); }
std::string srDensityTypeToString(SRDensityType dist) {
  return nameIn(densities(), dist, "density");
}
std::string specTypeToString(SpecType specType) { return nameIn(specTypes(), specType, "type"); }
Type specTypeToPoplarType(SpecType specType) {
  switch (specType) {
    case SpecType::FP32: return poplar::FLOAT;
    case SpecType::BF16: return poplar::BFLOAT16;
    case SpecType::FP16: return poplar::HALF;
    case SpecType::INT8: return poplar::SIGNED_CHAR;
    case SpecType::INT16: return poplar::SHORT;
    case SpecType::INT32: return poplar::INT;
    default: refuse("AUTO is no type");
  }
}

void GfloatCast::GfloatFormatOptions::parseGfloatFormatOptions(const poplar::OptionFlags& options) {
  using Handler = poplibs::OptionHandler;
  const poplibs::OptionSpec spec{{"numMantissaBits", Handler::createWithInteger(numMantissaBits)},
                                 {"numExponentBits", Handler::createWithInteger(numExponentBits)},
                                 {"numExponentBias", Handler::createWithInteger(numExponentBias)},
                                 {"enableDenorms", Handler::createWithBool(enableDenorms)},
                                 {"enableInfsAndNans", Handler::createWithBool(enableInfsAndNans)}};
  for (const auto& [name, value] : options) spec.parse(name, value);
}

void GfloatCast::GfloatCastOptions::parseGfloatCastOptions(const poplar::OptionFlags& options) {
  using Handler = poplibs::OptionHandler;
  const poplibs::OptionSpec spec{
      {"roundMode", Handler::createWithEnum(roundMode, roundTypes())},
      {"numSRBits", Handler::createWithInteger(numSRBits)},
      {"srNoiseDensity", Handler::createWithEnum(srNoiseDensity, densities())},
      {"srNoiseOffset", Handler::createWithDouble(srNoiseOffset, -1e30)},
      {"srNoiseScale", Handler::createWithDouble(srNoiseScale, 0.0)},
      {"srNoiseMax", Handler::createWithDouble(srNoiseMax, -1e30)},
      {"srNoiseMin", Handler::createWithDouble(srNoiseMin, -1e30)},
      {"bernoulliProb", Handler::createWithDouble(bernoulliProb, 0.0)},
      {"enableNanooMode", Handler::createWithBool(enableNanooMode)}};
  for (const auto& [name, value] : options) spec.parse(name, value);
}

GfloatCast::FormatConfig::FormatConfig(unsigned mantissa, unsigned exponent, int bias, bool denorms,
                                       bool infsAndNans, SpecType spec)
    : numMantissaBits(mantissa),
      numExponentBits(exponent),
      exponentBias(bias),
      enableDenorms(denorms),
      enableInfsAndNans(infsAndNans && exponent > 0) {
  const unsigned bits = 1 + mantissa + exponent;
  const bool isHalf = mantissa == kHalfMantissa && exponent == kHalfExponent;
  const bool narrow = mantissa <= kHalfMantissa && exponent <= kHalfExponent && !isHalf;
  if (mantissa > kFloatMantissa || bias < kLeastBias || bias > kMostBias ||
      (spec == SpecType::FP16 && !narrow) ||
      (spec != SpecType::FP16 && spec != SpecType::FP32 && spec != SpecType::AUTO))
    refuse("a format of " + std::to_string(mantissa) + " bits of mantissa, " +
           std::to_string(exponent) + " of exponent and the bias " + std::to_string(bias) +
           " to be computed in " + specTypeToString(spec) +
           "; give up to 23 bits of mantissa, a bias from -128 to 127, and FP32 for what is not "
           "narrower than HALF");
  blockFloat = exponent == 0 || (exponent == 1 && infsAndNans);
  const bool inHalf = narrow && spec != SpecType::FP32;
  calculationType = nativeType = inHalf ? poplar::HALF : poplar::FLOAT;
  storageType = nativeType;
  packedFloatBits = inHalf ? 16 : 32;
  formatType = inHalf ? FormatType::QUANTISED_FP16 : FormatType::QUANTISED_FP32;
  if (isHalf && enableInfsAndNans && bias == 15) {
    formatType = FormatType::IEEE_FP16;
    nativeType = storageType = poplar::HALF;
    packedFloatBits = 16;
  } else if (bits <= 8) {
    packedFloatBits = 8;
    storageType = packedType(bits);
    formatType = !inHalf                     ? FormatType::ENABLE_DENORM_GF16
                 : exponent != kHalfExponent ? FormatType::MIN_NORM_ALIGN_GF8
                 : enableInfsAndNans         ? FormatType::ONE_FIVE_TWO_GF8
                                             : FormatType::MAX_NORM_ALIGN_GF8;
    if (exponent <= kHalfExponent) nativeType = poplar::HALF;
  } else if (bits <= 16 && !inHalf) {
    packedFloatBits = 16;
    storageType = packedType(bits);
    formatType = exponent == kFloatExponent ? FormatType::BFLOAT16
                 : enableDenorms            ? FormatType::ENABLE_DENORM_GF16
                                            : FormatType::NO_DENORM_GF16;
  }
  packedFloatParameters =
      popir::packGfloatFormat(mantissa, exponent, bias, enableDenorms, enableInfsAndNans);
}
GfloatCast::FormatConfig::FormatConfig(unsigned mantissa, unsigned exponent, int bias, bool denorms,
                                       bool infsAndNans, Type type)
    : FormatConfig(mantissa, exponent, bias, denorms, infsAndNans,
                   type == poplar::FLOAT  ? SpecType::FP32
                   : type == poplar::HALF ? SpecType::FP16
                                          : SpecType::AUTO) {}
GfloatCast::FormatConfig::FormatConfig(GfloatFormatOptions options, Type type)
    : FormatConfig(options.numMantissaBits, options.numExponentBits,
                   static_cast<int>(options.numExponentBias), options.enableDenorms,
                   options.enableInfsAndNans, type) {}

GfloatCast::RoundConfig::RoundConfig(RoundType roundMode, unsigned numSRBits, Type calculationType,
                                     SRDensityType srNoiseDensity, float srNoiseOffset,
                                     float srNoiseScale, float srNoiseMax, float srNoiseMin,
                                     float bernoulliProb)
    : mode(roundMode),
      density(srNoiseDensity),
      bits(std::min(numSRBits, calculationType == poplar::HALF ? kHalfMantissa : kFloatMantissa)),
      offset(srNoiseOffset),
      scale(srNoiseScale),
      max(srNoiseMax),
      min(srNoiseMin),
      probability(bernoulliProb) {
  const bool stochastic = mode == RoundType::SR || mode == RoundType::SX;
  if (mode == RoundType::INV || (mode == RoundType::SX && bits == 0))
    refuse("the rounding " + roundTypeToString(mode) + " with " + std::to_string(bits) +
           " bits of noise; give a mode, and a bit for SX");
  const bool bounded = density == SRDensityType::UNIFORM ||
                       srDensityTypeToString(density).compare(0, 9, "TRUNCATED") == 0;
  if (stochastic && bounded && min >= max)
    refuse("noise from " + std::to_string(min) + " to " + std::to_string(max) +
           "; give a minimum below the maximum");
}
GfloatCast::RoundConfig::RoundConfig(GfloatCastOptions options, Type calculationType)
    : RoundConfig(options.roundMode, options.numSRBits, calculationType, options.srNoiseDensity,
                  static_cast<float>(options.srNoiseOffset),
                  static_cast<float>(options.srNoiseScale), static_cast<float>(options.srNoiseMax),
                  static_cast<float>(options.srNoiseMin),
                  static_cast<float>(options.bernoulliProb)) {}
std::vector<unsigned> GfloatCast::RoundConfig::getNoiseParams() const {
  if (density == SRDensityType::BERNOULLI) return {bitsOf(probability)};
  return {bitsOf(offset), bitsOf(scale), bitsOf(max), bitsOf(min)};
}
std::vector<unsigned> GfloatCast::RoundConfig::getSRBitMask() const {
  const unsigned all = bits >= 32 ? ~0u : (1u << bits) - 1;
  return {all, all};
}

GfloatCast::CastConfig GfloatCast::CastConfig::createCastNativeToGF(FormatType type,
                                                                    Type calculation, Type storage,
                                                                    RoundConfig roundCfg,
                                                                    bool enableNanooMode) {
  CastConfig made;
  made.formatType = type;
  made.calculationType = calculation;
  made.storageType = storage;
  made.round = roundCfg;
  made.nanoo = enableNanooMode;
  made.storeAsNative = !packs(storage);
  return made;
}
GfloatCast::CastConfig GfloatCast::CastConfig::createCastGFToNative(FormatType type,
                                                                    Type calculation,
                                                                    Type storage) {
  return createCastNativeToGF(type, calculation, storage,
                              RoundConfig(RoundType::RN, 0, calculation), false);
}

GfloatCast::GfloatCast(const FormatConfig& format, const RoundConfig& round, const bool nanoo,
                       const SpecType& GFType, const SpecType& NativeType)
    : formatCfg(format) {
  const Type kept =
      GFType == SpecType::AUTO ? format.getStorageType() : specTypeToPoplarType(GFType);
  const Type native =
      NativeType == SpecType::AUTO ? format.getNativeType() : specTypeToPoplarType(NativeType);
  const unsigned bits = 1 + format.getNumMantissaBits() + format.getNumExponentBits();
  const bool fits = kept == poplar::HALF ? format.getCalculationType() == poplar::HALF ||
                                               format.getFormatType() == FormatType::IEEE_FP16
                    : kept == poplar::SIGNED_CHAR ? bits <= 8
                    : kept == poplar::SHORT       ? bits <= 16
                                                  : kept == poplar::FLOAT;
  if (!fits || (native != poplar::FLOAT && native != poplar::HALF))
    refuse("a format of " + std::to_string(bits) + " bits kept as " + kept.toString() +
           " and read as " + native.toString() +
           "; give FLOAT, or a type that holds it, and FLOAT or HALF");
  nativeToGFCastCfg = CastConfig::createCastNativeToGF(
      format.getFormatType(), format.getCalculationType(), kept, round, nanoo);
  gfToNativeCastCfg =
      CastConfig::createCastGFToNative(format.getFormatType(), format.getCalculationType(), native);
}
GfloatCast::GfloatCast(const GfloatFormatOptions& format, const GfloatCastOptions& options,
                       Type calculationType, const SpecType& GFType, const SpecType& NativeType)
    : GfloatCast(FormatConfig(format, calculationType), RoundConfig(options, calculationType),
                 options.enableNanooMode, GFType, NativeType) {}
GfloatCast::GfloatCast(const GfloatCast& other)
    : nativeToGFCastCfg(other.nativeToGFCastCfg),
      gfToNativeCastCfg(other.gfToNativeCastCfg),
      formatCfg(other.formatCfg),
      gfParams(other.gfParams ? std::make_unique<Tensor>(*other.gfParams) : nullptr),
      castOpParamSet(other.castOpParamSet) {}

const Tensor& GfloatCast::params() const {
  if (!gfParams) refuse("there is no tensor of the format; createCastOpParamsTensor() makes it");
  return *gfParams;
}

Tensor GfloatCast::createCastOpParamsTensor(Graph& graph, const ComputeSet&, Type,
                                            const unsigned gfPacked,
                                            const DebugContext& debugContext) {
  const auto made =
      graph.addConstant(poplar::INT, {1}, static_cast<int>(gfPacked), {debugContext, "format"});
  graph.setTileMapping(made, 0);
  return made;
}
Tensor GfloatCast::createCastOpParamsTensor(Graph&, const ComputeSet&, Type, Tensor gfPacked,
                                            const DebugContext&) {
  if (!gfPacked.valid() || gfPacked.numElements() != 1)
    refuse("a format is one element of INT or UNSIGNED_INT");
  return gfPacked.reshape({1}).reinterpret(poplar::INT);
}
Tensor GfloatCast::createCastOpParamsTensor(Graph& graph, Sequence&, Type calculationType,
                                            const unsigned gfStruct,
                                            const DebugContext& debugContext) {
  return createCastOpParamsTensor(graph, ComputeSet(), calculationType, gfStruct, debugContext);
}
Tensor GfloatCast::createCastOpParamsTensor(Graph& graph, Sequence&, Type calculationType,
                                            Tensor gfStruct, const DebugContext& debugContext) {
  return createCastOpParamsTensor(graph, ComputeSet(), calculationType, gfStruct, debugContext);
}
void GfloatCast::createCastOpParamsTensor(Graph& graph, Sequence&,
                                          const DebugContext& debugContext) {
  poputil::PoplibsOpDebugInfo info(debugContext);
  gfParams = std::make_unique<Tensor>(
      createCastOpParamsTensor(graph, ComputeSet(), formatCfg.getCalculationType(),
                               formatCfg.getPackedFloatParameters(), {info}));
  castOpParamSet = true;
}
void GfloatCast::createCastOpParamsTensor(Graph& graph, const ComputeSet&) {
  Sequence none;
  createCastOpParamsTensor(graph, none);
}

Tensor GfloatCast::castNativeToGfloat(Graph& graph, Tensor input, const Tensor& param,
                                      Sequence& prog, const CastConfig& gfCastCfg,
                                      const DebugContext& debugContext) {
  const DebugContext context(debugContext, "CastToGfloat");
  return castNativeToGfloat(graph, input, param, added(graph, prog, context), gfCastCfg, context);
}
Tensor GfloatCast::castNativeToGfloat(Graph& graph, Tensor input, const Tensor& param,
                                      const ComputeSet& cs, const CastConfig& gfCastCfg,
                                      const DebugContext& debugContext) {
  return castTo(graph, input, param, gfCastCfg, true, cs, debugContext);
}
Tensor GfloatCast::castNativeToGfloat(Graph& graph, Tensor input, Sequence& prog,
                                      const DebugContext& debugContext) {
  return castNativeToGfloat(graph, input, params(), prog, nativeToGFCastCfg, debugContext);
}
void GfloatCast::castNativeToGfloatInPlace(Graph& graph, Tensor input, const Tensor& param,
                                           Sequence& prog, const CastConfig& gfCastCfg,
                                           const DebugContext& debugContext) {
  const DebugContext context(debugContext, "CastToGfloat");
  castInPlace(graph, input, param, gfCastCfg, added(graph, prog, context), context);
}
void GfloatCast::castNativeToGfloatInPlace(Graph& graph, Tensor input, Sequence& prog,
                                           const DebugContext& debugContext) {
  castNativeToGfloatInPlace(graph, input, params(), prog, nativeToGFCastCfg, debugContext);
}
void GfloatCast::castNativeToGfloatInPlace(Graph& graph, Tensor input, const Tensor& param,
                                           const ComputeSet& cs, const CastConfig& gfCastCfg,
                                           const DebugContext& debugContext) {
  castInPlace(graph, input, param, gfCastCfg, cs, debugContext);
}
void GfloatCast::castNativeToGfloatInPlace(Graph& graph, Tensor input, const ComputeSet& cs) {
  castInPlace(graph, input, params(), nativeToGFCastCfg, cs, "CastToGfloat");
}

Tensor GfloatCast::castGfloatToNative(Graph& graph, Tensor input, const Tensor& param,
                                      Sequence& prog, const CastConfig& gfCastCfg,
                                      const DebugContext& debugContext) {
  const DebugContext context(debugContext, "CastFromGfloat");
  return castGfloatToNative(graph, input, param, added(graph, prog, context), gfCastCfg, context);
}
Tensor GfloatCast::castGfloatToNative(Graph& graph, Tensor input, Sequence& prog,
                                      const DebugContext& debugContext) {
  return castGfloatToNative(graph, input, params(), prog, gfToNativeCastCfg, debugContext);
}
Tensor GfloatCast::castGfloatToNative(Graph& graph, Tensor input, const Tensor& param,
                                      const ComputeSet& cs, const CastConfig& gfCastCfg,
                                      const DebugContext& debugContext) {
  return castTo(graph, input, param, gfCastCfg, false, cs, debugContext);
}
Tensor GfloatCast::castGfloatToNative(Graph& graph, Tensor input, const ComputeSet& cs) {
  return castGfloatToNative(graph, input, params(), cs, gfToNativeCastCfg, "CastFromGfloat");
}

}  // namespace experimental
}  // namespace popfloat
