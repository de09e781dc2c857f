#include <popart/graphtransformer.hpp>

#include "popart/host/python.hpp"
#include "popart/host/settings.hpp"

namespace popart {

namespace python = popir::python;

GraphTransformer::GraphTransformer(const std::string& modelProtoOrFilename)
    : transformer_(python::make("GraphTransformer", {python::modelOf(modelProtoOrFilename)})) {}
GraphTransformer::~GraphTransformer() = default;

std::string GraphTransformer::getModelProto() const {
  return python::call(transformer_, "getModelProto").text();
}

#define POPART_CHANGE(NAME) \
  void GraphTransformer::NAME() { python::call(transformer_, #NAME); }
POPART_CHANGE(convertFloatsToHalfs)
POPART_CHANGE(convertUINT8ToINT32)
POPART_CHANGE(convertUINT16ToINT32)
POPART_CHANGE(convertINT8ToINT32)
POPART_CHANGE(convertINT16ToINT32)
POPART_CHANGE(convertDoublesToFloats)
POPART_CHANGE(convertDoublesToHalfs)
POPART_CHANGE(convertBFloats16ToFloat32)
POPART_CHANGE(convertAllFixedPointInitializersToConstants)
POPART_CHANGE(prepareNodesForTraining)
POPART_CHANGE(removeUnusedInputs)
#undef POPART_CHANGE

void GraphTransformer::convertINT64ToINT32(bool clip) {
  python::call(transformer_, "convertINT64ToINT32", {clip});
}

void GraphTransformer::convertInitializersToConstants(const std::vector<TensorId>& ids) {
  python::call(transformer_, "convertInitializersToConstants", {python::Value(ids)});
}

void GraphTransformer::saveInitializersExternally(const std::vector<TensorId>& ids,
                                                  const std::string& fn) {
  python::call(transformer_, "saveInitializersExternally", {python::Value(ids), fn});
}

}  // namespace popart
