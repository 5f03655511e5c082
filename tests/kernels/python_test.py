"""The Python side of the bundled kernels, without torch and without a GPU: structures against
arf.h, and how FlashInfer's arguments become a call."""
import ctypes
import os
import subprocess
import sys
import tempfile
import unittest

KERNELS = os.path.join(os.path.dirname(__file__), "..", "..", "kernels")
sys.path.insert(0, os.path.join(KERNELS, "python"))
from arf import library  # noqa: E402
from arf import flashinfer as fi  # noqa: E402

SIZES = {"bfloat16": 2, "float16": 2, "float32": 4, "float64": 8, "int32": 4, "uint8": 1,
         "float8_e4m3fn": 1}


class Tensor:
    """As much of a torch tensor as the shim looks at."""
    made = 0

    def __init__(self, *shape, kind="bfloat16", contiguous=True):
        Tensor.made += 1
        self.shape, self.dtype, self.device = shape, f"torch.{kind}", "cuda:0"
        self._size, self._contiguous, self._pointer = SIZES[kind], contiguous, Tensor.made << 20

    def data_ptr(self):
        return self._pointer

    def numel(self):
        n = 1
        for s in self.shape:
            n *= s
        return n

    def element_size(self):
        return self._size

    def is_contiguous(self):
        return self._contiguous


def norm_call(tokens=3, hidden=256, **more):
    t = dict(residual_in=Tensor(tokens, hidden), rms_gamma=Tensor(hidden),
             residual_out=Tensor(tokens, hidden), norm_out=Tensor(tokens, hidden))
    t.update(more)
    return Tensor(tokens, hidden), t


class Structures(unittest.TestCase):
    # C's names of fields that Python calls otherwise.
    RENAMED = {"input": "in"}

    def test_offsets_are_those_of_the_header(self):
        structures = {"arf_config": library.Config, "arf_params": library.Params,
                      "arf_status": library.Status}
        lines, want = [], []
        for name, s in structures.items():
            lines.append(f'printf("%zu\\n", sizeof({name}));')
            want.append(ctypes.sizeof(s))
            for field, *_ in s._fields_:
                field_in_c = self.RENAMED.get(field, field)
                lines.append(f'printf("%zu\\n", offsetof({name}, {field_in_c}));')
                want.append(getattr(s, field).offset)
        program = "#include <stdio.h>\n#include \"arf.h\"\nint main(void) {" + "".join(lines) + "}"
        with tempfile.TemporaryDirectory() as folder:
            source, binary = os.path.join(folder, "t.c"), os.path.join(folder, "t")
            with open(source, "w") as f:
                f.write(program)
            subprocess.run(["cc", "-std=c11", f"-I{KERNELS}/include", source, "-o", binary],
                           check=True)
            got = [int(n) for n in subprocess.run([binary], capture_output=True, text=True,
                                                  check=True).stdout.split()]
        self.assertEqual(got, want)

    def test_numbers_are_those_of_the_header(self):
        with open(os.path.join(KERNELS, "include", "arf.h")) as f:
            text = " ".join(f.read().split())
        for table, prefix in ((library.algorithms, "ARF_"), (library.dtypes, "")):
            for name, number in table.items():
                c = {"bfloat16": "ARF_BF16", "float16": "ARF_FP16",
                     "float32": "ARF_FP32"}.get(name, prefix + name.upper())
                self.assertRegex(text, rf"\b{c} = {number}\b")

    def test_defaults(self):
        p = library.Params(pattern=1)
        self.assertEqual((p.size, p.version), (ctypes.sizeof(library.Params), 1))
        self.assertAlmostEqual(p.eps, 1e-6)
        self.assertEqual(p.routed_scale, 1)


class Mapping(unittest.TestCase):
    def test_norm(self):
        x, t = norm_call()
        p = fi.to_params(1, x, launch_with_pdl=True, rms_eps=1e-5, weight_bias=1.0, **t)
        self.assertEqual((p.pattern, p.dtype, p.tokens, p.hidden, p.flags), (1, 0, 3, 256, 1))
        self.assertEqual((p.input, p.residual_in, p.gamma),
                         (x.data_ptr(), t["residual_in"].data_ptr(), t["rms_gamma"].data_ptr()))
        self.assertEqual((p.residual_out, p.norm_out),
                         (t["residual_out"].data_ptr(), t["norm_out"].data_ptr()))
        self.assertEqual((p.algorithm, p.weight_bias), (0, 1.0))
        self.assertAlmostEqual(p.eps, 1e-5)

    def test_strategy(self):
        x, t = norm_call()
        self.assertEqual(fi.to_params(1, x, use_oneshot=True, **t).algorithm, 1)
        self.assertEqual(fi.to_params(1, x, use_oneshot=False, **t).algorithm, 2)

    def test_plain_allreduce(self):
        x, out = Tensor(2, 64, kind="float32"), Tensor(2, 64, kind="float32")
        p = fi.to_params(0, x, output=out)
        self.assertEqual((p.dtype, p.out), (2, out.data_ptr()))

    def test_fp4(self):
        x, t = norm_call(hidden=256, quant_out=Tensor(3, 128, kind="uint8"),
                         scale_out=Tensor(128 * 16, kind="uint8"),
                         scale_factor=Tensor(1, kind="float32"))
        self.assertEqual(fi.to_params(3, x, **t).layout, 1)
        self.assertEqual(fi.to_params(3, x, layout_code=2, **t).layout, 0)
        with self.assertRaisesRegex(ValueError, "laid out as 1"):
            fi.to_params(3, x, layout_code=1, **t)

    def test_scale_as_a_number(self):
        x, t = norm_call(quant_out=Tensor(3, 256, kind="float8_e4m3fn"), scale_factor=0.5)
        made = Tensor(1, kind="float32")
        p = fi.to_params(2, x, lambda v: made if v == 0.5 else None, **t)
        self.assertEqual(p.scale_factor, made.data_ptr())
        with self.assertRaisesRegex(ValueError, "must be a tensor"):
            fi.to_params(2, x, **t)

    def test_groups(self):
        x, t = norm_call(quant_out=Tensor(3, 256, kind="float8_e4m3fn"),
                         scale_out=Tensor(3, 1, kind="int32", contiguous=False))
        self.assertEqual(fi.to_params(9, x, block_quant_group_size=128, **t).group_size, 128)
        with self.assertRaisesRegex(ValueError, "not one of"):
            fi.to_params(9, x, block_quant_group_size=100, **t)

    def test_experts_of_every_token(self):
        _, t = norm_call()
        experts, scales = Tensor(4, 3, 256), Tensor(4, 3, kind="float32")
        shared = Tensor(3, 256)
        moe = dict(moe_reduction_device_num_experts=4, moe_reduction_scale_input=scales,
                   moe_reduction_active_experts_token_input=experts,
                   moe_reduction_token_input=shared)
        p = fi.to_params(6, None, **moe, **t)
        self.assertEqual((p.experts, p.expert_scales, p.shared, p.expert_count),
                         (experts.data_ptr(), scales.data_ptr(), shared.data_ptr(), 4))
        self.assertFalse(p.input)
        # The scales are [experts, tokens], whatever a docstring says.
        moe["moe_reduction_scale_input"] = Tensor(3, 4, kind="float32")
        with self.assertRaisesRegex(ValueError, "moe_reduction_scale_input has shape"):
            fi.to_params(6, None, **moe, **t)

    def test_experts_by_index(self):
        _, t = norm_call()
        rows, index, weights = Tensor(12, 256), Tensor(3, 4, kind="int32"), Tensor(3, 4)
        p = fi.to_params(7, rows, expanded_idx_to_permuted_idx=index, expert_scale_factor=weights,
                         routed_scaling_factor=2.5, **t)
        self.assertEqual((p.experts, p.expert_rows, p.expert_count, p.routed_scale),
                         (rows.data_ptr(), index.data_ptr(), 4, 2.5))
        self.assertFalse(p.shared)
        with self.assertRaisesRegex(ValueError, "quantised outputs"):
            fi.to_params(7, rows, expanded_idx_to_permuted_idx=index,
                         quant_out=Tensor(3, 128, kind="uint8"), **t)

    def test_refusals(self):
        for text, change in (("residual_in is missing", dict(residual_in=None)),
                             ("norm_out is missing", dict(norm_out=None)),
                             ("rms_gamma has shape", dict(rms_gamma=Tensor(128))),
                             ("residual_in is float16", dict(residual_in=Tensor(3, 256,
                                                                                kind="float16"))),
                             ("norm_out is not contiguous",
                              dict(norm_out=Tensor(3, 256, contiguous=False)))):
            x, t = norm_call(**change)
            with self.assertRaisesRegex(ValueError, text):
                fi.to_params(1, x, **t)
        x, t = norm_call()
        with self.assertRaisesRegex(ValueError, "no pattern 12"):
            fi.to_params(12, x, **t)
        with self.assertRaisesRegex(ValueError, "float64 cannot be summed"):
            fi.to_params(1, Tensor(3, 256, kind="float64"), **t)


class Launch(unittest.TestCase):
    def test_a_call_reaches_the_communicator(self):
        calls = []

        class Communicator:
            rank, world = 0, 2

            def launch(self, params, stream):
                calls.append((params, stream))

        x, t = norm_call()
        workspace = fi.Workspace(Communicator())
        got = fi.allreduce_fusion(x, workspace, 1, fp32_acc=True, stream=77, **t)
        self.assertIs(got, t["norm_out"])
        (params, stream), = calls
        self.assertEqual((params.norm_out, stream), (t["norm_out"].data_ptr(), 77))

    # libc stands for a library: what is not 0 is an error, by the library's own words.
    def test_errors_have_words(self):
        class Fake:
            def __getattr__(self, name):
                return {"arf_strerror": lambda code: b"in words",
                        "arf_last_cuda_error": lambda: b""}.get(name, lambda *a: 12)

        lib = library.Library.__new__(library.Library)
        lib._c = Fake()
        with self.assertRaisesRegex(library.Error, "arf_launch: in words") as caught:
            library.Communicator(lib, library.P(1), 0, 2, None).launch(library.Params(), 0)
        self.assertEqual(caught.exception.code, 12)


if __name__ == "__main__":
    unittest.main()
