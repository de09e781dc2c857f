// Casts to small floats of any sizes. After popfloat/experimental/CastToGfloat.hpp of PopLibs 3.
//
// A format has m bits of mantissa, e of exponent, and a bias b. Its numbers are, with either sign,
//   2^(x - b) (1 + f / 2^m), x from 1 to 2^e - 1, f below 2^m, and, with denormals, 2^(1 - b) f / 2^m.
// With infinity and NaN the largest x stands for these. A result that is too large becomes NaN in
// "nanoo" mode, if the format has one, else the largest number. Without denormals a result below the
// smallest normal number becomes 0; a 0 has no sign. With no bits of exponent, or one and infinity, the denormals are
// all numbers.
//
// A result is kept as FLOAT or HALF with the number's value, or packed: SIGNED_CHAR or SHORT with
// sign, exponent and mantissa from the highest bit on, and zeros below. So 1/5/2 with infinity is the
// upper half of a HALF, and 1/8/7 that of a FLOAT.
//
// Stochastic rounding adds noise to the magnitude in units of its last place, and cuts off: a
// number below 1 with the density, `srNoiseScale` wide around `srNoiseOffset`; around 0.5 more than
// that for the normal, logistic and Laplace densities; truncated ones lie between srNoiseMin and
// srNoiseMax. BERNOULLI cuts off with the probability `bernoulliProb`, else goes up. SX cuts noise and
// magnitude to numSRBits bits. Each run of a cast has new noise, the same after each load of an engine.
#ifndef popfloat_experimental_CastToGfloat_hpp
#define popfloat_experimental_CastToGfloat_hpp

#include <popfloat/experimental/GfloatExpr.hpp>
#include <popfloat/experimental/GfloatExprUtil.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Type.hpp>
#include <poputil/exceptions.hpp>

#include <functional>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popfloat {
namespace experimental {

class GfloatCast {
 public:
  /// A format, from options of the members' names.
  struct GfloatFormatOptions {
    unsigned numMantissaBits = 10;
    unsigned numExponentBits = 5;
    unsigned numExponentBias = 15;
    bool enableDenorms = true;
    bool enableInfsAndNans = true;

    GfloatFormatOptions() = default;
    GfloatFormatOptions(const poplar::OptionFlags& options) { parseGfloatFormatOptions(options); }
    /// \throws poplar::invalid_option for another name or value
    void parseGfloatFormatOptions(const poplar::OptionFlags& options);
  };

  /// A format, and the types that serve it.
  class FormatConfig {
   public:
    FormatConfig() = default;
    /// `specCalculationType` is FP32, FP16 or AUTO.
    /// \throws poputil::poplibs_error for a format that the type does not hold
    FormatConfig(unsigned numMantissaBits, unsigned numExponentBits, int exponentBias,
                 bool enableDenorms, bool enableInfsAndNans,
                 SpecType specCalculationType = SpecType::AUTO);
    FormatConfig(unsigned numMantissaBits, unsigned numExponentBits, int exponentBias,
                 bool enableDenorms, bool enableInfsAndNans, poplar::Type calculationType);
    FormatConfig(GfloatFormatOptions formatOptions, poplar::Type calculationType);

    /// FLOAT or HALF: what the format's numbers fit into.
    poplar::Type getCalculationType() const { return calculationType; }
    poplar::Type getNativeType() const { return nativeType; }
    /// The smallest type that keeps a number.
    poplar::Type getStorageType() const { return storageType; }
    FormatType getFormatType() const { return formatType; }
    unsigned getNumMantissaBits() const { return numMantissaBits; }
    unsigned getNumExponentBits() const { return numExponentBits; }
    int getExponentBias() const { return exponentBias; }
    bool isDenormEnabled() const { return enableDenorms; }
    bool infAndNansEnabled() const { return enableInfsAndNans; }
    bool isPackedFloatFormat() const {
      return formatType != FormatType::QUANTISED_FP16 && formatType != FormatType::QUANTISED_FP32 &&
             formatType != FormatType::IEEE_FP16;
    }
    unsigned getPackedFloatBits() const { return packedFloatBits; }
    bool isBlockFloat() const { return blockFloat; }
    /// The format as a number: bytes of mantissa, exponent, bias (128 more), and two flags.
    unsigned getPackedFloatParameters() const { return packedFloatParameters; }
    bool operator==(const FormatConfig& other) const {
      return packedFloatParameters == other.packedFloatParameters &&
             calculationType == other.calculationType;
    }

   private:
    poplar::Type calculationType, nativeType, storageType;
    unsigned numMantissaBits = 0, numExponentBits = 0;
    int exponentBias = 0;
    bool enableDenorms = false, enableInfsAndNans = false, blockFloat = false;
    FormatType formatType = FormatType::INVALID_FORMAT;
    unsigned packedFloatParameters = 0, packedFloatBits = 0;
  };

  /// A rounding, from options of the members' names.
  struct GfloatCastOptions {
    RoundType roundMode = RoundType::INV;
    SRDensityType srNoiseDensity = SRDensityType::INVALID;
    unsigned numSRBits = 24;
    double srNoiseOffset = 0, srNoiseScale = 0, srNoiseMax = 0, srNoiseMin = 0, bernoulliProb = 0;
    bool enableNanooMode = true;

    GfloatCastOptions() = default;
    GfloatCastOptions(const poplar::OptionFlags& options) { parseGfloatCastOptions(options); }
    /// \throws poplar::invalid_option for another name or value
    void parseGfloatCastOptions(const poplar::OptionFlags& options);
  };

  /// A rounding. Stochastic ones without a density are uniform from 0 to 1.
  class RoundConfig {
   public:
    RoundConfig() = default;
    /// \throws poputil::poplibs_error for RoundType::INV, no bits of noise, and what is no density
    RoundConfig(RoundType roundMode, unsigned numSRBits, poplar::Type calculationType,
                SRDensityType srNoiseDensity = SRDensityType::INVALID, float srNoiseOffset = 0.0f,
                float srNoiseScale = 0.0f, float srNoiseMax = 0.0f, float srNoiseMin = 0.0f,
                float bernoulliProb = 0.0f);
    RoundConfig(GfloatCastOptions castOptions, poplar::Type calculationType);

    RoundType getRoundMode() const { return mode; }
    unsigned getNumSRBits() const { return bits; }
    SRDensityType getSRNoiseDensity() const { return density; }
    /// The noise's offset, scale, maximum and minimum, or the probability of BERNOULLI, as bits of
    /// FLOAT.
    std::vector<unsigned> getNoiseParams() const;
    std::vector<unsigned> getRoundingParams() const { return getNoiseParams(); }
    unsigned getDensityParam() const { return static_cast<unsigned>(density); }
    float getBernoulliProbability() const { return probability; }
    float getSRNoiseOffset() const { return offset; }
    float getSRNoiseScale() const { return scale; }
    float getSRNoiseMax() const { return max; }
    float getSRNoiseMin() const { return min; }
    /// The bits of noise that count.
    std::vector<unsigned> getSRBitMask() const;

   private:
    RoundType mode = RoundType::RN;
    SRDensityType density = SRDensityType::INVALID;
    unsigned bits = 24;
    float offset = 0, scale = 0, max = 1, min = 0, probability = 0;
  };

  /// A cast in one direction.
  class CastConfig {
   public:
    CastConfig() = default;
    static CastConfig createCastNativeToGF(FormatType formatType, poplar::Type calculationType,
                                           poplar::Type storageType, RoundConfig roundCfg,
                                           bool enableNanooMode);
    static CastConfig createCastGFToNative(FormatType formatType, poplar::Type calculationType,
                                           poplar::Type storageType);

    RoundType getRoundMode() const { return round.getRoundMode(); }
    unsigned getNumSRBits() const { return round.getNumSRBits(); }
    SRDensityType getSRNoiseDensity() const { return round.getSRNoiseDensity(); }
    std::vector<unsigned> getNoiseParams() const { return round.getNoiseParams(); }
    unsigned getDensityParam() const { return round.getDensityParam(); }
    float getBernoulliProbability() const { return round.getBernoulliProbability(); }
    float getSRNoiseOffset() const { return round.getSRNoiseOffset(); }
    float getSRNoiseScale() const { return round.getSRNoiseScale(); }
    float getSRNoiseMax() const { return round.getSRNoiseMax(); }
    float getSRNoiseMin() const { return round.getSRNoiseMin(); }
    std::vector<unsigned> getSRBitMask() const { return round.getSRBitMask(); }
    std::vector<unsigned> getRoundingParams() const { return round.getRoundingParams(); }
    const RoundConfig& getRoundConfig() const { return round; }
    bool isNanooModeEnabled() const { return nanoo; }
    poplar::Type getCalculationType() const { return calculationType; }
    poplar::Type getStorageType() const { return storageType; }
    bool inPlaceOp(poplar::Type inType) const { return inType == storageType; }
    FormatType getFormatType() const { return formatType; }
    bool getStoreAsNative() const { return storeAsNative; }

   private:
    poplar::Type calculationType, storageType;
    RoundConfig round;
    bool nanoo = false, storeAsNative = true;
    FormatType formatType = FormatType::INVALID_FORMAT;
  };

  /// \param GFType how results of castNativeToGfloat() are kept
  /// \param NativeType the type of results of castGfloatToNative()
  /// \throws poputil::poplibs_error for a type that does not hold the format
  GfloatCast(const FormatConfig& formatCfg, const RoundConfig& roundCfg, const bool enableNanooMode,
             const SpecType& GFType = SpecType::AUTO, const SpecType& NativeType = SpecType::AUTO);
  GfloatCast(const GfloatFormatOptions& formatOtions, const GfloatCastOptions& castOptions,
             poplar::Type calculationType, const SpecType& GFType = SpecType::AUTO,
             const SpecType& NativeType = SpecType::AUTO);
  GfloatCast(const GfloatCast& gfloatCast);

  /// The format of a cast as a tensor, INT[1], from getPackedFloatParameters() or a tensor of it. The
  /// functions without a result keep it for the casts below that take no `param`.
  static poplar::Tensor createCastOpParamsTensor(poplar::Graph& graph, const poplar::ComputeSet& cs,
                                                 poplar::Type calculationType,
                                                 const unsigned gfPacked,
                                                 const poplar::DebugContext& debugContext = {});
  static poplar::Tensor createCastOpParamsTensor(poplar::Graph& graph, const poplar::ComputeSet& cs,
                                                 poplar::Type calculationType,
                                                 poplar::Tensor gfPacked,
                                                 const poplar::DebugContext& debugContext = {});
  static poplar::Tensor createCastOpParamsTensor(poplar::Graph& graph,
                                                 poplar::program::Sequence& prog,
                                                 poplar::Type calculationType,
                                                 const unsigned gfStruct,
                                                 const poplar::DebugContext& debugContext = {});
  static poplar::Tensor createCastOpParamsTensor(poplar::Graph& graph,
                                                 poplar::program::Sequence& prog,
                                                 poplar::Type calculationType,
                                                 poplar::Tensor gfStruct,
                                                 const poplar::DebugContext& debugContext = {});
  void createCastOpParamsTensor(poplar::Graph& graph, poplar::program::Sequence& prog,
                                const poplar::DebugContext& debugContext = {});
  void createCastOpParamsTensor(poplar::Graph& graph, const poplar::ComputeSet& cs);

  /// Cast a FLOAT or HALF tensor to the format, to a new tensor or in place.
  /// \throws poputil::poplibs_error for another input, without the format's tensor, and in place for
  /// a result of another type
  static poplar::Tensor castNativeToGfloat(poplar::Graph& graph, poplar::Tensor input,
                                           const poplar::Tensor& param,
                                           poplar::program::Sequence& prog,
                                           const CastConfig& gfCastCfg,
                                           const poplar::DebugContext& debugContext = {});
  static poplar::Tensor castNativeToGfloat(poplar::Graph& graph, poplar::Tensor input,
                                           const poplar::Tensor& param,
                                           const poplar::ComputeSet& cs,
                                           const CastConfig& gfCastCfg,
                                           const poplar::DebugContext& debugContext = {});
  poplar::Tensor castNativeToGfloat(poplar::Graph& graph, poplar::Tensor input,
                                    poplar::program::Sequence& prog,
                                    const poplar::DebugContext& debugContext = {});
  static void castNativeToGfloatInPlace(poplar::Graph& graph, poplar::Tensor input,
                                        const poplar::Tensor& param,
                                        poplar::program::Sequence& prog,
                                        const CastConfig& gfCastCfg,
                                        const poplar::DebugContext& debugContext = {});
  void castNativeToGfloatInPlace(poplar::Graph& graph, poplar::Tensor input,
                                 poplar::program::Sequence& prog,
                                 const poplar::DebugContext& debugContext = {});
  static void castNativeToGfloatInPlace(poplar::Graph& graph, poplar::Tensor input,
                                        const poplar::Tensor& param, const poplar::ComputeSet& cs,
                                        const CastConfig& gfCastCfg,
                                        const poplar::DebugContext& debugContext = {});
  void castNativeToGfloatInPlace(poplar::Graph& graph, poplar::Tensor input,
                                 const poplar::ComputeSet& cs);

  /// Cast what castNativeToGfloat() returned to FLOAT or HALF.
  static poplar::Tensor castGfloatToNative(poplar::Graph& graph, poplar::Tensor input,
                                           const poplar::Tensor& param,
                                           poplar::program::Sequence& prog,
                                           const CastConfig& gfCastCfg,
                                           const poplar::DebugContext& debugContext = {});
  poplar::Tensor castGfloatToNative(poplar::Graph& graph, poplar::Tensor input,
                                    poplar::program::Sequence& prog,
                                    const poplar::DebugContext& debugContext = {});
  static poplar::Tensor castGfloatToNative(poplar::Graph& graph, poplar::Tensor input,
                                           const poplar::Tensor& param,
                                           const poplar::ComputeSet& cs,
                                           const CastConfig& gfCastCfg,
                                           const poplar::DebugContext& debugContext = {});
  poplar::Tensor castGfloatToNative(poplar::Graph& graph, poplar::Tensor input,
                                    const poplar::ComputeSet& cs);

  poplar::Type getGFStorageType() const { return nativeToGFCastCfg.getStorageType(); }
  poplar::Type getCalculationType() const { return nativeToGFCastCfg.getCalculationType(); }
  poplar::Type getNativeStorageType() const { return gfToNativeCastCfg.getStorageType(); }
  FormatConfig getFormatConfig() const { return formatCfg; }
  CastConfig getNativeToGFConfig() const { return nativeToGFCastCfg; }
  CastConfig getGFToNativeConfig() const { return gfToNativeCastCfg; }
  bool getStoreAsNative() const { return nativeToGFCastCfg.getStoreAsNative(); }
  /// The format's tensor, once it is there.
  poplar::Tensor getCastOpParams() const { return params(); }
  bool isCastOpParamSet() const { return castOpParamSet; }
  /// Takes over a tensor on the heap.
  void setGfloatCastParameters(poplar::Tensor* gfParams_) {
    gfParams.reset(gfParams_);
    castOpParamSet = gfParams_ != nullptr;
  }
  bool isNanooModeEnabled() const { return nativeToGFCastCfg.isNanooModeEnabled(); }
  std::vector<unsigned> getSRBitMask() const { return nativeToGFCastCfg.getSRBitMask(); }
  RoundType getRoundMode() const { return nativeToGFCastCfg.getRoundMode(); }
  bool inPlaceOp(poplar::Type outType) const { return nativeToGFCastCfg.inPlaceOp(outType); }
  std::vector<unsigned> getRoundingParams() const { return nativeToGFCastCfg.getRoundingParams(); }

 protected:
  const poplar::Tensor& params() const;

  CastConfig nativeToGFCastCfg;
  CastConfig gfToNativeCastCfg;
  FormatConfig formatCfg;
  std::unique_ptr<poplar::Tensor> gfParams;
  bool castOpParamSet = false;
};

}  // namespace experimental
}  // namespace popfloat

#pragma GCC visibility pop

#endif
