// Runs external commands; reads and writes files; temporary folders.
#ifndef popir_support_host_process_hpp
#define popir_support_host_process_hpp

#include <string>
#include <vector>

namespace popir {

/// A new, empty folder. The destructor removes it with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

/// Runs words[0], found on PATH, without a shell. The other words are its arguments. Its stdout and
/// stderr go to the two files named. Returns the exit status, or -1 if a signal ended the command.
/// \throws poplar::poplar_error if the command cannot be started.
int runCommand(const std::vector<std::string>& words, const std::string& standardOutput,
               const std::string& standardError);

/// \throws poplar::poplar_error, naming the file, if it cannot be read or written.
__attribute__((visibility("default"))) std::string readFile(const std::string& path);
__attribute__((visibility("default"))) void writeFile(const std::string& path,
                                                      const std::string& bytes);

/// Splits a command line into words at blanks. Quotes (' or ") keep blanks inside a word. There are
/// no escapes.
std::vector<std::string> splitWords(const std::string& text);

}  // namespace popir

#endif
