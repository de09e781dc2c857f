// Marks of a program's own in a trace of time. After pvti/pvti.hpp of the PopVision SDK 3.
//
// With PVTI_OPTIONS={"enable":"true"} in the environment the process writes what it marked to
// pvti-<process>.json in the folder PVTI_OPTIONS names as "directory", else here, as Chrome's trace
// viewer and Perfetto read it. Without, nothing is kept.
#ifndef pvti_pvti_hpp
#define pvti_pvti_hpp

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#pragma GCC visibility push(default)

namespace pvti {

/// True if the process writes a trace.
bool checkTracingEnabled();

/// A named group of marks.
class TraceChannel {
 public:
  TraceChannel(const std::string& name) : name_(name) {}
  TraceChannel(const char* name) : name_(name) {}
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// Values that belong to a mark.
class Metadata {
 public:
  template <class T>
  void set(const std::string& name, const T& value) {
    values_[name] = text(value);
  }
  template <class T>
  void add(const std::string& name, const T& value) {
    set(name, value);
  }
  const std::map<std::string, std::string>& values() const { return values_; }

 private:
  static std::string text(const std::string& value) { return value; }
  static std::string text(const char* value) { return value; }
  template <class T>
  static std::string text(const T& value) {
    return std::to_string(value);
  }
  std::map<std::string, std::string> values_;
};

/// Marks the time from its construction to its end.
class Tracepoint {
 public:
  Tracepoint(TraceChannel* channel, const std::string& label, const Metadata* metadata = nullptr);
  Tracepoint(TraceChannel* channel, const char* label, std::size_t length,
             const Metadata* metadata = nullptr);
  ~Tracepoint();
  Tracepoint(const Tracepoint&) = delete;
  Tracepoint& operator=(const Tracepoint&) = delete;

  static void begin(TraceChannel* channel, const std::string& label,
                    const Metadata* metadata = nullptr);
  static void end(TraceChannel* channel, const std::string& label,
                  const Metadata* metadata = nullptr);
  static void event(TraceChannel* channel, const std::string& label,
                    const Metadata* metadata = nullptr);

 private:
  TraceChannel* channel_;
  std::string label_;
};

/// A line of a Graph: values over time.
class Series {
 public:
  Series(std::string graph, std::string name) : graph_(std::move(graph)), name_(std::move(name)) {}
  void add(double value);
  Series& operator=(double value) {
    add(value);
    return *this;
  }

 private:
  std::string graph_, name_;
};

/// A picture of values over time.
class Graph {
 public:
  Graph(std::string name, std::string unit = "") : name_(std::move(name)), unit_(std::move(unit)) {}
  Series addSeries(const std::string& name) {
    return Series(unit_.empty() ? name_ : name_ + " (" + unit_ + ")", name);
  }

 private:
  std::string name_, unit_;
};

}  // namespace pvti

#pragma GCC visibility pop

#endif
