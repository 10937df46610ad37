// `penstock convert` as a user runs it, and numpy reading what it wrote.
#include <doctest/doctest.h>

#include <string>

#include "tests/support/program.h"

using namespace penstock::testing;

namespace {

const std::string kData = PENSTOCK_TEST_DATA;

Finished convert(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {built("penstock"), "convert"});
  return run_program(arguments, 60);
}

Finished numpy(const std::string& script, const std::string& file) {
  return run_program({"/usr/bin/python3", "-c", "import sys, numpy as np\n" + script, file}, 60);
}

}  // namespace

TEST_CASE("numpy reads our archives, stored and deflated, and finds its own arrays in them") {
  const TemporaryDirectory folder;
  const std::string mine = folder.path() + "/mine.npz";
  for (const bool compress : {false, true}) {
    std::vector<std::string> arguments = {kData + "/numpy/all_types.npz", mine};
    if (compress) arguments.push_back("--compress");
    REQUIRE(convert(arguments).code == 0);
    const auto seen = numpy("a, b = np.load(sys.argv[1]), np.load('" + kData +
                                "/numpy/all_types.npz')\n"
                                "assert sorted(a.files) == sorted(b.files)\n"
                                "assert all((a[k] == b[k]).all() for k in b.files)\n"
                                "print([str(a[k].dtype) for k in ('f16', 'i16', 'u32', 'bool')])",
                            mine);
    CHECK(seen.code == 0);
    CHECK(seen.output == "['float16', 'int32', 'int64', 'bool']\n");
  }
}

TEST_CASE("numpy reads one array of ours, and a checkpoint's matrix is transposed on the way") {
  const TemporaryDirectory folder;
  const std::string one = folder.path() + "/fortran.npy", all = folder.path() + "/story.npz";
  REQUIRE(convert({kData + "/numpy/fortran.npy", one}).code == 0);
  CHECK(numpy("a = np.load(sys.argv[1])\nprint(a.shape, a.flags.c_contiguous, a.sum())", one)
            .output == "(2, 3, 4) True 276.0\n");
  REQUIRE(
      convert({kData + "/pretrained/stories260K.safetensors", all, "--from", "meta-llama"}).code ==
      0);
  CHECK(numpy("a = np.load(sys.argv[1])\nprint(len(a.files), a['layers.4.mlp.w1'].shape)", all)
            .output == "47 (64, 172)\n");
}

TEST_CASE("converting to a family and back gives the file that it began with") {
  const TemporaryDirectory folder;
  const std::string ours = folder.path() + "/a.safetensors",
                    back = folder.path() + "/b.safetensors",
                    again = folder.path() + "/c.safetensors";
  REQUIRE(
      convert({kData + "/pretrained/stories260K.safetensors", ours, "--from", "meta-llama"}).code ==
      0);
  REQUIRE(convert({ours, back, "--to", "meta-llama"}).code == 0);
  REQUIRE(convert({kData + "/pretrained/stories260K.safetensors", again}).code == 0);
  CHECK(read_file(back) == read_file(again));
  const auto listed = convert({back, "--json"});
  CHECK(listed.output.find("{\"name\":\"layers.0.attention.wk.weight\",\"type\":\"f32[32,64]\"}") !=
        std::string::npos);
}

TEST_CASE("a wrong request says what is wrong, and ends with the code for it") {
  CHECK(convert({}).code == 2);
  CHECK(convert({"/nowhere.npz"}).code == 1);
  const TemporaryDirectory folder;
  const std::string file = folder.path() + "/x.npz";
  CHECK(convert({kData + "/numpy/all_types.npz", file, "--from", "gpt2"}).code == 1);
  CHECK(read_file(file).empty());
}
