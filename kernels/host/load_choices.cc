#include <fstream>
#include <functional>
#include <iterator>

#include "host/comm.h"

namespace arf {

void load_choices(arf_comm& comm, int count, const int* devices) {
  Machine machine;
  if (check(cudaDriverGetVersion(&machine.driver))) return;
  for (int i = 0; i < count; i++) {
    cudaDeviceProp properties;
    if (check(cudaGetDeviceProperties(&properties, devices[i]))) return;
    machine.devices.push_back(uuid_text(properties.uuid.bytes));
  }
  const std::string name = choices_file(comm.world, comm.config.transport);
  std::ifstream in(name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  comm.choices = read_choices(text, machine, comm.world);
  if (comm.choices.empty()) return;
  comm.choices_file = name;
  comm.choices_print = std::hash<std::string>{}(text) | 1;
}

}  // namespace arf
