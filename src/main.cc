#include "cli/run.h"

int main(int argc, char** argv) { return ungate::cli::run(argc, argv); }
