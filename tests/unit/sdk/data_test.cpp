#include <doctest/doctest.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "penstock/data.h"
#include "sdk/src/prefetcher.h"

using namespace penstock;
using data::Position;
using data::Sampler;

namespace {

using Order = std::vector<std::vector<std::int64_t>>;

Order all_of(Sampler sampler) {
  Order order;
  while (auto batch = sampler.next()) order.push_back(*batch);
  return order;
}

/// A folder that is gone at the end of the test.
struct Folder {
  std::string path = "/tmp/penstock-data-" + std::to_string(getpid());
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

std::string write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

/// IDX of two 2 x 3 images, by hand from Yann LeCun's format description.
const std::string kTwoImages = std::string(
                                   "\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\x00\x02"
                                   "\x00\x00\x00\x03",
                                   16) +
                               std::string("\x00\x01\x02\x03\x04\x05\xfa\xfb\xfc\xfd\xfe\xff", 12);

data::Dataset numbered(std::uint8_t rows) {
  std::vector<std::uint8_t> pixels(rows), labels(rows);
  for (std::uint8_t i = 0; i < rows; ++i) pixels[i] = labels[i] = i;
  return data::Dataset(Tensor(pixels, {rows, 1, 1}), Tensor(labels), data::Dataset::Layout::flat,
                       {0.0F, 1.0F / 255.0F});
}

}  // namespace

TEST_CASE("every row comes once per epoch, in another order each time, the last batch short") {
  const Order order = all_of(Sampler(10, {.batch_size = 4, .seed = 3, .epochs = 2}));
  REQUIRE(order.size() == 6);
  CHECK(order[2].size() == 2);
  std::vector<std::int64_t> epochs[2];
  for (std::size_t i = 0; i < order.size(); ++i)
    epochs[i / 3].insert(epochs[i / 3].end(), order[i].begin(), order[i].end());
  for (const auto& epoch : epochs)
    CHECK(std::set<std::int64_t>(epoch.begin(), epoch.end()).size() == 10);
  CHECK(epochs[0] != epochs[1]);
}

TEST_CASE("the seed decides the order, and without shuffling rows come as they lie") {
  const data::SamplerOptions options{.batch_size = 7, .seed = 1};
  CHECK(all_of(Sampler(50, options)) == all_of(Sampler(50, options)));
  CHECK(all_of(Sampler(50, options)) != all_of(Sampler(50, {.batch_size = 7, .seed = 2})));
  const Order plain = all_of(Sampler(5, {.batch_size = 2, .shuffle = false}));
  CHECK(plain == Order{{0, 1}, {2, 3}, {4}});
  CHECK(all_of(Sampler(5, {.batch_size = 2, .shuffle = false, .drop_last = true})) ==
        Order{{0, 1}, {2, 3}});
}

TEST_CASE("a sampler resumed anywhere goes on exactly as the first would have") {
  const data::SamplerOptions options{.batch_size = 4, .seed = 9, .epochs = 3};
  const Order whole = all_of(Sampler(10, options));
  Sampler first(10, options);
  for (std::size_t done = 0; done <= whole.size(); ++done) {
    data::SamplerOptions rest = options;
    rest.position = first.position();
    CHECK(all_of(Sampler(10, rest)) ==
          Order(whole.begin() + static_cast<std::ptrdiff_t>(done), whole.end()));
    first.next();
  }
}

TEST_CASE("a sampler without rows or with a position outside is refused") {
  CHECK_THROWS_AS(Sampler(0, {}), Exception);
  CHECK_THROWS_AS(Sampler(5, {.batch_size = 0}), Exception);
  CHECK_THROWS_AS(Sampler(5, {.position = {0, 6}}), Exception);
}

TEST_CASE("batches carry the sampler's rows, normalised, and where to resume") {
  const data::Dataset set = numbered(5);
  std::vector<std::int32_t> labels;
  Position last;
  for (const data::Batch& batch : set.batches(2, {.shuffle = false})) {
    for (const std::int32_t label : batch.labels.view<std::int32_t>()) labels.push_back(label);
    CHECK(batch.images.shape() == Extents{batch.rows, 1});
    CHECK(batch.images.view<float>()[0] ==
          doctest::Approx(batch.labels.view<std::int32_t>()[0]));  // (v/255 - 0) / (1/255)
    last = batch.next;
  }
  CHECK(labels == std::vector<std::int32_t>{0, 1, 2, 3, 4});
  CHECK(last == Position{0, 5});
  data::Batches rest = set.batches(2, {.shuffle = false, .position = {0, 2}});
  CHECK(rest.next()->labels.to_vector<std::int32_t>() == std::vector<std::int32_t>{2, 3});
  CHECK(rest.position() == Position{0, 4});
}

TEST_CASE("batches that nobody takes to the end stop cleanly") {
  data::Batches batches = numbered(200).batches(1, {.epochs = 1000});
  CHECK(batches.next().has_value());
}

TEST_CASE("the prefetcher makes no more ahead than it may") {
  std::atomic<int> made = 0;
  data::Prefetcher prefetcher(
      [&]() -> std::optional<data::Batch> {
        if (++made > 20) return std::nullopt;
        return data::Batch{};
      },
      3);
  int taken = 0;
  while (prefetcher.take()) {
    ++taken;
    CHECK(prefetcher.waiting() <= 3);
    CHECK(made.load() <= taken + 4);  // three wait, one is being made
  }
  CHECK(taken == 20);
}

TEST_CASE("what goes wrong while prefetching arrives at the taker") {
  data::Prefetcher prefetcher(
      []() -> std::optional<data::Batch> { throw Exception(invalid("no such row")); }, 2);
  CHECK_THROWS_AS(prefetcher.take(), Exception);
}

TEST_CASE("an IDX file reads as bytes with its own shape, gzipped or not") {
  const Folder folder;
  const auto plain = data::read_idx(write(folder.path + "/plain", kTwoImages));
  REQUIRE(plain.ok());
  CHECK(plain->shape() == Extents{2, 2, 3});
  CHECK(plain->view<std::uint8_t>()[7] == 0xfb);
  gzFile file = gzopen((folder.path + "/zipped").c_str(), "wb");
  gzwrite(file, kTwoImages.data(), static_cast<unsigned>(kTwoImages.size()));
  gzclose(file);
  const auto zipped = data::read_idx(folder.path + "/zipped");
  REQUIRE(zipped.ok());
  CHECK(zipped->to_vector<std::uint8_t>() == plain->to_vector<std::uint8_t>());
}

TEST_CASE("a damaged IDX file is refused, whatever the damage") {
  const Folder folder;
  const auto code_of = [&](const std::string& bytes) {
    const auto read = data::read_idx(write(folder.path + "/damaged", bytes));
    return read.ok() ? ErrorCode::internal : read.error().code;
  };
  for (std::size_t size = 0; size < kTwoImages.size(); ++size)
    CHECK(code_of(kTwoImages.substr(0, size)) == ErrorCode::data_loss);
  CHECK(code_of(kTwoImages + "x") == ErrorCode::data_loss);
  CHECK(code_of("\x01" + kTwoImages.substr(1)) == ErrorCode::data_loss);
  std::string floats = kTwoImages, huge = kTwoImages, flat = kTwoImages;
  floats[2] = 0x0d;
  CHECK(code_of(floats) == ErrorCode::data_loss);
  huge[4] = '\x7f';  // two thousand million images: refused before anything is allocated
  CHECK(code_of(huge) == ErrorCode::data_loss);
  flat[3] = 0;
  CHECK(code_of(flat) == ErrorCode::data_loss);
  CHECK(data::read_idx(folder.path + "/none").error().code == ErrorCode::not_found);
}

TEST_CASE("a damaged gzip stream is refused") {
  const Folder folder;
  const std::string path = folder.path + "/zipped";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, kTwoImages.data(), static_cast<unsigned>(kTwoImages.size()));
  gzclose(file);
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  write(path, bytes.substr(0, bytes.size() - 12));
  CHECK(data::read_idx(path).error().code == ErrorCode::data_loss);
}

TEST_CASE("Fashion-MNIST has 10,000 test images of ten classes, 1000 each") {
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist")) return;
  const data::Dataset set = data::fashion_mnist(
      {.split = data::Split::test, .layout = data::Dataset::Layout::channels_last});
  CHECK(set.size() == 10000);
  std::vector<int> counts(10);
  for (const data::Batch& batch : set.batches(1000, {.shuffle = false})) {
    CHECK(batch.images.shape() == Extents{1000, 28, 28, 1});
    for (const std::int32_t label : batch.labels.view<std::int32_t>())
      ++counts[static_cast<std::size_t>(label)];
  }
  CHECK(counts == std::vector<int>(10, 1000));
}
