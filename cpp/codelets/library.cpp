#include "codelets/library.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <regex>
#include <sstream>

#include "codelets/compile.hpp"
#include "codelets/tile_number.hpp"
#include "support/archive.hpp"
#include "support/crash.hpp"
#include "support/host_process.hpp"

namespace popir {
namespace {

const std::string kMagic = "popir codelets\n";

struct Unpacked {
  std::string library, text;
};

Unpacked unpack(const std::string& bytes, const std::string& origin) {
  const auto refuse = [&](const std::string& why) {
    throw poplar::graph_object_load_error("codelets of '" + origin + "': " + why);
  };
  if (bytes.compare(0, kMagic.size(), kMagic) != 0)
    refuse("this is not a .gp file of popir's popc; compile the sources with it");
  std::size_t at = kMagic.size();
  const auto line = [&] {
    const auto end = std::min(bytes.find('\n', at), bytes.size());
    auto text = bytes.substr(at, end - at);
    at = std::min(end + 1, bytes.size());
    return text;
  };
  const auto format = line();
  if (format != std::to_string(kCodeletFormat))
    refuse("the file has format '" + format.substr(0, 20) + "', this popir reads " +
           std::to_string(kCodeletFormat) + "; compile the sources again with its popc");
  const auto size = line(), textSize = line(), hash = line();
  const auto content = bytes.substr(at);
  const auto damaged = [&](const std::string& how) {
    refuse("the file is damaged: " + how + "; compile the sources again with popc");
  };
  const auto number = [&](const std::string& written) {
    const auto found = std::strtoull(written.c_str(), nullptr, 10);
    if (std::to_string(found) != written) damaged("'" + written.substr(0, 20) + "' is no size");
    return static_cast<std::size_t>(found);
  };
  const auto n = number(size), all = n + number(textSize);
  if (n > all || all != content.size())
    damaged("it has " + std::to_string(content.size()) + " bytes of content, expected " +
            std::to_string(all));
  if (hash != hashOf(content)) damaged("its content is not what popc wrote");
  Unpacked found = {content.substr(0, n), content.substr(n)};
  try {
    CodeletText text;
    Reader reader(found.text);
    reader.get(text);
    if (reader.left() > 0) throw DamagedArchive("more follows");
  } catch (const DamagedArchive& e) {
    damaged(std::string("what it was made from: ") + e.what());
  }
  return found;
}

// " at file:line, " of the class or function `name` in preprocessed texts; ", " if none has it.
std::string placeOf(const std::string& name, const std::vector<std::string>& texts) {
  const std::regex marker("# ([0-9]+) \"([^\"]*)\".*");
  const std::regex declared("\\b(class|struct)\\s+([A-Za-z_0-9:]*::)?" + name +
                            "(<[^>]*>)?\\s*(final\\s*)?([:{]|$)");
  constexpr std::size_t kLongest = 1000;  // a regex takes stack for each character
  for (const auto& text : texts) {
    std::istringstream lines(text);
    std::string line, file;
    std::size_t number = 0;
    std::smatch found;
    for (; std::getline(lines, line); ++number) {
      if (line.size() > kLongest) continue;
      if (std::regex_match(line, found, marker)) {
        number = std::stoul(found[1]) - 1;
        file = found[2];
      } else if (std::regex_search(line, declared)) {
        return " at " + file + ":" + std::to_string(number) + ", ";
      }
    }
  }
  return ", ";
}

// What is said of a library that has an undefined symbol: mostly the compute() of a vertex whose code
// is assembly of a tile in another file.
std::string explained(const std::string& error, const std::vector<std::string>& texts) {
  const std::string words = "undefined symbol: ";
  const auto at = error.find(words);
  if (at == std::string::npos) return error;
  const auto symbol = error.substr(at + words.size());
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  const std::string name = status == 0 ? demangled.get() : symbol;
  const std::string compute = "::compute()";
  const auto end = name.rfind(compute);
  if (end == std::string::npos)
    return name + " is used and nowhere defined; give it a body in the sources of the codelets";
  auto vertex = name.substr(0, name.find('<'));
  if (vertex.size() > end) vertex.resize(end);
  vertex = vertex.substr(vertex.rfind(':') + 1);
  return "'" + name.substr(0, end) + "'" + placeOf(vertex, texts) +
         "has a compute() that is nowhere defined. If it is assembly of a tile, which the host "
         "cannot "
         "run, give it the same in C++, under #ifndef __IPU__";
}

// By where a library with one is loaded.
struct TileSetters {
  std::mutex mutex;
  std::map<const void*, TileSetter> all;
};
TileSetters& tileSetters() {
  static auto* setters = new TileSetters;  // libraries may be closed after static objects
  return *setters;
}

std::shared_ptr<void> load(const std::string& library, const std::string& origin,
                           const std::vector<std::string>& texts) {
  // A new path each time: dlopen returns the loaded library for a known path.
  const TemporaryFolder folder;
  const auto path = folder.path("codelets.so");
  writeFile(path, library);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const std::string said = dlerror();
    throw poplar::link_error(
        "codelets of '" + origin + "' cannot be loaded: " + explained(said, texts), said);
  }
  link_map* map = nullptr;
  const bool found = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0;
  const void* base = found ? reinterpret_cast<const void*>(map->l_addr) : nullptr;
  nameInCrashes(base);
  if (const auto setter = reinterpret_cast<TileSetter>(dlsym(handle, kTileSetter))) {
    const std::lock_guard<std::mutex> lock(tileSetters().mutex);
    tileSetters().all[base] = setter;
  }
  return std::shared_ptr<void>(handle, [base](void* h) {
    forgetInCrashes(base);
    {
      const std::lock_guard<std::mutex> lock(tileSetters().mutex);
      tileSetters().all.erase(base);
    }
    dlclose(h);
  });
}

// Poplar's spelling of a built-in type, for example "unsigned short" for "short unsigned int".
std::string builtinType(const std::vector<std::string>& words) {
  const auto count = [&](const char* w) { return std::count(words.begin(), words.end(), w); };
  std::string base = "int";
  if (count("char")) base = "char";
  if (count("short")) base = "short";
  if (count("long") == 1) base = "long";
  if (count("long") > 1) base = "long long";
  if (count("double")) base = count("long") ? "long double" : "double";
  if (count("unsigned")) return "unsigned " + base;
  return count("signed") && base == "char" ? "signed char" : base;
}

}  // namespace

TileSetter tileSetterOf(const Codelet& codelet) {
  Dl_info info;
  if (dladdr(&codelet, &info) == 0) return nullptr;
  const std::lock_guard<std::mutex> lock(tileSetters().mutex);
  const auto found = tileSetters().all.find(info.dli_fbase);
  return found == tileSetters().all.end() ? nullptr : found->second;
}

std::string hashOf(const std::string& bytes) {
  std::uint64_t h = 14695981039346656037ull;
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(h));
  return text;
}

CodeletText codeletText(const std::string& bytes, const std::string& origin) {
  const auto unpacked = unpack(bytes, origin);
  CodeletText text;
  Reader reader(unpacked.text);
  reader.get(text);
  return text;
}

std::string packCodelets(const std::string& library, const CodeletText& text) {
  Writer writer;
  writer.put(text);
  const auto content = library + writer.bytes();
  return kMagic + std::to_string(kCodeletFormat) + "\n" + std::to_string(library.size()) + "\n" +
         std::to_string(writer.bytes().size()) + "\n" + hashOf(content) + "\n" + content;
}

bool isIntact(const std::string& bytes) {
  try {
    unpack(bytes, "");
    return true;
  } catch (const poplar::poplar_error&) {
    return false;
  }
}

std::string canonicalVertexType(const std::string& name) {
  static const std::vector<std::string> builtin = {"unsigned", "signed", "short", "long",
                                                   "int",      "char",   "double"};
  const auto inWord = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::string out;
  std::vector<std::string> type;
  const auto flush = [&] {
    if (!type.empty()) out += builtinType(type);
    type.clear();
  };
  for (std::size_t i = 0; i < name.size();) {
    if (name[i] == ' ') {
      ++i;
    } else if (!inWord(name[i])) {
      flush();
      out += name[i++];
    } else {
      std::size_t end = i;
      while (end < name.size() && inWord(name[end])) ++end;
      auto word = name.substr(i, end - i);
      i = end;
      if (std::find(builtin.begin(), builtin.end(), word) != builtin.end()) {
        type.push_back(word);
        continue;
      }
      flush();
      if (std::isdigit(static_cast<unsigned char>(word[0])))
        word.erase(word.find_last_not_of("uUlL") + 1);
      out += word == "_Float16" ? "half" : word;
    }
  }
  flush();
  return out;
}

namespace {

// Loads a shared library and returns its codelets. It stays loaded while any of them is used.
std::map<std::string, std::shared_ptr<const Codelet>> codeletsOf(
    const std::string& bytes, const std::string& origin, const std::vector<std::string>& texts) {
  const auto library = load(bytes, origin, texts);
  const auto visit =
      reinterpret_cast<void (*)(CodeletVisitor, void*)>(dlsym(library.get(), "popir_codelets"));
  if (visit == nullptr)
    throw poplar::graph_program_compilation_error("codelets of '" + origin +
                                                  "': the file has no table of codelets");
  std::vector<const Codelet*> found;
  visit([](void* to,
           const Codelet* c) { static_cast<std::vector<const Codelet*>*>(to)->push_back(c); },
        &found);
  std::map<std::string, std::shared_ptr<const Codelet>> table;
  for (const auto* c : found)
    if (c->compute != nullptr) table.emplace(c->name, std::shared_ptr<const Codelet>(library, c));
  return table;
}

bool isLaidOutAlike(const Codelet& a, const Codelet& b) {
  const auto isAlike = [](const CodeletField& x, const CodeletField& y) {
    return std::string(x.name) == y.name && x.offset == y.offset && x.bytes == y.bytes &&
           x.direction == y.direction && x.shape == y.shape && x.type == y.type;
  };
  return a.kind == b.kind && a.bytes == b.bytes && a.numFields == b.numFields &&
         std::equal(a.fields, a.fields + a.numFields, b.fields, isAlike);
}

}  // namespace

bool CodeletLibrary::has(const std::string& key, const std::string& stamp) const {
  const auto known = stamps_.find(key);
  return known != stamps_.end() && known->second == stamp;
}

bool CodeletLibrary::addCompiled(const std::string& key, const std::string& stamp,
                                 const std::string& bytes, const std::string& origin) {
  if (has(key, stamp)) return false;
  auto table = codeletsOf(unpack(bytes, origin).library, origin, codeletText(bytes, origin).texts);
  const bool replaces = stamps_.count(key) > 0;
  for (const auto& [name, codelet] : table) {
    fileOf_[codelet.get()] = files_.size();
    if (replaces)
      codelets_[name] = codelet;
    else
      codelets_.emplace(name, codelet);
  }
  files_.push_back({key, stamp, origin, bytes});
  tables_.push_back(std::move(table));
  stamps_[key] = stamp;
  return true;
}

const CodeletLibrary::Table& CodeletLibrary::variants(std::size_t file,
                                                      CodeletVariant variant) const {
  auto& table = variants_[{file, variant}];
  if (table.empty()) {
    const auto& f = files_[file];
    const auto text = codeletText(f.bytes, f.origin);
    table =
        codeletsOf(unpack(compileVariant(text, variant), f.origin).library, f.origin, text.texts);
  }
  return table;
}

// The codelet as a tile's compiler has it, which defines __IPU__. Null if the sources have nothing for
// that, or what the host cannot run, or a vertex with other fields: the engine has filled in the
// fields of the host's.
std::shared_ptr<const Codelet> CodeletLibrary::ofTile(const Codelet& codelet) const {
  const auto file = fileOf(codelet);
  if (hostOnly_.count(file)) return nullptr;
  try {
    if (!codeletText(files_[file].bytes, files_[file].origin).tileTexts.empty()) {
      const auto& table = variants(file, CodeletVariant::CountTile);
      const auto found = table.find(codelet.name);
      return found != table.end() && isLaidOutAlike(*found->second, codelet) ? found->second
                                                                             : nullptr;
    }
  } catch (const poplar::graph_program_compilation_error&) {
  }
  hostOnly_.insert(file);
  return nullptr;
}

std::shared_ptr<const Codelet> CodeletLibrary::variant(const Codelet& codelet,
                                                       CodeletVariant variant) const {
  if (variant == CodeletVariant::Count)
    if (auto tile = ofTile(codelet)) return tile;
  const auto file = fileOf(codelet);
  const auto& table = variants(file, variant);
  const auto found = table.find(codelet.name);
  if (found == table.end())
    throw poplar::graph_program_compilation_error(
        "codelets of '" + files_[file].origin + "': the sources in the file have no vertex '" +
        codelet.name + "', which its machine code has; compile them again with popc");
  return found->second;
}

bool CodeletLibrary::knows(const std::string& name) const {
  return codelets_.count(canonicalVertexType(name)) > 0;
}

std::shared_ptr<const Codelet> CodeletLibrary::find(const std::string& name) const {
  const auto found = codelets_.find(canonicalVertexType(name));
  if (found != codelets_.end()) return found->second;
  std::string known;
  for (const auto& c : codelets_) known += (known.empty() ? "" : ", ") + c.first;
  throw poplar::unknown_vertex_type(
      "Graph::addVertex: no codelet '" + name + "'; this graph has " +
      (known.empty() ? "none, use Graph::addCodelets" : known) +
      (name.find('<') != std::string::npos
           ? ". A template exists where its source instantiates it: template class Name<float>;"
           : ""));
}

}  // namespace popir
