#include <pvti/pvti.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>
#include <regex>
#include <sstream>

namespace pvti {
namespace {

std::string jsonText(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

// The file of a process. It is written event by event, so that it is there if the process dies.
class Trace {
 public:
  Trace() {
    const char* given = std::getenv("PVTI_OPTIONS");
    const std::string options = given ? given : "";
    if (!std::regex_search(options, std::regex("\"enable\"\\s*:\\s*(\"true\"|true|1)"))) return;
    std::smatch folder;
    std::string path = ".";
    if (std::regex_search(options, folder, std::regex("\"directory\"\\s*:\\s*\"([^\"]*)\"")))
      path = folder[1];
    path += "/pvti-" + std::to_string(getpid()) + ".json";
    out_.open(path);
    if (!out_) {
      std::cerr << "pvti: '" << path << "' cannot be written, nothing is traced\n";
      return;
    }
    on_ = true;
    out_ << "[";
  }
  ~Trace() {
    if (on_) out_ << "\n]\n";
  }

  bool on() const { return on_; }
  void event(const char* phase, const std::string& group, const std::string& name,
             const std::string& values) {
    const auto now = std::chrono::duration<double, std::micro>(
        std::chrono::steady_clock::now().time_since_epoch());
    const std::lock_guard<std::mutex> lock(mutex_);
    std::ostringstream os;
    os.precision(15);
    os << (first_ ? "\n" : ",\n") << "{\"ph\":\"" << phase << "\",\"ts\":" << now.count()
       << ",\"pid\":" << getpid() << ",\"tid\":" << syscall(SYS_gettid)
       << ",\"cat\":" << jsonText(group) << ",\"name\":" << jsonText(name);
    if (!values.empty()) os << ",\"args\":{" << values << "}";
    os << "}";
    out_ << os.str() << std::flush;
    first_ = false;
  }

 private:
  std::ofstream out_;
  std::mutex mutex_;
  bool on_ = false, first_ = true;
};

Trace& trace() {
  static Trace one;
  return one;
}

void mark(const char* phase, const TraceChannel* channel, const std::string& label,
          const Metadata* metadata) {
  if (!trace().on()) return;
  std::string values;
  if (metadata)
    for (const auto& v : metadata->values())
      values += (values.empty() ? "" : ",") + jsonText(v.first) + ":" + jsonText(v.second);
  trace().event(phase, channel ? channel->name() : "", label, values);
}

}  // namespace

bool checkTracingEnabled() { return trace().on(); }

Tracepoint::Tracepoint(TraceChannel* channel, const std::string& label, const Metadata* metadata)
    : channel_(channel), label_(label) {
  begin(channel_, label_, metadata);
}
Tracepoint::Tracepoint(TraceChannel* channel, const char* label, std::size_t length,
                       const Metadata* metadata)
    : Tracepoint(channel, std::string(label, length), metadata) {}
Tracepoint::~Tracepoint() { end(channel_, label_); }

void Tracepoint::begin(TraceChannel* channel, const std::string& label, const Metadata* metadata) {
  mark("B", channel, label, metadata);
}
void Tracepoint::end(TraceChannel* channel, const std::string& label, const Metadata* metadata) {
  mark("E", channel, label, metadata);
}
void Tracepoint::event(TraceChannel* channel, const std::string& label, const Metadata* metadata) {
  mark("i", channel, label, metadata);
}

void Series::add(double value) {
  if (trace().on())
    trace().event("C", graph_, graph_, jsonText(name_) + ":" + std::to_string(value));
}

}  // namespace pvti
