// Session options. Sessions are created in Python; Ir::getSessionOptions() has theirs.
// After popart/sessionoptions.hpp of PopART 3.
#ifndef popart_sessionoptions_hpp
#define popart_sessionoptions_hpp

#include <popart/names.hpp>

#include <map>
#include <string>

namespace popart {

enum class VirtualGraphMode { Off = 0, Manual, Auto, Pipeline, ExecutionPhases, N };
enum class RecomputationType { None = 0, Standard, NormOnly, Pipeline, RecomputeAll, N };

/// PopART's options. The names follow popart::SessionOptions.
struct SessionOptions {
  bool enableOutlining = true;
  float outlineThreshold = 1.0f;
  bool enableEngineCaching = false;
  bool enableGradientAccumulation = false;
  int64_t accumulationFactor = 1;
  bool enableReplicatedGraphs = false;
  int64_t replicatedGraphCount = 1;
  /// \returns replicatedGraphCount if replicas are enabled
  int64_t getGlobalReplicationFactor() const {
    return enableReplicatedGraphs ? replicatedGraphCount : 1;
  }
  bool enablePipelining = false;
  bool enableStochasticRounding = false;
  bool _enableRngStateManagement = false;
  bool enableStableNorm = false;
  bool enableFloatingPointChecks = false;
  bool enableExplicitMainLoops = false;
  bool opxAliasChecking = false;
  bool opxModifyChecking = false;
  bool strictOpVersions = true;
  bool constantWeights = true;
  VirtualGraphMode virtualGraphMode = VirtualGraphMode::Off;
  RecomputationType autoRecomputation = RecomputationType::None;
  std::string partialsTypeMatMuls;
  std::string logDir;
  std::map<std::string, std::string> engineOptions;
  std::map<std::string, std::string> convolutionOptions;
  std::map<std::string, std::string> lstmOptions;
  std::map<std::string, std::string> matmulOptions;
};

}  // namespace popart

#endif
