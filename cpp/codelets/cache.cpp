#include "codelets/cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <poplar/exceptions.hpp>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "support/archive.hpp"
#include "support/host_process.hpp"

namespace popir {
namespace {

namespace fs = std::filesystem;

fs::path folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  const auto given = variable("POPIR_CACHE"), caches = variable("XDG_CACHE_HOME"),
             home = variable("HOME");
  if (!given.empty()) return fs::path(given) / "codelets";
  if (!caches.empty()) return fs::path(caches) / "popir" / "codelets";
  return home.empty() ? fs::path() : fs::path(home) / ".cache" / "popir" / "codelets";
}

std::string bytesOf(const CodeletText& text) {
  Writer writer;
  writer.put(text);
  return writer.bytes();
}

/// Cached files are loaded as native code, so another user must not be able to write them. Nothing
/// is checked if `path` does not exist.
/// \throws poplar::graph_program_compilation_error if `path` belongs to another user or is writable
/// by all
void requireOwn(const fs::path& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return;
  std::string why;
  if (status.st_uid != geteuid())
    why = "belongs to the user " + std::to_string(status.st_uid) + ", and this process is " +
          std::to_string(geteuid()) + "'s";
  else if (status.st_mode & S_IWOTH)
    why = "can be written by everybody";
  else
    return;
  throw poplar::graph_program_compilation_error(
      "The cache of codelets is not used: '" + path.string() + "' " + why +
      ", so that code of others could be run. Set POPIR_CACHE to a folder of your own.");
}

/// fsync() of a file, or of a folder's entries.
void sync(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

// True if the file holds the result for `text`. The name may be a hash collision, and the file may
// be truncated.
bool holds(const std::string& file, const std::string& text) {
  return file.size() > text.size() &&
         file.compare(file.size() - text.size(), text.size(), text) == 0 && isIntact(file);
}

void keep(const fs::path& place, const std::string& bytes) {
  static std::atomic<unsigned> count{0};
  const auto part =
      place.string() + "." + std::to_string(getpid()) + "." + std::to_string(count++) + ".part";
  std::error_code failed;
  fs::create_directories(place.parent_path(), failed);
  try {
    writeFile(part, bytes);
    sync(part);
    fs::rename(part, place, failed);
    sync(place.parent_path());
  } catch (const poplar::poplar_error&) {
    failed = std::make_error_code(std::errc::io_error);
  }
  if (failed) fs::remove(part, failed);
}

}  // namespace

std::string versionOf(const std::vector<std::string>& compiler) {
  static std::mutex mutex;
  static std::map<std::vector<std::string>, std::string> known;
  const std::lock_guard<std::mutex> lock(mutex);
  auto& version = known[compiler];
  if (version.empty()) {
    const TemporaryFolder temporary;
    auto words = compiler;
    words.push_back("--version");
    runCommand(words, temporary.path("version"), "/dev/null");
    for (const auto& word : compiler) version += word + " ";
    version += readFile(temporary.path("version"));
  }
  return version;
}

std::string cachedCodelets(const CodeletText& text, const std::string& how,
                           const std::function<std::string()>& make) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const auto content = bytesOf(text);
  const auto key = content + how + std::to_string(kCodeletFormat);
  {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = known.find(key);
    if (found != known.end()) return found->second;
  }
  const auto place = folder().empty() ? fs::path() : folder() / (hashOf(key) + ".gp");
  std::string bytes;
  std::error_code ignored;
  if (!place.empty()) {
    requireOwn(place.parent_path());
    requireOwn(place);
  }
  if (fs::is_regular_file(place, ignored)) {
    try {
      bytes = readFile(place.string());
    } catch (const poplar::poplar_error&) {
      bytes.clear();
    }
    if (!holds(bytes, content)) bytes.clear();
  }
  if (bytes.empty()) {
    bytes = make();
    if (!place.empty()) keep(place, bytes);
  }
  const std::lock_guard<std::mutex> lock(mutex);
  return known[key] = std::move(bytes);
}

}  // namespace popir
