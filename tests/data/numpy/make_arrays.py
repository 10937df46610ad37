#!/usr/bin/env python3
"""Makes the files of this folder with numpy (1.24 was used). Array k of n elements holds
k, k + 1, .. in C order of its shape, as its own type; bool: odd ones true."""
import os
import numpy as np
from numpy.lib import format as npy

os.chdir(os.path.dirname(os.path.abspath(__file__)))


def counted(shape, dtype, start=0):
    n = int(np.prod(shape))
    values = np.arange(start, start + n)
    return (values % 2 == 1 if dtype == "?" else values.astype(dtype)).reshape(shape)


for version in [(1, 0), (2, 0), (3, 0)]:
    with open(f"v{version[0]}.npy", "wb") as file:
        npy.write_array(file, counted((2, 3), "<f4"), version=version)
np.save("fortran.npy", np.asfortranarray(counted((2, 3, 4), "<f8")))
np.save("fortran_i2.npy", np.asfortranarray(counted((2, 3), "<i2", -3)))
np.save("fortran_bool.npy", np.asfortranarray(counted((3, 3), "?")))
np.save("scalar.npy", np.float64(2.5))
np.save("empty.npy", np.zeros((0, 3), "<i4"))
np.save("big_endian.npy", counted((2,), ">f4"))
np.save("complex.npy", counted((2,), "<c8"))
TYPES = {"bool": "?", "i8": "i1", "u8": "u1", "i16": "<i2", "u16": "<u2", "i32": "<i4",
         "u32": "<u4", "i64": "<i8", "f16": "<f2", "f32": "<f4", "f64": "<f8"}
arrays = {name: counted((2, 3), code) for name, code in TYPES.items()}
np.savez("all_types.npz", **arrays)
np.savez_compressed("deflated.npz", **arrays, zeros=np.zeros((4, 8), "<f4"))
