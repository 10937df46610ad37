// The `penstock` command as a user runs it.
#include <doctest/doctest.h>
#include <penstock/penstock.h>
#include <stdlib.h>

#include <ctime>
#include <fstream>
#include <string>

#include "tests/support/pool.h"
#include "tests/support/program.h"

using namespace penstock::testing;

namespace {

Finished penstock_command(std::vector<std::string> arguments, int seconds = 120) {
  arguments.insert(arguments.begin(), built("penstock"));
  return run_program(arguments, seconds);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

double json_number(const std::string& line, const std::string& field) {
  const auto at = line.find("\"" + field + "\":");
  REQUIRE_MESSAGE(at != std::string::npos, field, " in ", line);
  return std::stod(line.substr(at + field.size() + 3));
}

}  // namespace

TEST_CASE("train --local trains to a useful accuracy and prints the bill") {
  const auto done = penstock_command(
      {"train", "--local", "--model", "mlp", "--devices", "2", "--epochs", "1", "--json"});
  CHECK(done.code == 0);
  const auto epoch = done.output.find("\"event\":\"epoch\"");
  REQUIRE(epoch != std::string::npos);
  const std::string line = done.output.substr(epoch);
  CHECK(json_number(line, "test_rows") == 10000);
  // torch's MLP of the same shape reaches 85.5 % after one epoch.
  CHECK(json_number(line, "test_accuracy") > 0.80);
  const auto bill = done.output.find("\"event\":\"bill\"");
  REQUIRE(bill != std::string::npos);
  CHECK(json_number(done.output.substr(bill), "steps") == 938);  // ceil(60000 / 64)
  CHECK(json_number(done.output.substr(bill), "total_nanos") > 0);
}

TEST_CASE("without a terminal train prints plain lines and no control characters") {
  const auto done =
      penstock_command({"train", "--local", "--model", "mlp", "--rows", "2000", "--epochs", "1"});
  CHECK(done.code == 0);
  CHECK(done.output.find('\r') == std::string::npos);
  CHECK(done.output.find('\x1b') == std::string::npos);
  CHECK(has(done.output, "accuracy"));
  CHECK(has(done.output, "$"));
}

TEST_CASE("explain prints every stage of the compiler") {
  const auto done = penstock_command({"explain", "--model", "mlp", "--devices", "2"});
  CHECK(done.code == 0);
  for (const char* stage : {"decode", "simplify", "differentiate", "precision", "partition",
                            "bucket", "schedule", "fuse", "place", "emit"})
    CHECK_MESSAGE(has(done.output, stage), stage);
  CHECK(has(done.output, "all_reduce"));
}

TEST_CASE("keys are made, used and revoked by the command, and usage shows what they did") {
  Pool pool({.devices = 1});
  setenv("PENSTOCK_URL", pool.url().c_str(), 1);
  setenv("PENSTOCK_KEY", pool.key().c_str(), 1);
  const auto created =
      penstock_command({"keys", "create", "laptop", "--account", "team-a", "--json"});
  CHECK(created.code == 0);
  const std::string secret = json_text(created.output, "key");
  CHECK(secret.starts_with("psk_"));
  const auto trained = penstock_command({"train", "--model", "mlp", "--devices", "1", "--rows",
                                         "640", "--epochs", "1", "--key", secret});
  CHECK(trained.code == 0);
  const auto usage = penstock_command({"usage", "--json", "--key", secret});
  CHECK(has(usage.output, "team-a"));
  const auto listed = penstock_command({"keys", "list"});
  CHECK(has(listed.output, "laptop"));
  CHECK(!has(listed.output, secret));
  CHECK(penstock_command({"keys", "revoke", json_text(created.output, "id")}).code == 0);
  CHECK(penstock_command({"usage", "--key", secret}).code == 4);
  unsetenv("PENSTOCK_URL");
  unsetenv("PENSTOCK_KEY");
}

TEST_CASE("exit codes tell a wrong command line from a gateway that is not there") {
  CHECK(penstock_command({"train", "--no-such-option"}).code == 2);
  CHECK(penstock_command({"usage", "--url", "unix:/nowhere/at/all", "--key", "psk_1_x"}).code == 3);
  CHECK(penstock_command({"--help"}).code == 0);
}

TEST_CASE("Ctrl-C ends training in order: lease released, bill printed, exit code 130") {
  const char* script =
      "import signal, subprocess, sys\n"
      "child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)\n"
      "for line in child.stdout:\n"
      "    print(line, end='')\n"
      "    if 'first_step' in line: child.send_signal(signal.SIGINT)\n"
      "sys.exit(child.wait())\n";
  Pool pool({.devices = 1});
  setenv("PENSTOCK_URL", pool.url().c_str(), 1);
  setenv("PENSTOCK_KEY", pool.key().c_str(), 1);
  const auto done = run_program({"/usr/bin/python3", "-c", script, built("penstock"), "train",
                                 "--devices", "1", "--epochs", "1000", "--json"},
                                60);
  CHECK(done.code == 130);
  CHECK(has(done.output, "\"event\":\"interrupted\""));
  CHECK(has(done.output, "\"event\":\"bill\""));
  // The device is free again: another lease gets it.
  const auto again =
      penstock_command({"train", "--devices", "1", "--rows", "64", "--epochs", "1", "--json"});
  CHECK(again.code == 0);
  unsetenv("PENSTOCK_URL");
  unsetenv("PENSTOCK_KEY");
}

TEST_CASE("up prints how to use it, serves, and stops all of it on SIGTERM") {
  TemporaryDirectory data;
  pid_t pid = 0;
  {
    // `up` has no ready descriptor: the train command below waits for its socket.
    Program up({built("penstock"), "up", "--devices", "1", "--listen", "127.0.0.1:0", "--data",
                data.path(), "--json"},
               false);
    pid = up.pid();
    std::string line;
    for (int i = 0; i < 200 && line.empty(); ++i) {
      if (children_of(pid).size() == 2) break;
      run_program({"/bin/sleep", "0.1"}, 5);
    }
    CHECK(children_of(pid).size() == 2);
  }
  CHECK(read_file("/proc/" + std::to_string(pid) + "/stat").empty());
}

TEST_CASE("docs/ops.md is the table that the command makes of the list") {
  const auto done = penstock_command({"ops", "--markdown"});
  CHECK(done.code == 0);
  std::ifstream file(PENSTOCK_DOCS "/ops.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  CHECK_MESSAGE(done.output == page, "run: build/release/bin/penstock ops --markdown >docs/ops.md");
  CHECK(has(penstock_command({"ops", "--json"}).output, "{\"op\":\"matmul\",\"operands\":2"));
}

TEST_CASE("devices and leases show what the pool has and who holds it") {
  Pool pool({.devices = 3});
  const std::vector<std::string> here{"--url", pool.url(), "--key", pool.key(), "--json"};
  const auto command = [&](const std::string& name) {
    std::vector<std::string> arguments{name};
    arguments.insert(arguments.end(), here.begin(), here.end());
    const auto done = penstock_command(arguments);
    CHECK(done.code == 0);
    return done.output;
  };
  CHECK(has(command("devices"),
            "{\"executor\":\"host0\",\"first\":0,\"devices\":3,\"class\":\"cpu\""));
  CHECK(command("leases").empty());
  auto client = penstock::Client::connect({.url = pool.url(), .key = pool.key()});
  auto lease = client.lease({.devices = 2});
  CHECK(json_number(command("devices"), "executor_leased") == 2);
  const std::string leases = command("leases");
  CHECK(has(leases, "\"state\":\"active\",\"devices\":\"host0:0 host0:1\""));
  CHECK(json_number(leases, "granted_unix_ns") / 1e9 ==
        doctest::Approx(static_cast<double>(std::time(nullptr))).epsilon(1e-6));
  lease.release();
  CHECK(command("leases").empty());
}

TEST_CASE("generate prints a text token by token, and its bill") {
  const std::string folder = std::string(PENSTOCK_TEST_DATA) + "/pretrained/";
  std::vector<std::string> arguments{"generate",    "--local",
                                     "--weights",   folder + "stories260K.safetensors",
                                     "--tokenizer", folder + "stories260K.tok512.bin",
                                     "--heads",     "8",
                                     "--kv-heads",  "4"};
  std::ifstream file(folder + "stories260K_expected_greedy200.txt");
  const std::string story((std::istreambuf_iterator<char>(file)), {});
  const auto plain = penstock_command(arguments);
  CHECK(plain.code == 0);
  CHECK_MESSAGE(plain.output.substr(0, story.size()) == story, plain.output);
  CHECK(has(plain.output.substr(story.size()), "device time"));
  arguments.insert(arguments.end(), {"--json", "--tokens", "5", "--prompt", "Once upon"});
  const auto json = penstock_command(arguments);
  CHECK(json.code == 0);
  CHECK(has(json.output, "{\"event\":\"token\",\"position\":1,"));
  CHECK(has(json.output, "\"total_nanos\":"));
  const auto wrong = penstock_command({"generate", "--local", "--weights", "/nowhere.safetensors",
                                       "--tokenizer", folder + "stories260K.tok512.bin"});
  CHECK(wrong.code == 1);
}
