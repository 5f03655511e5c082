#include "gate/forms.h"

#include <algorithm>
#include <array>

namespace ungate::gate {
namespace {

constexpr std::array kForms{
    FormInfo{"py-major-list",
             "A keyword argument lists the major versions that a call lets through; for all other "
             "devices the call raises.",
             "flags = nvcc_flags(supported_major_versions=[9, 10])",
             "flags = nvcc_flags(supported_major_versions=[9, 10, 12])",
             "A major version lets in every device of it: 12 admits 12.1 too."},
    FormInfo{
        "py-capability-list",
        "A decorator or argument lists capabilities (major * 10 + minor) that a function takes.",
        "@supported_compute_capability([90, 100])", "@supported_compute_capability([90, 100, 120])",
        ""},
    FormInfo{"py-gencode-flags",
             "Compiler flags name the only code targets that a module is built for.",
             "extra_cuda_cflags=[\"-gencode=arch=compute_90a,code=sm_90a\"]", "",
             "Adding a target means building for it: what is behind the flags must compile there."},
    FormInfo{"py-capability-requirement",
             "What is registered says which capabilities it needs; on other devices it is not chosen.",
             "register(capability=Requirement(min_arch_version=(10, 0), max_arch_version=(10, 3)))", "",
             "A bound is moved by hand, for all devices up to the new one."},
    FormInfo{"py-fixed-target",
             "What is built here is built for one architecture, whatever the device.",
             "with override_arch(9, 0, \"a\"): load(sources)", "",
             "What is built must compile for another architecture, and be dispatched there."},
    FormInfo{"py-membership", "A capability is looked for among constants.",
             "if major in (9, 10):", "if major in (9, 10, 12):", ""},
    FormInfo{"py-compare", "A capability is compared with constants.",
             "if capability[0] == 10:", "if capability[0] in (10, 12):",
             "A comparison that is open upwards (>= 90) admits the device already and is no gate "
             "for it."},
    FormInfo{"py-helper-call",
             "A function is called whose result differs between devices. What it decides is read "
             "from its body, not from its name.",
             "if is_sm100_supported(device):",
             "if is_sm100_supported(device) or is_sm120_supported(device):",
             "The helper itself is left alone where it is named after an architecture: the use "
             "gets a term for the device."},
    FormInfo{"py-flag", "A name or attribute holds the outcome of an earlier choice.",
             "if _is_hopper:", "", "Its definition is a gate, too; both are lifted together."},
    FormInfo{
        "py-or-chain",
        "Several tests of devices joined by `or`: the device passes if one of them lets it in.",
        "if is_sm90() or is_sm100():", "if is_sm90() or is_sm100() or is_sm120():", ""},
    FormInfo{"py-table",
             "A table is indexed by the capability; a device without an entry raises KeyError or "
             "gets the default.",
             "config = TABLE[capability]", "",
             "An entry for a device is a decision about values, not a widened test."},
    FormInfo{"py-class-bound",
             "A class sets what a method of its base compares with the device: the lowest or highest capability, or "
             "a list of them.",
             "class FlashOp(Operator):\n    MAXIMUM_CAPABILITY = (9, 0)", "",
             "The comparison stands in the base class and serves all that derive from it."},
    FormInfo{"py-condition", "Another expression whose outcome differs between devices.",
             "if (cap := capability()) and cap[0] - 9 in known:", "", ""},
    FormInfo{"pp-arch-range", "#if with a lower and an upper bound of __CUDA_ARCH__.",
             "#if (__CUDA_ARCH__ >= 900) && (__CUDA_ARCH__ < 1200)",
             "#if (__CUDA_ARCH__ >= 900) && (__CUDA_ARCH__ < 1300)",
             "What stands in it is compiled out elsewhere: an empty kernel launches and succeeds; "
             "a wait left out of a kernel that is launched early is a race."},
    FormInfo{"pp-arch-lower", "#if with a lower bound of __CUDA_ARCH__.",
             "#if __CUDA_ARCH__ >= 900", "",
             "Newer devices are admitted; older ones lack the instructions, as a rule."},
    FormInfo{"pp-arch-upper", "#if with an upper bound of __CUDA_ARCH__.",
             "#if __CUDA_ARCH__ < 1000", "#if __CUDA_ARCH__ < 1300", ""},
    FormInfo{"pp-arch-equal", "#if with single values of __CUDA_ARCH__.",
             "#if __CUDA_ARCH__ == 900", "#if __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1200", ""},
    FormInfo{"pp-feature-macro",
             "#if with a macro that only exact (a) or family (f) code targets define.",
             "#if defined(__CUDA_ARCH_FEAT_SM90_ALL)",
             "#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL)",
             "Such macros guard instructions of one generation: what is behind them seldom exists "
             "on another."},
    FormInfo{"pp-macro", "#if with a macro of the package whose value depends on the device.",
             "#if defined(ENABLE_WGMMA)", "", "The gate is where the macro is defined."},
    FormInfo{"cpp-compare", "Host code of C++ compares the device's capability.",
             "if (properties.major == 9) {", "if (properties.major == 9 || properties.major == 12) {",
             "The test stands in front of a launch: what it lets through must be compiled for the device."},
    FormInfo{"cpp-check", "A check macro of C++ refuses devices at run time.",
             "ICHECK_EQ(major, 10) << \"needs sm_100\";", "",
             "Behind a check there is often code that is loaded, not compiled."},
    FormInfo{"cpp-case", "A case of a switch over the device's capability.", "case 90: return run_sm90();", "",
             "A device without a case takes the default."},
    FormInfo{"cpp-helper-call", "A function of C++ is called whose result differs between devices.",
             "if (is_hopper()) {", "", ""},
    FormInfo{"cpp-flag", "A variable or field of C++ holds the outcome of an earlier choice.", "if (use_wgmma_) {", "",
             "The choice stands where it is set."},
    FormInfo{"cpp-cubin-name", "The name of a compiled kernel that is loaded, with the target it is built for.",
             "\"gemm_bf16_schedS_sm100f\"", "", "There is no source to build for another device."},
    FormInfo{"binary-objects",
             "A shared object or cubin holds code for some devices only; on others nothing loads, or "
             "the driver compiles PTX.",
             "sm_80 sm_90a sm_100a; PTX sm_80", "",
             "No edit helps: it must be built for the device. `ungate objects` lists what is in it."},
};

}  // namespace

std::span<const FormInfo> forms() {
  return kForms;
}

const FormInfo* find_form(std::string_view name) {
  auto found = std::ranges::find(kForms, name, &FormInfo::name);
  return found == kForms.end() ? nullptr : &*found;
}

}  // namespace ungate::gate
