// Options of multi-convolutions. After popart/op/convbase.hpp of PopART 3.
#ifndef popart_op_convbase_hpp
#define popart_op_convbase_hpp

#include <popart/attributes.hpp>
#include <popart/vendored/optional.hpp>

#include <map>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Options per convolution. Each list has one entry per convolution, or is empty.
class MultiConvOptions {
 public:
  /// Reads the attributes of a node. `sessionConvOptions` are the defaults.
  MultiConvOptions(const std::map<std::string, std::string> sessionConvOptions,
                   const Attributes& attributes);

  std::vector<float> availableMemoryProportions;
  std::vector<std::string> partialsTypes;
  std::vector<int64_t> enableConvDithering;
  nonstd::optional<std::string> planType;
  nonstd::optional<int> perConvReservedTiles;
  nonstd::optional<float> cycleBackOff;

  const std::map<std::string, std::string>& getGlobalOptions() const { return global_; }

 private:
  std::map<std::string, std::string> global_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
