// Tables of textual options (engine, device and library functions), and the check of given options
// against a table.
#ifndef popir_support_option_table_hpp
#define popir_support_option_table_hpp

#include <poplar/OptionFlags.hpp>

#include <string>
#include <vector>

namespace popir {

/// The most threads that an option or OMP_NUM_THREADS may ask for.
constexpr unsigned kMostThreads = 1024;

struct OptionRow {
  /// Acts: the option has an effect. Refused: only its default value is accepted. NoMeaning: it is
  /// accepted and has no effect.
  enum class Kind { Acts, Refused, NoMeaning };
  enum class Type {
    Flag,
    Threads,
    Microseconds,
    Whole,
    Share,
    Number,
    Text,
    Pattern,
    Choice,
    Names
  };
  const char* name;
  Kind kind;
  Type type;
  const char* otherwise;  // the default value; "" if there is none
  const char* reason;     // what it does, or why it is refused or has no effect
  /// Of a Choice, separated by blanks; those that Names are of, by commas.
  const char* choices = "";
  /// NoMeaning only: true if no value of the option asks for something that is missing here; then
  /// setting it gives no note.
  bool neutral = false;
};

/// The values that the option takes, for error messages: "true or false", "a number from 1 to
/// 1024".
__attribute__((visibility("default"))) std::string typeText(const OptionRow& option);

/// The names in a value of an option of type Names: "a, b c" has "a" and "b c".
__attribute__((visibility("default"))) std::vector<std::string> namesIn(const std::string& value);

/// The value of an option of type Flag; `otherwise` if it is not set.
bool flagFrom(const poplar::OptionFlags& options, const char* name, bool otherwise = true);

/// Whether an option of type Names has the name.
bool isNamed(const poplar::OptionFlags& options, const char* option, const std::string& name);

/// Checks `options` against `table`. Returns a note for each option that is set and has no effect.
/// `who` is the name of the function or object in messages.
/// \throws poplar::invalid_option for an unknown name, a value of the wrong type, or a value of a
/// refused option other than its default.
__attribute__((visibility("default"))) std::vector<std::string> checkOptions(
    const char* who, const std::vector<OptionRow>& table, const poplar::OptionFlags& options);

/// Device options other than the figures of the machine model. Defined in target.cpp.
__attribute__((visibility("default"))) const std::vector<OptionRow>& deviceOptionTable();

/// Reports a note of checkOptions(). By default each note goes to stderr once per process;
/// setOptionNotes() installs another function.
void noteOption(const std::string& note);
__attribute__((visibility("default"))) void setOptionNotes(void (*say)(const std::string&));

/// " Did you mean 'a'?", with a leading blank, for the name closest to `word`. "" if no name is
/// close.
__attribute__((visibility("default"))) std::string didYouMean(
    const std::string& word, const std::vector<std::string>& names);

}  // namespace popir

#endif
