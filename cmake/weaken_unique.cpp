// Makes the unique symbols of an ELF object weak, in place, so that objcopy can make them local: it
// passes over STB_GNU_UNIQUE, which g++ gives to static data of templates.
// usage: weaken_unique FILE
#include <elf.h>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

constexpr unsigned kUnique = 10;  // STB_GNU_UNIQUE

template <class T>
T* at(std::vector<char>& bytes, std::size_t offset, std::size_t count = 1) {
  if (offset > bytes.size() || (bytes.size() - offset) / sizeof(T) < count) return nullptr;
  return reinterpret_cast<T*>(bytes.data() + offset);
}

int fail(const char* file, const char* why) {
  std::fprintf(stderr, "weaken_unique: %s: %s\n", file, why);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return fail("usage", "weaken_unique FILE");
  std::ifstream in(argv[1], std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto* header = at<Elf64_Ehdr>(bytes, 0);
  if (header == nullptr || header->e_ident[EI_CLASS] != ELFCLASS64)
    return fail(argv[1], "not a 64-bit ELF file");
  auto* sections = at<Elf64_Shdr>(bytes, header->e_shoff, header->e_shnum);
  std::size_t section_count = header->e_shnum;
  // Above 65,279 sections the count is in the first one.
  if (section_count == 0) {
    sections = at<Elf64_Shdr>(bytes, header->e_shoff);
    if (sections == nullptr) return fail(argv[1], "no sections");
    section_count = sections->sh_size;
    sections = at<Elf64_Shdr>(bytes, header->e_shoff, section_count);
  }
  if (sections == nullptr) return fail(argv[1], "its sections lie outside");
  for (std::size_t i = 0; i < section_count; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const std::size_t count = sections[i].sh_size / sizeof(Elf64_Sym);
    auto* symbols = at<Elf64_Sym>(bytes, sections[i].sh_offset, count);
    if (symbols == nullptr) return fail(argv[1], "its symbols lie outside");
    for (std::size_t s = 0; s < count; ++s)
      if (ELF64_ST_BIND(symbols[s].st_info) == kUnique)
        symbols[s].st_info =
            static_cast<unsigned char>(ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(symbols[s].st_info)));
  }
  std::ofstream(argv[1], std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return 0;
}
