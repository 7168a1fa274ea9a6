#!/usr/bin/env python3
"""Writes a GGUF file again with every tensor in f32.

    python scripts/gguf_to_f32.py quantised.gguf whole.gguf

llama.cpp rounds activations too when weights are quantised, which moves log-probabilities by
tenths of a nat. guestlist computes in f32, so the two are compared on a file in f32.
Needs: pip install gguf
"""

import sys

from gguf import GGUFReader, GGUFValueType, GGUFWriter, LlamaFileType, dequantize


def main(source, destination):
    reader = GGUFReader(source)
    architecture = bytes(reader.fields["general.architecture"].parts[-1]).decode()
    writer = GGUFWriter(destination, architecture)
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name == "general.architecture":
            continue
        if name == "general.file_type":
            writer.add_file_type(LlamaFileType.ALL_F32)
            continue
        kind = field.types[0]
        value = field.contents()
        if kind == GGUFValueType.ARRAY:
            writer.add_key_value(name, value, kind, sub_type=field.types[-1])
        else:
            writer.add_key_value(name, value, kind)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, dequantize(tensor.data, tensor.tensor_type).astype("float32"))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(*sys.argv[1:3])
