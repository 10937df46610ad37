// The 260K-parameter Llama of llama2.c tells its published story.
#include <doctest/doctest.h>
#include <penstock/penstock.h>
#include <penstock/tokenizer.h>
#include <penstock/weights.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

namespace ps = penstock;

namespace {

const std::string kFolder = std::string(PENSTOCK_TEST_DATA) + "/pretrained/";
constexpr std::int64_t kBegin = 1;  // llama2.c's token for the beginning of a text

std::string published_story() {
  std::ifstream file(kFolder + "stories260K_expected_greedy200.txt", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void load(ps::LlamaGenerator& generator) {
  const auto stored = ps::weights::read(kFolder + "stories260K.safetensors").value();
  const auto weights = ps::weights::import_family(ps::weights::Family::meta_llama, stored,
                                                  {.rotary = ps::weights::Rotary::interleaved,
                                                   .heads = 8,
                                                   .kv_heads = 4,
                                                   .drop_surplus = true})
                           .value();
  for (const auto& [name, tensor] : weights.tensors) generator.write(name, tensor);
}

std::string text_of(const std::vector<std::int64_t>& tokens) {
  const auto tokenizer = ps::Tokenizer::read(kFolder + "stories260K.tok512.bin").value();
  ps::Tokens ids(tokens.begin() + 1, tokens.end());  // without the beginning's
  return tokenizer.decode(ids).value();
}

}  // namespace

TEST_CASE("the Llama reproduces its published text, alone and beside seven others") {
  const std::string expected = published_story();
  REQUIRE(expected.size() == 464);
  const auto stored = ps::weights::read_npy(kFolder + "stories260K_logits_pos0.npy").value();
  const auto first_logits = stored.to_vector<float>();
  auto client = ps::Client::local({.devices = 1});
  auto lease = client.lease({.devices = 1});
  for (const std::int64_t rows : {1, 8}) {
    CAPTURE(rows);
    ps::LlamaGenerator generator(lease, ps::models::LlamaOptions::preset("stories260k"),
                                 {.rows = rows, .context = 256});
    load(generator);
    std::vector<std::vector<std::int64_t>> prompts{{kBegin}};
    for (std::int64_t r = 1; r < rows; ++r) {  // others of different lengths
      prompts.push_back({kBegin});
      for (std::int64_t i = 0; i < 3 * r; ++i) prompts.back().push_back(300 + 7 * r + i);
    }
    std::vector<float> seen;
    ps::GenerateOptions options{.steps = 200, .logits = true};
    options.on_step = [&](const ps::DecodedStep& step) {
      if (step.position == 1) seen = step.logits[0];
      return true;
    };
    const auto texts = generator.generate(prompts, options);
    REQUIRE(texts.size() == prompts.size());
    CHECK(text_of(texts[0]) == expected);
    REQUIRE(seen.size() == first_logits.size());
    double worst = 0;
    for (std::size_t i = 0; i < seen.size(); ++i)
      worst = std::max(worst, static_cast<double>(std::abs(seen[i] - first_logits[i])));
    CHECK(worst < 1e-4);
    for (std::size_t r = 1; r < prompts.size(); ++r)  // each follows its own prompt first
      CHECK(std::equal(prompts[r].begin(), prompts[r].end(), texts[r].begin()));
  }
}

TEST_CASE("a text ends behind its stop token, and a listener can end all of them") {
  auto client = ps::Client::local({.devices = 1});
  auto lease = client.lease({.devices = 1});
  const auto model = ps::models::LlamaOptions::preset("stories260k");
  ps::LlamaGenerator plain(lease, model, {.rows = 1, .context = 64});
  load(plain);
  const auto whole = plain.generate({{kBegin}}).at(0);
  REQUIRE(whole.size() == 64);
  const std::int64_t stop = whole[20];
  const auto first = std::find(whole.begin() + 1, whole.end(), stop);

  ps::LlamaGenerator stopping(lease, model, {.rows = 1, .context = 64, .stop = stop});
  load(stopping);
  const auto cut = stopping.generate({{kBegin}}).at(0);
  CHECK(cut == std::vector<std::int64_t>(whole.begin(), first + 1));
  // Its keys and values start afresh.
  CHECK(stopping.generate({{kBegin}}).at(0) == cut);

  std::atomic<int> steps = 0;
  const auto few =
      plain.generate({{kBegin}}, {.on_step = [&](const ps::DecodedStep&) { return ++steps < 5; }});
  CHECK(steps < 20);
  CHECK(few.at(0).size() < 40);
  CHECK_THROWS_WITH_AS(plain.generate({}), doctest::Contains("0 prompts"), ps::Exception);
  CHECK_THROWS_WITH_AS(plain.generate({{}}), doctest::Contains("prompt 0 has 0 tokens"),
                       ps::Exception);
}
