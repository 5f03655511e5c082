// ungate version
#include "cli/version.h"

#include "cli/command.h"

namespace ungate::cli {

void write_error(JsonWriter& w, const Error& error) {
  std::string_view next = error.next.empty() ? hint_of(error.code) : std::string_view(error.next);
  w.begin_object().field("code", name_of(error.code)).field("what", error.what);
  w.string_or_null("where", error.where).string_or_null("next", next);
  w.field("exit", static_cast<int>(exit_of(error.code))).end_object();
}

namespace {

std::string render(const Look& look) {
  if (look.format == Format::human) return std::string("ungate ") + kVersion + '\n';
  JsonWriter w(2);
  w.begin_object().field("schema", "ungate-version").field("version", 1).field("tool", kVersion);
  w.key("errors").begin_array().end_array().end_object();
  return w.take() + '\n';
}

}  // namespace

Command version_command(CLI::App& top) {
  CLI::App* app = top.add_subcommand("version", "The program's version.")->group(kAbout);
  auto output = std::make_shared<OutputFlags>();
  declare(*app, *output, {Format::human, Format::json});
  app->add_flag_callback(
         "--json", [output] { output->formats = {"json"}; }, "The same as --format json.")
      ->group(kOutputGroup);
  return {app, output, [](Console& console) -> Result<Exit> {
            if (auto status = console.show(render); !status) return std::unexpected(status.error());
            return Exit::ok;
          }};
}

}  // namespace ungate::cli
