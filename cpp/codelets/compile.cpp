// Long, because the host's build of a codelet and the one that counts for a tile share the compiler's
// steps, and differ in what is done to the text between them.
#include "codelets/compile.hpp"

#include <dlfcn.h>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "codelets/cache.hpp"
#include "codelets/counting.hpp"
#include "codelets/debug_info.hpp"
#include "support/host_process.hpp"

namespace popir {
namespace {

using Words = std::vector<std::string>;

// Path of the headers installed with this library.
std::string includeFolder() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&compileCodelets), &info);
  const auto library = std::filesystem::absolute(info.dli_fname ? info.dli_fname : "");
  return (library.parent_path().parent_path() / "include").string();
}

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// The newest clang on PATH, 15 or newer, by the names under which systems install it. Empty if there
// is none.
std::string newestClang() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  std::string best;
  int version = 14;
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
      const auto name = entry.path().filename().string();
      if (name.rfind("clang++-", 0) != 0) continue;
      const auto digits = name.substr(8);
      if (digits.empty() || digits.size() > 3 ||
          digits.find_first_not_of("0123456789") != std::string::npos)
        continue;
      if (std::stoi(digits) > version) {
        version = std::stoi(digits);
        best = entry.path().string();
      }
    }
  }
  return best;
}

Words compiler() {
  const char* given = std::getenv("CXX");
  auto words = splitWords(given ? given : "");
  if (!words.empty()) return words;
  const auto clang = newestClang();
  return {clang.empty() ? "g++" : clang};
}

bool isClang(const Words& compiler) { return compiler.front().find("clang") != std::string::npos; }

bool endsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Assembly of a tile: the C++ of its vertices runs in its place.
bool isAssembly(const std::string& source) {
  return endsWith(source, ".S") || endsWith(source, ".s");
}

// C, which vertices in other files call.
bool isC(const std::string& source) { return endsWith(source, ".c"); }

void replaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// Keeps builtins of a tile as calls: each is an instruction there, and what it does on the host is
// not counted. Calls of those without state may be moved and joined, as a tile's compiler may do.
void keepBuiltins(std::string& text) {
  const std::string name = "tile_builtin_ipu_", inlined = "inline ";
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const auto before = text.find_last_of(";{}", at);
    const auto from = text.rfind(inlined, at);
    if (from == std::string::npos || (before != std::string::npos && from < before)) continue;
    const auto builtin = text.substr(at, text.find('(', at) - at);
    bool state = false;
    for (const auto* part : {"mac", "axpy", "rand", "rmask", "get", "put"})
      state = state || builtin.find(part) != std::string::npos;
    const std::string attribute =
        std::string("__attribute__((noinline") + (state ? ")) " : ", const)) ");
    text.insert(from, attribute);
    at += attribute.size();
  }
}

// Marks what a source converts to rptsize_t, which is an unsigned int on the host: a tile's loop that
// turns so often can be repeated by its counter. What begins a `for` stays as it is.
void markRepeats(std::string& text) {
  const std::string alias = "using rptsize_t = unsigned;";
  const auto at = text.find(alias);
  if (at == std::string::npos) return;
  const auto after = at + alias.size();
  auto rest = text.substr(after);
  static const std::regex cast("\\brptsize_t\\s*\\((?!\\*)");
  rest = std::regex_replace(rest, cast, "popir_as_repeats(");
  static const std::regex variable(
      "([^(\\s]\\s*(?:const\\s+)?)\\brptsize_t\\s+(\\w+)\\s*=\\s*([^;{},]+);");
  rest = std::regex_replace(rest, variable, "$1rptsize_t $2 = popir_as_repeats($3);");
  text = text.substr(0, after) + " extern \"C\" unsigned " + kCodeletRepeats +
         "(unsigned) noexcept __attribute__((const)); static inline constexpr unsigned "
         "popir_as_repeats(unsigned n) { return __builtin_is_constant_evaluated() ? n : " +
         kCodeletRepeats + "(n); }" + rest;
}

// What to do about an error of the compiler that comes from code for a tile alone. Empty for others.
// Where a source calls a builtin of a tile that the host does not have, as a compiler says it: the
// name is not declared, or stands for nothing (popir/TileBuiltins.hpp). Empty if it does not.
std::string missingBuiltin(const std::string& said) {
  const auto wordAt = [](const std::string& line, std::size_t at) {
    auto end = at;
    while (end < line.size() &&
           (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_'))
      ++end;
    return line.substr(at, end - at);
  };
  const auto has = [](const std::string& line, const char* words) {
    return line.find(words) != std::string::npos;
  };
  std::istringstream lines(said);
  for (std::string line, name; std::getline(lines, line);) {
    const std::string builtin = "tile_builtin_ipu_", ours = "the builtin ipu_";
    const auto at = line.find(builtin), named = line.find(ours);
    if (at != std::string::npos) name = wordAt(line, at + builtin.size());
    if (named != std::string::npos) name = wordAt(line, named + ours.size());
    if (has(line, "TileBuiltins.hpp")) continue;  // Not where the source calls it.
    const bool unknown = has(line, "undeclared identifier") || has(line, "was not declared") ||
                         has(line, "undeclared function") || has(line, "implicit declaration"),
               empty = has(line, "in instantiation of") || has(line, "required from here");
    if (name.empty() || !(empty || (unknown && at != std::string::npos))) continue;
    const auto file = line.find(':');
    return line.substr(0, line.find(':', file + 1)) + " calls __builtin_ipu_" + name;
  }
  return "";
}

std::string remedyOf(const std::string& said) {
  const auto builtin = missingBuiltin(said);
  if (!builtin.empty())
    return " for the host: " + builtin +
           ", which it does not have. Give the vertex the same in C++, under #ifndef __IPU__";
  for (const auto* sign : {"instantiated into assembly", "Assembler messages", "in asm", "'asm'",
                           "inline asm", "input reg for constraint", "output reg for constraint"})
    if (said.find(sign) != std::string::npos)
      return " for the host: they hold assembly of a tile. Give them the same in C++, under "
             "#ifndef __IPU__";
  return "";
}

// The remedy where a g++ does not know a part of a vector, such as v.xy.
std::string remedyOfParts(const std::string& said) {
  static const std::regex part("no member named [^a-z]*([xyzw]{2,4}|lo|hi|even|odd)[^a-z]");
  std::smatch found;
  if (!std::regex_search(said, found, part)) return "";
  return " for the host: v." + found[1].str() +
         " is a part of a vector, which only a clang knows: install clang 15 or newer (Debian, "
         "Ubuntu: apt install clang-19)";
}

// Whether the text defines a short vector by its name in the SDK, other than popir's headers do.
bool hasOwnVectors(const std::string& text) {
  static const std::regex defined(
      "\\s*(?:using|struct|class)\\s+NAME\\s*[={:].*|"
      "\\s*typedef\\s+(?!popir::).*\\sNAME\\s*;");
  const auto isPartOfName = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (const std::string name :
       {"float2", "float4", "half2", "half4", "half8", "char2", "char4", "uchar2", "uchar4",
        "short2", "short4", "ushort2", "ushort4", "int2", "int4", "uint2", "uint4"})
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      const auto end = at + name.size();
      if (at == 0 || isPartOfName(text[at - 1]) || end >= text.size() || isPartOfName(text[end]))
        continue;
      // Its statement, as far as the sign behind the name.
      const auto begin = text.find_last_of(";{}\n", at - 1) + 1;
      const auto sign = text.find_first_not_of(" \t\n", end);
      if (sign == std::string::npos) continue;
      const auto statement = text.substr(begin, at - begin) + "NAME" + text[sign];
      if (std::regex_match(statement, defined)) return true;
    }
  return false;
}

// Part of what names a counting build in the cache. Another model is another one.
const std::string kCounting = "counting bundles 7";

class Compiler {
 public:
  explicit Compiler(const Words& options, bool counts = false)
      : command_(compiler()), counts_(counts) {
    c_ = command_;
    append(c_, {"-O2", "-fPIC"});
    for (const auto& option : options)
      if (option.rfind("-std=", 0) != 0 || option.find("++") == std::string::npos)
        c_.push_back(option);
    append(command_, {"-std=gnu++17", "-O2", "-fPIC"});
    for (const auto& option : options)
      if (option.rfind("-std=", 0) != 0 || option.find("++") != std::string::npos)
        command_.push_back(option);
    // Else a clang leaves out classes whose constructors are declared and not defined
    if (isClang(command_)) command_.push_back("-fstandalone-debug");
  }

  /// Preprocesses the source. Attributes that only a tile's compiler knows are removed.
  std::string preprocess(const std::string& source) const {
    auto text = preprocessed(source, {});
    if (isC(source)) return text;
    Words more;
    // Some sources have float2 and its kin of their own for the host: as if ours were there already
    if (hasOwnVectors(text)) more.push_back("-Dpoplar_VectorTypes_hpp");
    // Builtins are functions here. Most sources name none, and some have their own for the host
    if (text.find("__builtin_ipu_") != std::string::npos)
      append(more, {"-include", "popir/TileBuiltins.hpp"});
    if (!more.empty()) text = preprocessed(source, more);
    // A g++ gives names that begin with __builtin the linkage of C
    replaceAll(text, "__builtin_ipu_", "tile_builtin_ipu_");
    static const std::regex targets("target\\s*\\(\\s*\"(supervisor|worker|all)\"\\s*\\)");
    text = std::regex_replace(text, targets, "");
    replaceAll(text, "__attribute__((colossus_vertex))", "");
    // A macro in it would not be known any more. The loop is on the next line.
    static const std::regex unrolled("#pragma[ \\t]+unroll[ \\t]*\\(?[ \\t]*[A-Za-z_][^\\n]*");
    text = std::regex_replace(text, unrolled, "");
    if (!isClang(command_) && text.find("ext_vector_type") != std::string::npos) {
      // A g++ would take such a type as its element alone
      static const std::regex type(
          "typedef\\s+([\\w\\s]+?)\\s+(\\w+)\\s+"
          "__attribute__\\s*\\(\\(\\s*(?:__)?ext_vector_type(?:__)?\\((\\d+)\\)\\s*\\)\\)");
      static const std::regex alias(
          "using\\s+(\\w+)\\s*=\\s*([\\w\\s]+?)\\s+"
          "__attribute__\\s*\\(\\(\\s*(?:__)?ext_vector_type(?:__)?\\((\\d+)\\)\\s*\\)\\)");
      text = std::regex_replace(text, type, "typedef popir::ShortVector<$1, $3> $2");
      text = std::regex_replace(text, alias, "using $1 = popir::ShortVector<$2, $3>");
      if (text.find("ext_vector_type(") != std::string::npos)
        throw poplar::graph_program_compilation_error(
            "codelets of '" + source +
            "' have an ext_vector_type that is no typedef; only a clang knows it: install clang 15 "
            "or newer (Debian, Ubuntu: apt install clang-19)");
    }
    return text;
  }

  std::vector<VertexType> vertexTypes(const std::string& text, const std::string& source) const {
    writeFile(folder_.path("codelets.ii"), text);
    auto words = command_;
    append(words, {"-O0", "-gdwarf-5", "-fno-eliminate-unused-debug-types", "-c",
                   folder_.path("codelets.ii"), "-o", folder_.path("codelets.o")});
    run(words, "/dev/null", source);
    run({"env", "LC_ALL=C", "readelf", "--debug-dump=info", folder_.path("codelets.o")},
        folder_.path("debug"), source);
    std::ifstream debug(folder_.path("debug"));
    return vertexTypesIn(debug);
  }

  /// Compiles each text as one translation unit and links them. The last unit combines their
  /// codelet tables.
  std::string link(const Words& texts, const Words& sources) const {
    const Words how{"-w", "-fvisibility=hidden", "-fno-access-control"};
    auto words = command_;
    append(words, how);
    words.push_back("-shared");
    // Functions of the same name elsewhere must not preempt these
    if (counts_) words.push_back("-Wl,-Bsymbolic-functions");
    std::size_t found = 0;
    Words objects;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      // Of a unit in C there is an object, and a unit in C++ with an empty table.
      const bool c = isC(sources[i]);
      if (c) objects.push_back(objectOfC(texts[i], i, sources[i]));
      const auto types = c ? std::vector<VertexType>() : vertexTypes(texts[i], sources[i]);
      found += types.size();
      const auto unit = folder_.path("unit" + std::to_string(i) + ".ii");
      auto text = (c ? emptyUnit() : texts[i]) + table(types, i) +
                  (i + 1 == texts.size() ? tie(texts.size()) : "");
      if (counts_) {
        keepBuiltins(text);
        markRepeats(text);
        // As on a tile. The field keeps its place: what follows it is a pointer, or the end.
        replaceAll(text, "using FieldSize = std::size_t", "using FieldSize = unsigned int");
      }
      writeFile(unit, text);
      auto whole = command_;
      append(whole, how);
      words.push_back(counts_ ? counting(unit, whole, {unit}, sources[i]) : unit);
    }
    if (found == 0 && objects.empty())
      throw poplar::graph_program_compilation_error(
          "codelets of '" + sources.front() +
          "': no class in it derives from poplar::Vertex; is it behind another macro than "
          "__POPC__, "
          "or a template that nothing instantiates?");
    if (!objects.empty()) append(words, {"-x", "none"});
    append(words, objects);
    append(words, {"-o", folder_.path("library")});
    run(words, "/dev/null", sources.front());
    return readFile(folder_.path("library"));
  }

 private:
  std::string preprocessed(const std::string& source, const Words& more) const {
    auto words = isC(source) ? c_ : command_;
    // The SDK's popc also finds the headers of poplar/ without their folder.
    append(words,
           {"-D__POPC__", "-I" + includeFolder(), "-idirafter", includeFolder() + "/poplar"});
    if (!isC(source)) append(words, {"-include", "popir/CodeletGlue.hpp"});
    append(words, more);
    append(words, {"-E", "-x", isC(source) ? "c" : "c++", source});
    run(words, folder_.path("text"), source);
    return readFile(folder_.path("text"));
  }

  // A unit in C has no vertices, and so what a table of them needs must come from somewhere.
  std::string emptyUnit() const {
    const auto source = folder_.path("empty.cpp");
    writeFile(source, "");
    return preprocessed(source, {});
  }

  std::string objectOfC(const std::string& text, std::size_t number,
                        const std::string& source) const {
    const auto unit = folder_.path("c" + std::to_string(number)), object = unit + ".o";
    auto changed = text;
    replaceAll(changed, "__builtin_ipu_", "tile_builtin_ipu_");
    if (counts_)
      changed += std::string("\nextern unsigned long ") + kCodeletCounter +
                 " __attribute__((visibility(\"hidden\")));\n"
                 "__attribute__((used)) static void* popir_counter(void) { return &" +
                 kCodeletCounter + "; }\n";
    writeFile(unit + ".i", changed);
    auto words = c_;
    append(words, {"-fvisibility=hidden", "-Werror=implicit-function-declaration"});
    Words input{"-x", "cpp-output", unit + ".i"};
    if (counts_) {
      input = {"-x", "ir", counting(unit, words, input, source)};
      words = c_;
    }
    words.push_back("-c");
    append(words, input);
    append(words, {"-o", object});
    run(words, "/dev/null", source);
    return object;
  }

  // The host's vectorizer is off: only what a tile's compiler vectorises is, in a second pass. Loops of
  // a known number of turns are unrolled as at -O3, others never: what else the host would unroll is
  // for its own pipeline.
  std::string counting(const std::string& unit, Words words, const Words& input,
                       const std::string& source) const {
    if (!isClang(command_))
      throw poplar::graph_program_compilation_error(
          "codelets of '" + source + "': '" + command_.front() +
          "' does not tell what a tile would execute; install a clang++ from 15 on, or name one in "
          "the environment's CXX");
    const auto counted = unit + ".ll";
    for (const auto* option : {"-unroll-threshold=300", "-unroll-runtime=false",
                               "-unroll-allow-partial=false", "-unroll-max-upperbound=0"})
      append(words, {"-mllvm", option});
    append(words, {"-S", "-emit-llvm", "-fno-vectorize", "-fno-slp-vectorize", "-fno-math-errno",
                   "-g0", "-o", folder_.path("text")});
    auto once = words;
    append(once, input);
    run(once, "/dev/null", source);
    auto text = readFile(folder_.path("text"));
    if (const auto marked = withVectorLoops(text)) {
      writeFile(counted, *marked);
      append(words, {"-mllvm", "-disable-vector-combine", "-Wno-unused-command-line-argument",
                     "-Wno-pass-failed", "-x", "ir", counted});
      run(words, "/dev/null", source);
      text = readFile(folder_.path("text"));
    }
    writeFile(counted, countingIr(text));
    return counted;
  }

  std::string table(const std::vector<VertexType>& types, std::size_t unit) const {
    std::ostringstream os;
    os << "\n# 1 \"popc's table of vertices\"\n";
    if (counts_) {
      // Used, so that the counter is in a unit without vertices, too.
      os << "extern \"C\" __attribute__((visibility(\"hidden\"))) std::uint64_t " << kCodeletCounter
         << ";\n__attribute__((used)) static void* popir_counter() { return &" << kCodeletCounter
         << "; }\n";
    }
    os << "namespace popir { namespace {\n";
    for (std::size_t i = 0; i < types.size(); ++i) {
      os << "using V" << i << " = ::" << types[i].spelling << ";\n"
         << "const CodeletField fields" << i << "[] = {";
      for (const auto& f : types[i].fields)
        os << "codeletField<decltype(V" << i << "::" << f << ")>(\"" << f
           << "\", __builtin_offsetof(V" << i << ", " << f << ")), ";
      os << "{}};\n";
    }
    os << "} }\nextern \"C\" void popir_codelets_" << unit
       << "(void (*visit)(void*, const popir::Codelet*), void* to) {\n  using namespace popir;\n";
    for (std::size_t i = 0; i < types.size(); ++i)
      os << "  static const Codelet c" << i << " = codeletOf<V" << i << ">(\"" << types[i].name
         << "\", fields" << i << ", " << types[i].fields.size() << ", "
         << (counts_ ? std::string("&") + kCodeletCounter : "nullptr") << ");\n  visit(to, &c" << i
         << ");\n";
    os << "  (void)visit; (void)to;\n}\n";
    return os.str();
  }

  std::string tie(std::size_t units) const {
    std::ostringstream os, calls;
    if (counts_) os << "std::uint64_t " << kCodeletCounter << " = 0;\n";
    const auto arguments = "(void (*visit)(void*, const popir::Codelet*), void* to)";
    for (std::size_t i = 0; i < units; ++i) {
      os << "extern \"C\" void popir_codelets_" << i << arguments << ";\n";
      calls << "  popir_codelets_" << i << "(visit, to);\n";
    }
    os << "extern \"C\" __attribute__((visibility(\"default\"))) void popir_codelets" << arguments
       << " {\n"
       << calls.str() << "}\n";
    return os.str();
  }

  void run(const Words& words, const std::string& output, const std::string& source) const {
    const auto said = folder_.path("said");
    int status = 0;
    try {
      status = runCommand(words, output, said);
    } catch (const poplar::poplar_error& e) {
      throw poplar::graph_program_compilation_error(
          "codelets of '" + source + "': " + e.what() +
          "; install a clang++ from 15 on or a g++, or name a compiler in the environment's CXX");
    }
    if (status == 0) return;
    auto why = readFile(said);
    auto remedy = remedyOf(why);
    if (remedy.empty() && !isClang(command_)) remedy = remedyOfParts(why);
    replaceAll(why, "tile_builtin_ipu_", "__builtin_ipu_");
    throw poplar::graph_program_compilation_error("codelets of '" + source + "' do not compile" +
                                                  remedy + ":\n" + why);
  }

  TemporaryFolder folder_;
  Words command_, c_;  // for C++ and for C, with the options
  bool counts_;
};

/// The same options with __IPU__ where it was not, and without it where it was.
Words otherTarget(Words options) {
  const auto known = std::find(options.begin(), options.end(), "-D__IPU__");
  if (known == options.end())
    options.push_back("-D__IPU__");
  else
    options.erase(known);
  return options;
}

std::string compileText(const CodeletText& text, bool counts = false) {
  const auto how = versionOf(popir::compiler()) + (counts ? kCounting : "");
  return cachedCodelets(text, how, [&] {
    const Compiler compiler(text.options, counts);
    return packCodelets(compiler.link(text.texts, text.sources), text);
  });
}

// Do the sources ask for __IPU__, other than in popir's own headers?
bool asksForTile(const std::string& text) {
  const auto own = includeFolder();
  std::set<std::string> files;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, 2, "# ") != 0) continue;
    const auto from = line.find('"'), to = line.find('"', from + 1);
    if (from == std::string::npos || to == std::string::npos) continue;
    const auto name = line.substr(from + 1, to - from - 1), flags = line.substr(to);
    const bool system = flags.find(" 3") != std::string::npos;
    if (!system && !name.empty() && name[0] != '<' && name.compare(0, own.size(), own) != 0)
      files.insert(name);
  }
  return std::any_of(files.begin(), files.end(), [](const std::string& file) {
    std::ifstream in(file);
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    return content.find("__IPU__") != std::string::npos;
  });
}

// A tile's compiler reinterprets vectors and numbers of as many bits as one another; a clang does so by
// another name.
std::string withBits(const std::string& text) {
  static const std::regex casts(
      "reinterpret_cast<\\s*(?:const\\s+)?(unsigned(?:\\s+int)?|int|u?(?:char|short|int)[24]|(?:"
      "half|"
      "float)[248])\\s*>\\s*\\(");
  auto changed = std::regex_replace(text, casts, "popir_bits<$1>(");
  if (changed == text) return text;
  return "template <class T, class F> inline __attribute__((always_inline)) T popir_bits(const F& "
         "from) { return __builtin_bit_cast(T, from); }\n" +
         changed;
}

// What these sources are where __IPU__ is defined, too; none if that is the same as `texts`, or cannot
// be preprocessed.
Words tileTexts(const Words& sources, const Words& texts, const Words& options) {
  const std::string defined = "-D__IPU__";
  if (std::find(options.begin(), options.end(), defined) != options.end() ||
      std::none_of(texts.begin(), texts.end(), asksForTile))
    return {};
  auto more = options;
  append(more, {defined, "-DPOPIR_OF_TILE"});
  Words found;
  try {
    const Compiler compiler(more);
    for (const auto& s : sources) found.push_back(withBits(compiler.preprocess(s)));
  } catch (const poplar::graph_program_compilation_error&) {
    return {};
  }
  return found == texts ? Words{} : found;
}

/// Compiles with these options. If that fails, with those of the other target: what a source has
/// for a tile alone, or for a model alone, may be what the host can run.
template <class Compile>
std::string forEitherTarget(const Words& options, const Compile& compiled) {
  try {
    return compiled(options);
  } catch (const poplar::graph_program_compilation_error&) {
    try {
      return compiled(otherTarget(options));
    } catch (const poplar::graph_program_compilation_error&) {
    }
    throw;
  }
}

}  // namespace

std::string broughtSource(const std::string& name) {
  return includeFolder() + "/popir/codelets/" + name;
}

std::string compileCodelets(const Words& sources, const Words& options) {
  try {
    for (const auto& s : sources) readFile(s);
    return forEitherTarget(options, [&](const Words& how) {
      const Compiler compiler(how);
      CodeletText text{{}, {}, how};
      for (const auto& s : sources) {
        if (endsWith(s, ".gp")) {
          const auto made = codeletText(readFile(s), s);
          text.sources.insert(text.sources.end(), made.sources.begin(), made.sources.end());
          append(text.texts, made.texts);
        } else if (!isAssembly(s)) {
          text.sources.push_back(s);
          text.texts.push_back(compiler.preprocess(s));
        }
      }
      if (text.texts.empty())
        throw poplar::graph_program_compilation_error(
            "codelets of '" + sources.front() +
            "': a file in assembly of a tile alone, which the host cannot run; give the source in "
            "C++ that declares its vertices, with a compute() for where __IPU__ is not defined");
      if (std::none_of(sources.begin(), sources.end(),
                       [](const std::string& s) { return endsWith(s, ".gp"); }))
        text.tileTexts = tileTexts(text.sources, text.texts, how);
      return compileText(text);
    });
  } catch (const poplar::graph_program_compilation_error&) {
    throw;
  } catch (const poplar::poplar_error& e) {
    throw poplar::graph_program_compilation_error(std::string("codelets: ") + e.what());
  }
}

std::string compileCodeletText(const std::string& source, const Words& options) {
  const std::string name = "source text";
  const TemporaryFolder folder;
  const auto path = folder.path("codelets.cpp");
  writeFile(path, "#line 1 \"" + name + "\"\n" + source);
  return forEitherTarget(options, [&](const Words& how) {
    CodeletText text{{name}, {Compiler(how).preprocess(path)}, how};
    text.tileTexts = tileTexts({path}, text.texts, how);
    // The temporary path differs on each run and must not enter the cache key.
    replaceAll(text.texts[0], path, name);
    for (auto& t : text.tileTexts) replaceAll(t, path, name);
    return compileText(text);
  });
}

std::string compileVariant(CodeletText text, CodeletVariant variant) {
  switch (variant) {
    case CodeletVariant::CheckBounds:
      text.tileTexts.clear();
      for (auto& t : text.texts) replaceAll(t, "kCheckBounds = 0", "kCheckBounds = 1");
      return compileText(text);
    case CodeletVariant::CountTile:
      text.texts = std::move(text.tileTexts);
      text.tileTexts.clear();
      text.options.push_back("-D__IPU__");
      return compileText(text, true);
    case CodeletVariant::Count: text.tileTexts.clear(); return compileText(text, true);
  }
  return {};
}

}  // namespace popir
