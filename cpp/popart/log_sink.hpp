// The destination of log messages.
#ifndef popir_popart_log_sink_hpp
#define popir_popart_log_sink_hpp

#include <popart/logging.hpp>

#include <string>

namespace popir {

struct LogSink {
  bool (*wants)(popart::logging::Module, popart::logging::Level);
  popart::logging::Level (*level)(popart::logging::Module);
  void (*setLevel)(popart::logging::Module, popart::logging::Level);
  void (*write)(popart::logging::Module, popart::logging::Level, const std::string& message);
};

__attribute__((visibility("default"))) void installLogSink(const LogSink& sink);

}  // namespace popir

#endif
