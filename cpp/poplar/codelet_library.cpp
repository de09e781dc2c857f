#include "poplar/codelet_library.hpp"

#include <dlfcn.h>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "poplar/host_process.hpp"

namespace popir {
namespace {

const std::string kMagic = "popir codelets\n";

std::string hashOf(const std::string& bytes) {
  std::uint64_t h = 14695981039346656037ull;
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(h));
  return text;
}

// The shared library inside a .gp file.
std::string unpack(const std::string& bytes, const std::string& origin) {
  const auto refuse = [&](const std::string& why) {
    throw poplar::graph_program_compilation_error("codelets of '" + origin + "': " + why);
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
  const auto format = line(), size = line(), hash = line();
  if (format != std::to_string(kCodeletFormat))
    refuse("the file has format '" + format.substr(0, 20) + "', this popir reads " +
           std::to_string(kCodeletFormat) + "; compile the sources again with its popc");
  auto library = bytes.substr(at);
  if (size != std::to_string(library.size()) || hash != hashOf(library))
    refuse("the file is damaged: " + std::to_string(library.size()) + " bytes, expected " +
           size.substr(0, 20) + ", or other content");
  return library;
}

std::shared_ptr<void> load(const std::string& library, const std::string& origin) {
  const TemporaryFolder folder;  // a new name each time, or dlopen would give an older library
  const auto path = folder.path("codelets.so");
  writeFile(path, library);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    throw poplar::graph_program_compilation_error("codelets of '" + origin +
                                                  "' cannot be loaded: " + dlerror());
  return std::shared_ptr<void>(handle, [](void* h) { dlclose(h); });
}

// "short unsigned int" and its like, by Poplar's names.
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

std::string packCodelets(const std::string& library) {
  return kMagic + std::to_string(kCodeletFormat) + "\n" + std::to_string(library.size()) + "\n" +
         hashOf(library) + "\n" + library;
}

std::string canonicalVertexType(const std::string& name) {
  static const std::set<std::string> builtin = {"unsigned", "signed", "short", "long",
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
      if (builtin.count(word)) {
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

bool CodeletLibrary::addCompiled(const std::string& key, const std::string& bytes,
                                 const std::string& origin) {
  if (has(key)) return false;
  const auto library = load(unpack(bytes, origin), origin);
  const auto visit =
      reinterpret_cast<void (*)(CodeletVisitor, void*)>(dlsym(library.get(), "popir_codelets"));
  if (visit == nullptr)
    throw poplar::graph_program_compilation_error("codelets of '" + origin +
                                                  "': the file has no table of codelets");
  std::vector<const Codelet*> found;
  visit([](void* to,
           const Codelet* c) { static_cast<std::vector<const Codelet*>*>(to)->push_back(c); },
        &found);
  for (const auto* c : found)
    if (c->compute != nullptr)
      codelets_.emplace(c->name, std::shared_ptr<const Codelet>(library, c));
  keys_.insert(key);
  return true;
}

std::shared_ptr<const Codelet> CodeletLibrary::find(const std::string& name) const {
  const auto found = codelets_.find(canonicalVertexType(name));
  if (found != codelets_.end()) return found->second;
  std::string known;
  for (const auto& c : codelets_) known += (known.empty() ? "" : ", ") + c.first;
  throw poplar::graph_connection_error(
      "Graph::addVertex: no codelet '" + name + "'; this graph has " +
      (known.empty() ? "none, use Graph::addCodelets" : known) +
      (name.find('<') != std::string::npos
           ? ". A template exists where its source instantiates it: template class Name<float>;"
           : ""));
}

}  // namespace popir
