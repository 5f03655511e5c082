import pathlib

FLASHINFER_CSRC_DIR = pathlib.Path(__file__).resolve().parents[1] / "data" / "csrc"
