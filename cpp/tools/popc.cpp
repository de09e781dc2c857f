// popc: compiles codelets into a .gp file for Graph::addCodelets.
#include <popir/Codelet.hpp>
#include <popir/version.hpp>
#include <poplar/exceptions.hpp>

#include <functional>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "codelets/compile.hpp"
#include "support/host_process.hpp"

namespace {

const char* const kUsage =
    "Usage: popc [OPTION]... SOURCE...\n"
    "Compiles codelets in C++, with what they call in C (.c), or joins .gp files, into a file for\n"
    "Graph::addCodelets.\n"
    "  -o FILE          the file to write (default: a.gp)\n"
    "  -O LEVEL, -I FOLDER, -D NAME[=VALUE], -std=..., -g, -W..., -f..., -U NAME\n"
    "                   as for the compiler: CXX, else the newest clang from 15 on, else g++\n"
    "  --target NAMES   such as cpu,ipu2; the code is the host's, with __IPU__ where cpu is not "
    "named;\n"
    "                   what does not compile so is tried the other way round\n"
    "  --version        versions of the SDK's interface and of popir\n"
    "  --help           this text\n";

int fail(const std::string& why) {
  std::cerr << "popc: " << why << "\n";
  return 1;
}

/// Prints "POPLAR version 3.3.0 (<digits>)". Build scripts use the text in parentheses to
/// distinguish compilers, and as part of the names of .gp files.
void printVersion() {
  std::ostringstream digits;
  digits << std::hex << std::setw(16) << std::setfill('0')
         << std::hash<std::string>()(popir_version() +
                                     ("/" + std::to_string(popir::kCodeletFormat)));
  std::cout << "POPLAR version 3.3.0 (" << digits.str() << ")\npopir version " << popir_version()
            << "\n";
}

/// The names between commas.
std::vector<std::string> listed(const std::string& names) {
  std::vector<std::string> all;
  std::istringstream rest(names);
  for (std::string name; std::getline(rest, name, ',');) all.push_back(name);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> sources, options;
  std::string output = "a.gp";
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    const auto valueOf = [&](const std::string& name, std::string& value) {
      if (word == name && i + 1 < words.size())
        value = words[++i];
      else if (word.rfind(name + "=", 0) == 0)
        value = word.substr(name.size() + 1);
      else
        return false;
      return true;
    };
    std::string targets;
    if (word == "--help" || word == "-h") {
      std::cout << kUsage;
      return 0;
    }
    if (word == "--version") {
      printVersion();
      return 0;
    }
    if (valueOf("-o", output)) continue;
    if (valueOf("--target", targets) || valueOf("-target", targets)) {
      for (const auto& name : listed(targets))
        if (name != "cpu" && name != "ipu1" && name != "ipu2" && name != "ipu21")
          return fail("target '" + name + "' given, expected one or more of cpu, ipu1, ipu2 and " +
                      "ipu21, with commas between them");
      if (targets.find("cpu") == std::string::npos) options.push_back("-D__IPU__");
      continue;
    }
    if ((word == "-I" || word == "-D" || word == "-U" || word == "-O") && i + 1 < words.size())
      options.push_back(word + words[++i]);
    else if (word.size() > 1 && word[0] == '-' && word[1] != '-' &&
             std::string("IDUOWfgs").find(word[1]) != std::string::npos)
      options.push_back(word);
    else if (word[0] == '-')
      return fail("unknown option " + word + "\n" + kUsage);
    else
      sources.push_back(word);
  }
  for (const auto& s : sources)
    if (s.size() > 2 &&
        (s.compare(s.size() - 2, 2, ".S") == 0 || s.compare(s.size() - 2, 2, ".s") == 0))
      std::cerr
          << "popc: '" << s
          << "' is assembly of a tile and is left out; on the host its vertices run their C++\n";
  if (sources.empty()) return fail(std::string("no source given\n") + kUsage);
  try {
    popir::writeFile(output, popir::compileCodelets(sources, options));
  } catch (const poplar::poplar_error& e) {
    return fail(e.what());
  }
  return 0;
}
