// Models and files. After PopART's own filereader.hpp, which its tests include.
#ifndef popart_filereader_hpp
#define popart_filereader_hpp

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace io {

/// A serialised model. Fields that the classes of onnx/onnx_pb.h have no member for are kept as
/// they are.
/// \throws error for bytes that are no message
ONNX_NAMESPACE::ModelProto getModelFromString(const std::string& modelProto);
/// The reverse. \throws error for messages that are nested more than 100 deep
std::string getSerializedModel(const ONNX_NAMESPACE::ModelProto& model);
/// \throws error for a file that cannot be read, too
ONNX_NAMESPACE::ModelProto getModelFromFile(const std::string& filename);
/// The folder without links and dots. \throws error if it is not there
std::string getCanonicalDirName(const std::string& folder);
/// The path of a file in a folder.
std::string appendDirFn(const std::string& folder, const std::string& filename);
/// The paths of the files of a folder whose names contain `part`, in alphabetical order.
std::vector<std::string> getMatchFns(const std::string& folder, const std::string& part);
bool isRegularFile(const std::string& filename);
/// \throws error if there is no such file
void confirmRegularFile(const std::string& filename);

}  // namespace io
}  // namespace popart

#pragma GCC visibility pop

#endif
