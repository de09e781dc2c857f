#include <poplar/DebugContext.hpp>
#include <poplar/exceptions.hpp>

#include <atomic>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>

namespace poplar {
namespace {

using Map = ProfileValue::Map;

// CBOR (RFC 8949): the kind of an item in the upper 3 bits of its first byte, a count or number
// below it or in the bytes that follow.
class Cbor {
 public:
  explicit Cbor(std::ostream& out) : out_(out) {}

  void write(const ProfileValue& value) {
    switch (value.type()) {
      case ProfileValue::Type::BOOL: return byte(value.asBool() ? 0xf5 : 0xf4);
      case ProfileValue::Type::NUMBER: {
        const double number = value.asDouble();
        std::uint64_t bits;
        std::memcpy(&bits, &number, sizeof bits);
        byte(0xfb);
        return bytes(bits, 8);
      }
      case ProfileValue::Type::STRING: return text(value.asString());
      case ProfileValue::Type::VECTOR:
        head(4, value.asVector().size());
        for (const auto& each : value.asVector()) write(each);
        return;
      case ProfileValue::Type::MAP:
        head(5, value.asMap().size());
        for (const auto& [name, each] : value.asMap()) {
          text(name);
          write(each);
        }
        return;
    }
  }
  void text(const std::string& value) {
    head(3, value.size());
    out_ << value;
  }
  void head(unsigned kind, std::uint64_t count) {
    if (count < 24) return byte(kind << 5 | static_cast<unsigned>(count));
    byte(kind << 5 | 27);
    bytes(count, 8);
  }
  void byte(unsigned value) { out_.put(static_cast<char>(value)); }

 private:
  void bytes(std::uint64_t value, unsigned n) {
    while (n-- > 0) byte(static_cast<unsigned>(value >> (8 * n) & 0xff));
  }

  std::ostream& out_;
};

class Streamer {
 public:
  Streamer(const std::string& fileName, DebugSerializationFormat format)
      : out_(fileName, std::ios::binary), json_(format == DebugSerializationFormat::JSON) {
    if (!out_)
      throw poplar_error("DebugInfo::initializeStreamer: '" + fileName + "' cannot be written");
    if (json_) {
      out_ << "{\"contexts\":[";
    } else {
      Cbor cbor(out_);
      cbor.head(5, 1);
      cbor.text("contexts");
      cbor.byte(0x9f);  // a list without a count
    }
  }
  ~Streamer() {
    if (json_)
      out_ << "]}";
    else
      Cbor(out_).byte(0xff);
  }
  void add(const ProfileValue& value) {
    if (!json_) return Cbor(out_).write(value);
    out_ << (empty_ ? "\n" : ",\n");
    empty_ = false;
    serializeToJSON(out_, value);
  }

 private:
  std::ofstream out_;
  bool json_, empty_ = true;
};

std::mutex streamerLock;
std::unique_ptr<Streamer>& streamer() {
  static std::unique_ptr<Streamer> one;
  return one;
}

}  // namespace

DebugInfo::DebugInfo(const DebugContext& context, std::string layer)
    : parentId_(context.nameAndId.getParentId()),
      path_(context.getPathName()),
      layer_(std::move(layer)) {
  static std::atomic<DebugId> next{1};
  id_ = next++;
}

DebugInfo::~DebugInfo() {
  const std::lock_guard<std::mutex> alone(streamerLock);
  if (!streamer()) return;
  Map map = values_;
  map["id"] = id_;
  map["parentId"] = parentId_;
  map["name"] = path_;
  map["layer"] = layer_;
  streamer()->add(map);
}

bool DebugInfo::setValue(std::string name, ProfileValue value) {
  return values_.emplace(std::move(name), std::move(value)).second;
}

void DebugInfo::initializeStreamer(const std::string& fileName,
                                   const DebugSerializationFormat& format) {
  const std::lock_guard<std::mutex> alone(streamerLock);
  streamer().reset();
  streamer() = std::make_unique<Streamer>(fileName, format);
}

void DebugInfo::closeStreamer() {
  const std::lock_guard<std::mutex> alone(streamerLock);
  streamer().reset();
}

}  // namespace poplar
