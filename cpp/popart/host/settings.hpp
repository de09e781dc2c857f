// What a session is made with, in the compiler's classes.
#ifndef popir_popart_host_settings_hpp
#define popir_popart_host_settings_hpp

#include <popart/dataflow.hpp>
#include <popart/inputshapeinfo.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/sessionoptions.hpp>

#include <string>

#include "popart/host/python.hpp"

namespace popir {
namespace python {

/// The path of a file that is there, or the bytes of a model.
Value modelOf(const std::string& modelProtoOrFilename);
Object toPython(const popart::DataFlow& dataFlow);
Value toPython(const popart::InputShapeInfo& infos);
Object toPython(const popart::Patterns& patterns);
/// The options that differ from PopART's default.
/// \throws popart::error for an option that the compiler does not know
Object toPython(const popart::SessionOptions& options);

}  // namespace python
}  // namespace popir

#endif
