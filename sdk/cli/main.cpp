#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>

#include "penstock/error.h"
#include "sdk/cli/arguments.h"
#include "sdk/cli/connection.h"

// The one file that knows CLI11.
namespace penstock::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  penstock up --devices 4                       a pool on this machine\n"
    "  penstock train --model convnet --devices 2    Fashion-MNIST on the pool\n"
    "  penstock train --local                        the same without a pool\n"
    "  penstock explain --model mlp --stage partition\n"
    "  penstock convert model.safetensors gpt.npz --from gpt2\n"
    "\n"
    "PENSTOCK_URL and PENSTOCK_KEY name gateway and API key.\n"
    "Exit codes: 0 done, 1 failed, 2 wrong command line, 3 no connection, 4 refused,\n"
    "130 stopped by Ctrl-C (the lease is released, the bill printed).";

struct Chosen {
  std::function<ExitCode()> run;
  bool json = false;
};

void add_connection(CLI::App& command, Connection& connection) {
  command.add_option("--url", connection.url, "gateway; default: PENSTOCK_URL");
  command.add_option("--key", connection.key, "API key; default: PENSTOCK_KEY");
  command.add_flag("--local", connection.local, "start a private pool for this command");
  command.add_option("--threads", connection.threads, "per device, with --local")
      ->capture_default_str();
  command.add_option("--memory", connection.memory, "per device, with --local")
      ->capture_default_str();
  command.add_option("--trace", connection.trace,
                     "file for begin and end of every instruction, with --local");
}

void add_model(CLI::App& command, ModelArguments& model) {
  command.add_option("--model", model.model, "mlp or convnet")->capture_default_str();
  command.add_option("--batch", model.batch, "rows of a batch, over all devices")
      ->capture_default_str();
  command.add_option("--devices", model.devices, "devices to lease")->capture_default_str();
  command.add_option("--micro", model.micro, "parts that each device cuts its rows into")
      ->capture_default_str();
  command.add_option("--optimizer", model.optimizer, "adamw, adam, sgd or lion")
      ->capture_default_str();
  command.add_option("--learning-rate", model.learning_rate, "default: the optimizer's own");
  command.add_option("--seed", model.seed, "of weights and order")->capture_default_str();
}

void add_up(CLI::App& app, UpArguments& a, Chosen& chosen) {
  auto* up = app.add_subcommand("up", "Start a gateway and devices on this machine; Ctrl-C stops.");
  up->add_option("--devices", a.devices, "CPU devices")->capture_default_str();
  up->add_option("--threads", a.threads, "per device")->capture_default_str();
  up->add_option("--memory", a.memory, "per device, such as 2GiB")->capture_default_str();
  up->add_option("--listen", a.listen, "host:port for clients and executors")
      ->capture_default_str();
  up->add_option("--http", a.http, "host:port of /healthz");
  up->add_option("--data", a.data, "folder of the state; default: ~/.local/state/penstock");
  up->add_option("--trace", a.trace,
                 "file for begin and end of every instruction (Chrome trace), one per device");
  up->add_flag("--json", a.json, "print one JSON line instead of text");
  up->footer(
      "Example:\n  penstock up --devices 2 --memory 1GiB --listen 0.0.0.0:7070\n"
      "It prints the two lines that a client's shell needs.");
  up->callback([&] { chosen = {[&a] { return run_up(a); }, a.json}; });
}

void add_train(CLI::App& app, TrainArguments& a, Chosen& chosen) {
  auto* train = app.add_subcommand("train", "Train a classifier of Fashion-MNIST on the pool.");
  add_model(*train, a.model);
  train->add_option("--epochs", a.epochs, "times through the training set")->capture_default_str();
  train->add_option("--rows", a.rows, "train on the first rows only; 0: all 60,000")
      ->capture_default_str();
  train->add_option("--lane", a.lane, "automatic, direct or relay")->capture_default_str();
  add_connection(*train, a.connection);
  train->add_flag("--json", a.json, "one JSON object per line");
  train->footer(
      "Examples:\n  penstock train --model convnet --epochs 2 --devices 2\n"
      "  penstock train --local --model mlp --rows 6000 --json\n"
      "Prints the accuracy on the 10,000 test images after each epoch, and the bill.");
  train->callback([&] { chosen = {[&a] { return run_train(a); }, a.json}; });
}

void add_explain(CLI::App& app, ExplainArguments& a, Chosen& chosen) {
  auto* explain = app.add_subcommand("explain", "Print every stage of compiling a program.");
  add_model(*explain, a.model);
  explain->add_option("--program", a.program, "a program's text form instead of a model");
  explain->add_option("--plan", a.plan, "a plan's text form; default: data over the devices");
  explain->add_option("--stage", a.stage, "print this stage only, such as partition");
  explain->add_option("--memory", a.memory, "of each device")->capture_default_str();
  explain->footer(
      "Examples:\n  penstock explain --model mlp --devices 2\n"
      "  penstock explain --program net.txt --stage place\nNeeds no gateway.");
  explain->callback([&] { chosen = {[&a] { return run_explain(a); }, false}; });
}

void add_convert(CLI::App& app, ConvertArguments& a, Chosen& chosen) {
  auto* convert = app.add_subcommand(
      "convert", "Convert a file of weights: its format, its names, how its matrices lie.");
  convert->add_option("in", a.input, ".safetensors, .safetensors.index.json, .npz, .npy, .bin")
      ->required();
  convert->add_option("out", a.output, ".safetensors, .npz or .npy; without it: list the tensors");
  convert->add_option("--from", a.from,
                      "names in IN are this family's, and become Penstock's: gpt2, llama, "
                      "meta-llama or bert");
  convert->add_option("--to", a.to,
                      "names in OUT become this family's; IN, or --from, has Penstock's");
  convert->add_option("--rotary", a.rotary, "how Penstock's llama lies: half-split or interleaved")
      ->capture_default_str();
  convert->add_option("--heads", a.heads, "of a llama whose file does not say");
  convert->add_option("--kv-heads", a.kv_heads, "of a llama whose file does not say");
  convert->add_flag("--drop-surplus", a.drop_surplus, "leave out tensors that the family lacks");
  convert->add_flag("--compress", a.compress, "deflate the arrays of an .npz");
  convert->add_flag("--json", a.json, "one JSON object per line");
  convert->footer(
      "Examples:\n"
      "  penstock convert model.safetensors                            list what is in a file\n"
      "  penstock convert model.safetensors gpt.safetensors --from gpt2\n"
      "  penstock convert stories260K.bin story.npz --from meta-llama  a llama2.c checkpoint\n"
      "  penstock convert story.npz hf.safetensors --to llama\n"
      "  penstock convert meta.safetensors hf.safetensors --from meta-llama --to llama --heads 32\n"
      "The end of a name decides the format. A .bin is a checkpoint of llama2.c. Families are as\n"
      "Hugging Face names them; meta-llama is as Meta and llama2.c do. Needs no gateway.");
  convert->callback([&] { chosen = {[&a] { return run_convert(a); }, a.json}; });
}

void add_usage(CLI::App& app, UsageArguments& a, Chosen& chosen) {
  auto* usage = app.add_subcommand("usage", "Show what was used, per day, and its price.");
  usage->add_option("--days", a.days, "how far back")->capture_default_str();
  add_connection(*usage, a.connection);
  usage->add_flag("--json", a.json, "one JSON object per line");
  usage->callback([&] { chosen = {[&a] { return run_usage(a); }, a.json}; });
}

void add_generate(CLI::App& app, GenerateArguments& a, Chosen& chosen) {
  auto* generate = app.add_subcommand("generate", "Continue a text with a Llama's weights.");
  generate->add_option("--weights", a.weights, "safetensors, or a llama2.c checkpoint (.bin)")
      ->required();
  generate->add_option("--tokenizer", a.tokenizer, "tokenizer.json, or llama2.c's tokenizer.bin")
      ->required();
  generate->add_option("--family", a.family, "whose names the file uses: meta-llama or llama")
      ->capture_default_str();
  generate->add_option("--heads", a.heads, "where the file does not say it");
  generate->add_option("--kv-heads", a.key_heads, "where the file does not say it");
  generate->add_option("--rotary-base", a.rotary_base)->capture_default_str();
  generate->add_option("--prompt", a.prompt, "how the text begins");
  generate->add_option("--tokens", a.tokens, "at most so many more")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  add_connection(*generate, a.connection);
  generate->add_flag("--json", a.json, "one JSON object per token");
  generate->footer(
      "Example:\n  penstock generate --local --weights stories260K.safetensors \\\n"
      "    --tokenizer stories260K.tok512.bin --heads 8 --kv-heads 4 --prompt 'Once upon'\n"
      "Takes the likeliest token each time, and prints it as soon as it is there.");
  generate->callback([&] { chosen = {[&a] { return run_generate(a); }, a.json}; });
}

void add_pool(CLI::App& app, PoolArguments& a, Chosen& chosen) {
  const auto add = [&](const char* name, const char* help, ExitCode (*run)(const PoolArguments&)) {
    auto* command = app.add_subcommand(name, help);
    add_connection(*command, a.connection);
    command->add_flag("--json", a.json, "one JSON object per line");
    command->callback([&a, &chosen, run] { chosen = {[&a, run] { return run(a); }, a.json}; });
  };
  add("devices", "Show the devices of the pool and how many are leased.", run_devices);
  add("leases", "Show the leases that are not over, and what each has cost so far.", run_leases);
}

void add_ops(CLI::App& app, OpsArguments& a, Chosen& chosen) {
  auto* ops = app.add_subcommand("ops", "Print the ops that programs are made of.");
  ops->add_flag("--json", a.json, "one JSON object per line");
  ops->add_flag("--markdown", a.markdown, "as the page docs/ops.md");
  ops->footer("Needs no gateway.");
  ops->callback([&] { chosen = {[&a] { return run_ops(a); }, a.json}; });
}

void add_keys(CLI::App& app, KeysArguments& a, Chosen& chosen) {
  auto* keys = app.add_subcommand("keys", "List, create and revoke API keys.");
  keys->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, ExitCode (*run)(const KeysArguments&)) {
    auto* command = keys->add_subcommand(name, help);
    add_connection(*command, a.connection);
    command->add_flag("--json", a.json, "one JSON object per line");
    command->callback([&a, &chosen, run] { chosen = {[&a, run] { return run(a); }, a.json}; });
    return command;
  };
  add("list", "Show the keys without their secrets.", run_keys_list);
  auto* create = add("create", "Make a key; its secret is shown once.", run_keys_create);
  create->add_option("name", a.name, "what it is for")->required();
  create->add_option("--account", a.account, "for another account (administrators)");
  add("revoke", "Make a key worthless at once.", run_keys_revoke)
      ->add_option("id", a.id, "as `penstock keys list` shows it")
      ->required();
  keys->footer("Examples:\n  penstock keys create laptop\n  penstock keys revoke k-12");
}

}  // namespace
}  // namespace penstock::cli

int main(int argc, char** argv) {
  using namespace penstock::cli;
  CLI::App app("Penstock: a pool of devices for any program that asks.");
  app.require_subcommand(1);
  app.footer(kFooter);
  UpArguments up;
  TrainArguments train;
  ExplainArguments explain;
  ConvertArguments convert;
  UsageArguments usage;
  KeysArguments keys;
  PoolArguments pool;
  GenerateArguments generate;
  OpsArguments ops;
  Chosen chosen;
  add_up(app, up, chosen);
  add_train(app, train, chosen);
  add_explain(app, explain, chosen);
  add_generate(app, generate, chosen);
  add_pool(app, pool, chosen);
  add_ops(app, ops, chosen);
  add_convert(app, convert, chosen);
  add_usage(app, usage, chosen);
  add_keys(app, keys, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::usage);
  }
  try {
    return static_cast<int>(chosen.run());
  } catch (const penstock::Exception& exception) {
    return static_cast<int>(report_error(exception.error(), chosen.json));
  } catch (const std::exception& exception) {
    return static_cast<int>(
        report_error({penstock::ErrorCode::internal, exception.what()}, chosen.json));
  }
}
