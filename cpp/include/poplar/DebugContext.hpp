// Names of operations, for messages and reports. After poplar/DebugContext.hpp of the Poplar SDK 3.
#ifndef poplar_DebugContext_hpp
#define poplar_DebugContext_hpp

#include <poplar/ProfileValue.hpp>
#include <poplar/StringRef.hpp>

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace poplar {

using DebugId = std::uint64_t;

/// A position in the caller's source.
class SourceLocation {
 public:
  SourceLocation() = default;
  SourceLocation(const char* function, const char* file, unsigned line)
      : function_(function), file_(file), line_(line) {}

  const char* getFunctionName() const { return function_; }
  const char* getFileName() const { return file_; }
  unsigned getLineNumber() const { return line_; }
  bool isValid() const { return line_ != 0; }

  static SourceLocation Current(const char* function = __builtin_FUNCTION(),
                                const char* file = __builtin_FILE(),
                                unsigned line = __builtin_LINE()) {
    return SourceLocation(function, file, line);
  }

 private:
  const char* function_ = "";
  const char* file_ = "";
  unsigned line_ = 0;
};

/// A path name, and the id of the debug information it belongs to.
class DebugInfo;
class DebugNameAndId {
 public:
  DebugNameAndId(const DebugInfo& info, const std::string& name = "");
  DebugNameAndId(std::string name = "", DebugId id = 0, std::string parentPath = "")
      : name_(std::move(name)), parentPath_(std::move(parentPath)), id_(id) {}
  DebugNameAndId(const char* name) : name_(name), id_(0) {}
  DebugNameAndId(DebugId id, std::string parentPath = "")
      : parentPath_(std::move(parentPath)), id_(id) {}
  DebugNameAndId(const DebugNameAndId& parent, const std::string& name)
      : name_(name), parentPath_(parent.getPathName()), id_(parent.id_) {}

  const std::string& getName() const { return name_; }
  const std::string& getParentPath() const { return parentPath_; }
  DebugId getParentId() const { return id_; }
  std::string getPathName() const {
    return parentPath_.empty() ? name_ : name_.empty() ? parentPath_ : parentPath_ + "/" + name_;
  }

 private:
  std::string name_;
  std::string parentPath_;
  DebugId id_;
};

class DebugInfo;

/// Names what a function creates. A string converts to it.
struct DebugContext {
  DebugContext(SourceLocation loc = SourceLocation::Current()) : location(loc) {}
  DebugContext(const char* name, SourceLocation loc = SourceLocation::Current())
      : nameAndId(name), location(loc) {}
  DebugContext(StringRef name, SourceLocation loc = SourceLocation::Current())
      : nameAndId(name.str()), location(loc) {}
  DebugContext(std::string name, SourceLocation loc = SourceLocation::Current())
      : nameAndId(std::move(name)), location(loc) {}
  DebugContext(const DebugNameAndId& dnai, std::string name = "",
               SourceLocation loc = SourceLocation::Current())
      : nameAndId(dnai, name), location(loc) {}
  DebugContext(const DebugInfo& info, std::string name = "",
               SourceLocation loc = SourceLocation::Current());
  DebugContext(const DebugContext& parent, StringRef name)
      : nameAndId(parent.nameAndId, name.str()), location(parent.location) {}
  DebugContext(const DebugContext&) = default;
  DebugContext(DebugContext&&) = default;

  std::string getPathName() const { return nameAndId.getPathName(); }

  DebugNameAndId nameAndId;
  SourceLocation location;
};

enum class DebugSerializationFormat { JSON, CBOR };

/// Debug information that has an id, so that other debug information can refer to it as its parent.
/// The libraries derive from it.
class DebugInfo {
 public:
  DebugInfo(const DebugContext& context, std::string layer);
  DebugInfo(const DebugInfo&) = delete;
  DebugInfo& operator=(const DebugInfo&) = delete;
  virtual ~DebugInfo();

  DebugId getId() const { return id_; }
  std::string getPathName() const { return path_; }
  const std::string& getLayer() const { return layer_; }

  /// Writes all debug information whose objects end from now on to a file: {"contexts": [...]}, each
  /// with "id", "parentId", "name", "layer" and its own values. closeStreamer() completes it.
  /// \throws poplar_error if the file cannot be written
  static void initializeStreamer(
      const std::string& fileName,
      const DebugSerializationFormat& format = DebugSerializationFormat::CBOR);
  static void closeStreamer();

  /// Its own information. popir keeps it while the object lives.
  /// \returns false, and changes nothing, if the name has a value
  bool setValue(std::string name, ProfileValue value);

 private:
  DebugId id_, parentId_;
  std::string path_;
  std::map<std::string, ProfileValue> values_;
  std::string layer_;
};

inline DebugNameAndId::DebugNameAndId(const DebugInfo& info, const std::string& name)
    : name_(name), parentPath_(info.getPathName()), id_(info.getId()) {}
inline DebugContext::DebugContext(const DebugInfo& info, std::string name, SourceLocation loc)
    : nameAndId(DebugNameAndId(info.getId(), info.getPathName()), name), location(loc) {}

std::ostream& operator<<(std::ostream& os, const DebugContext& context);
std::ostream& operator<<(std::ostream& os, const DebugNameAndId& dnai);

}  // namespace poplar

#pragma GCC visibility pop

#endif
