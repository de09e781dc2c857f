#include "codelets/debug_info.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "codelets/library.hpp"

namespace popir {
namespace {

// The parts of a debug information entry that are used here.
struct Entry {
  std::string tag, name;
  std::size_t id = 0, type = 0;
  std::string value;
  bool declaration = false;
};

struct Class {
  std::string name;
  std::vector<std::size_t> bases;
  std::vector<std::string> members;
  bool declaration = false;
};

class DebugReader {
 public:
  explicit DebugReader(std::istream& in) {
    std::string line;
    while (std::getline(in, line)) {
      const auto text = line.find_first_not_of(' ');
      if (text == std::string::npos || line[text] != '<') continue;
      if (line.find(">: Abbrev Number: ", text) != std::string::npos)
        begin(line, text);
      else
        attribute(line);
    }
    finish();
  }

  std::vector<VertexType> vertexTypes() const {
    std::vector<VertexType> found;
    std::set<std::string> seen;
    static const std::set<std::string> own = {"poplar::Vertex", "poplar::MultiVertex",
                                              "poplar::SupervisorVertex"};
    for (const auto& [id, c] : classes_) {
      VertexType type{c.name, canonicalVertexType(withEnumerators(c.name)), {}};
      if (c.declaration || own.count(c.name) || !collect(id, type.fields)) continue;
      if (seen.insert(type.name).second) found.push_back(std::move(type));
    }
    return found;
  }

 private:
  // " <2><4b>: Abbrev Number: 5 (DW_TAG_member)"
  void begin(const std::string& line, std::size_t text) {
    finish();
    depth_ = std::stoul(line.substr(text + 1));
    scopes_.resize(std::min(scopes_.size(), depth_));
    entry_ = Entry();
    entry_.id = std::stoul(line.substr(line.find('<', text + 1) + 1), nullptr, 16);
    const auto tag = line.find("(DW_TAG_");
    if (tag != std::string::npos) entry_.tag = line.substr(tag + 8, line.find(')', tag) - tag - 8);
    open_ = !entry_.tag.empty();
  }

  // "    <4c>   DW_AT_name        : (indirect string, offset: 0x12): x"
  void attribute(const std::string& line) {
    const auto at = line.find("DW_AT_"), colon = line.find(": ", at);
    if (!open_ || at == std::string::npos || colon == std::string::npos) return;
    const auto what = line.substr(at + 6, line.find_first_of(" \t:", at) - at - 6);
    auto value = line.substr(colon + 2);
    if (what == "name") {
      if (value.rfind("(ind", 0) == 0) value = value.substr(value.find("): ") + 3);
      entry_.name = value.substr(0, value.find_last_not_of(" \t") + 1);
    } else if (what == "type") {
      const auto hex = value.find("<0x");
      if (hex != std::string::npos) entry_.type = std::stoul(value.substr(hex + 1), nullptr, 16);
    } else if (what == "declaration") {
      entry_.declaration = true;
    } else if (what == "const_value") {
      entry_.value = value.substr(0, value.find_first_of(" \t"));
    }
  }

  void finish() {
    if (!open_) return;
    open_ = false;
    const auto& e = entry_;
    const Scope parent = scopes_.empty() ? Scope() : scopes_.back();
    Scope own;
    own.inside = false;
    const auto qualified = parent.prefix + e.name;
    // A base class may be named through aliases, as MultiVertexIf<...> is, some of them in std.
    if (e.tag == "typedef") aliases_[e.id] = e.type;
    if (e.tag == "compile_unit") {
      own.inside = true;
    } else if (parent.inside && e.tag == "namespace") {
      own.inside = e.name != "std" && e.name != "__gnu_cxx";
      own.prefix = e.name.empty() ? parent.prefix : qualified + "::";
    } else if (parent.inside && !e.name.empty() &&
               (e.tag == "class_type" || e.tag == "structure_type")) {
      classes_[e.id] = {qualified, {}, {}, e.declaration};
      own = {true, e.id, qualified + "::"};
    } else if (parent.inside && e.tag == "enumeration_type") {
      own.prefix = qualified + "::";
      own.enumeration = true;
    } else if (e.tag == "enumerator" && parent.enumeration) {
      const auto type = parent.prefix.substr(0, parent.prefix.size() - 2);
      enumerators_["(" + type + ")" + e.value] = qualified;
    } else if (e.tag == "inheritance" && parent.owner) {
      classes_[parent.owner].bases.push_back(e.type);
    } else if (e.tag == "member" && parent.owner && !e.name.empty() && !e.declaration) {
      classes_[parent.owner].members.push_back(e.name);
    }
    while (scopes_.size() < depth_) scopes_.emplace_back().inside = false;
    scopes_.push_back(std::move(own));
  }

  /// Collects the fields of a class, base classes first. Returns false if the class is not a
  /// vertex.
  bool collect(std::size_t id, std::vector<std::string>& fields) const {
    for (auto a = aliases_.find(id); a != aliases_.end(); a = aliases_.find(id)) id = a->second;
    const auto found = classes_.find(id);
    if (found == classes_.end()) return false;
    const auto& c = found->second;
    bool vertex = c.name == "poplar::Vertex";
    for (auto base : c.bases) vertex = collect(base, fields) || vertex;
    for (const auto& m : c.members)
      if (std::find(fields.begin(), fields.end(), m) == fields.end()) fields.push_back(m);
    return vertex;
  }

  // Replaces enumerator values in template arguments: "(ns::Op)1" becomes the enumerator's name.
  std::string withEnumerators(std::string name) const {
    for (auto at = name.find('('); at != std::string::npos; at = name.find('(', at + 1)) {
      auto end = name.find(')', at);
      if (end == std::string::npos) break;
      while (++end < name.size() &&
             (std::isdigit(static_cast<unsigned char>(name[end])) != 0 || name[end] == '-')) {
      }
      const auto known = enumerators_.find(name.substr(at, end - at));
      if (known != enumerators_.end()) name.replace(at, end - at, known->second);
    }
    return name;
  }

  struct Scope {
    bool inside = true;
    std::size_t owner = 0;
    std::string prefix;
    bool enumeration = false;
  };

  Entry entry_;
  bool open_ = false;
  std::size_t depth_ = 0;
  std::vector<Scope> scopes_;
  std::map<std::size_t, Class> classes_;
  std::map<std::size_t, std::size_t> aliases_;  // by entry: what a typedef names
  std::map<std::string, std::string> enumerators_;
};

}  // namespace

std::vector<VertexType> vertexTypesIn(std::istream& debugInfo) {
  return DebugReader(debugInfo).vertexTypes();
}

}  // namespace popir
