#pragma once

#include <cstdint>
#include <string>

namespace penstock::cli {

/// What the process ends with.
enum class ExitCode {
  ok = 0,
  failed = 1,         // the work itself failed
  usage = 2,          // the command line is wrong
  no_connection = 3,  // the gateway does not answer, or a local pool does not start
  refused = 4,        // wrong key or certificate, not allowed, or no devices
  interrupted = 130,  // by Ctrl-C, as shells say it
};

/// How a command reaches devices.
struct Connection {
  std::string url;  // empty: PENSTOCK_URL
  std::string key;  // empty: PENSTOCK_KEY
  bool local = false;
  unsigned threads = 1;         // per device of a local pool
  std::string memory = "2GiB";  // per device of a local pool
  std::string trace;            // file of a local pool's instruction times; empty: none
};

struct UpArguments {
  unsigned devices = 4;
  unsigned threads = 1;
  std::string memory = "2GiB";
  std::string listen = "127.0.0.1:7070";
  std::string http;
  std::string data;
  std::string trace;  // file for begin and end of every instruction; empty: none
  bool json = false;
};

struct ModelArguments {
  std::string model = "mlp";
  std::int64_t batch = 64;
  unsigned devices = 2;
  std::int64_t micro = 1;
  std::string optimizer = "adamw";
  double learning_rate = 0;  // 0: the optimizer's own
  std::uint64_t seed = 0;
};

struct TrainArguments {
  ModelArguments model;
  std::int64_t epochs = 2;
  std::int64_t rows = 0;  // of the training set; 0: all
  std::string lane = "automatic";
  Connection connection;
  bool json = false;
};

struct ExplainArguments {
  ModelArguments model;
  std::string program;  // file; empty: the model
  std::string plan;     // file; empty: data over the devices
  std::string stage;    // empty: all
  std::string memory = "2GiB";
};

struct UsageArguments {
  int days = 30;
  Connection connection;
  bool json = false;
};

struct KeysArguments {
  std::string name;
  std::string account;
  std::string id;
  Connection connection;
  bool json = false;
};

struct GenerateArguments {
  std::string weights;
  std::string tokenizer;
  std::string family = "meta-llama";
  std::int64_t heads = 0;      // 0: what the file says
  std::int64_t key_heads = 0;  // 0: what the file says
  double rotary_base = 10000;
  std::string prompt;
  std::int64_t tokens = 200;
  Connection connection;
  bool json = false;
};

struct PoolArguments {
  Connection connection;
  bool json = false;
};

struct OpsArguments {
  bool markdown = false;
  bool json = false;
};

struct ConvertArguments {
  std::string input;
  std::string output;  // empty: only list
  std::string from;    // whose names the input has; empty: as they are
  std::string to;      // whose names the output gets; empty: as they are
  std::string rotary = "half-split";
  std::int64_t heads = 0;     // 0: what the file says
  std::int64_t kv_heads = 0;  // 0: what the file says
  bool drop_surplus = false;
  bool compress = false;
  bool json = false;
};

ExitCode run_convert(const ConvertArguments& arguments);
ExitCode run_up(const UpArguments& arguments);
ExitCode run_train(const TrainArguments& arguments);
ExitCode run_explain(const ExplainArguments& arguments);
ExitCode run_generate(const GenerateArguments& arguments);
ExitCode run_devices(const PoolArguments& arguments);
ExitCode run_leases(const PoolArguments& arguments);
ExitCode run_ops(const OpsArguments& arguments);
ExitCode run_usage(const UsageArguments& arguments);
ExitCode run_keys_list(const KeysArguments& arguments);
ExitCode run_keys_create(const KeysArguments& arguments);
ExitCode run_keys_revoke(const KeysArguments& arguments);

}  // namespace penstock::cli
