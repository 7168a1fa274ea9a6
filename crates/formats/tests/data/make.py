"""Makes the files beside it with the libraries that users write them with.

All of them hold the same small table: 3 models, 5 records, numbers that every float width
holds exactly. Needs numpy, pyarrow and safetensors.
"""

import pathlib
import zipfile

import numpy
import pyarrow
import pyarrow.parquet
import safetensors.numpy

here = pathlib.Path(__file__).parent
models, records = 3, 5
m, r = numpy.meshgrid(numpy.arange(models), numpy.arange(records), indexing="ij")
phi = (7 * m - 3 * r) / 4
keep = (m + r) % 2 == 1
labels = numpy.arange(records) % 3
ids = numpy.array(["r0", "é1", "<b>2", "三", "r4"])
augmented = numpy.stack([phi, phi + 0.5], axis=-1)

numpy.savez(here / "stored_f32.npz", phi=phi.astype("f4"), keep=keep, ids=ids, labels=labels)
numpy.savez_compressed(
    here / "compressed_f16_fortran.npz",
    phi=numpy.asfortranarray(phi.astype("f2")),
    keep=numpy.asfortranarray(keep.astype("i8")),
    ids=numpy.char.encode(ids, "utf-8"),
    labels=labels.astype("u1"),
)
numpy.savez(
    here / "stored_big_endian.npz",
    phi=phi.astype(">f8"),
    keep=keep.astype(">f4"),
    ids=ids.astype(">U4"),
    labels=labels.astype(">i2").reshape(-1, 1),
)
numpy.savez_compressed(
    here / "augmented.npz", phi=augmented, keep=keep.astype("u1"), ids=ids, labels=labels
)
with zipfile.ZipFile(here / "zip64.npz", "w") as archive:
    for name, array in [("phi", phi), ("keep", keep), ("ids", ids), ("labels", labels)]:
        with archive.open(name + ".npy", "w", force_zip64=True) as out:
            numpy.lib.format.write_array(out, array)
numpy.savez(here / "objects.npz", phi=numpy.array([[1.0, None], [2.0, 3.0]]), keep=keep)

tensors = {"phi": phi.astype("f4"), "keep": keep, "labels": labels}
safetensors.numpy.save_file(tensors, here / "f32.safetensors")
bfloat = (phi.astype("<f4").view("<u4") >> 16).astype("<u2")
header = (
    '{"phi":{"dtype":"BF16","shape":[3,5],"data_offsets":[0,30]},'
    '"keep":{"dtype":"U8","shape":[3,5],"data_offsets":[30,45]},'
    '"labels":{"dtype":"I64","shape":[5],"data_offsets":[45,85]}}'
).encode()
body = bfloat.tobytes() + keep.astype("u1").tobytes() + labels.astype("<i8").tobytes()
(here / "bf16.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + body)


def parquet(name, phi_type, keep_type, id_type, phi=phi, keep=keep):
    table = pyarrow.table(
        {
            "extra": pyarrow.array(range(records)),
            "id": pyarrow.array(ids.tolist()).cast(id_type),
            "keep": pyarrow.array(keep.T.tolist(), keep_type),
            "label": pyarrow.array(labels.astype("i4")),
            "phi": pyarrow.array(phi.swapaxes(0, 1).tolist(), phi_type),
        }
    )
    pyarrow.parquet.write_table(table, here / name, row_group_size=3, write_statistics=False)


boolean, integer = pyarrow.list_(pyarrow.bool_()), pyarrow.list_(pyarrow.int32())
text, category = pyarrow.string(), pyarrow.dictionary(pyarrow.int8(), pyarrow.string())
parquet("list_f32.parquet", pyarrow.list_(pyarrow.float32()), boolean, text)
parquet(
    "large_list_f64.parquet",
    pyarrow.large_list(pyarrow.float64()),
    integer,
    pyarrow.large_string(),
    keep=keep.astype("i4"),
)
parquet(
    "fixed_list_f16.parquet",
    pyarrow.list_(pyarrow.float16(), models),
    pyarrow.list_(pyarrow.bool_(), models),
    category,
    phi=phi.astype("f2"),
)
parquet(
    "augmented.parquet",
    pyarrow.list_(pyarrow.list_(pyarrow.float64())),
    boolean,
    text,
    phi=augmented,
)
