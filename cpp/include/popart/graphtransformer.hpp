// Changes to models. After popart/graphtransformer.hpp of PopART 3.
#ifndef popart_graphtransformer_hpp
#define popart_graphtransformer_hpp

#include <popart/names.hpp>

#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// A model, and changes to its types and initializers: see popir.GraphTransformer in Python, which
/// does each of them.
class GraphTransformer {
 public:
  /// The bytes of a model, or the path of a file.
  explicit GraphTransformer(const std::string& modelProtoOrFilename);
  ~GraphTransformer();

  std::string getModelProto() const;
  void convertFloatsToHalfs();
  void convertUINT8ToINT32();
  void convertUINT16ToINT32();
  void convertINT8ToINT32();
  void convertINT16ToINT32();
  void convertDoublesToFloats();
  void convertDoublesToHalfs();
  void convertBFloats16ToFloat32();
  void convertAllFixedPointInitializersToConstants();
  void prepareNodesForTraining();
  void removeUnusedInputs();
  /// Values beyond 32 bits are an error, or, with `clip`, become the nearest one.
  void convertINT64ToINT32(bool clip = false);
  void convertInitializersToConstants(const std::vector<TensorId>& ids);
  void saveInitializersExternally(const std::vector<TensorId>& ids, const std::string& fn);

 private:
  std::shared_ptr<void> transformer_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
