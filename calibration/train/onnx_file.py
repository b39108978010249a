# SPDX-License-Identifier: Apache-2.0
"""Writes a network as an ONNX file, which OpenCV reads; no library is needed.

An ONNX file is a message of protocol buffers. Source: *onnx.proto3* of ONNX 1.8 (opset 13) for
the numbers of the fields, and *Encoding* in the documentation of Protocol Buffers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from calibration.train.network import LAYERS, Array

_VARINT, _BYTES = 0, 2
_FLOAT: Final = 1
_INTS, _INT = 7, 2
_IR_VERSION, _OPSET = 8, 13


def onnx_file(weights: Sequence[Array], channels: int, edge: int) -> bytes:
    """The file of a network with *weights*, from windows to the shares of the classes."""
    nodes, tensors, name = [], [], "cells"
    for number, (_, _, stride) in enumerate(LAYERS):
        one, two = f"weight{number}", f"bias{number}"
        tensors += [_tensor(one, weights[2 * number]), _tensor(two, weights[2 * number + 1])]
        how = [
            _integers("kernel_shape", [3, 3]),
            _integers("pads", [1, 1, 1, 1]),
            _integers("strides", [stride, stride]),
        ]
        nodes.append(_node("Conv", [name, one, two], f"conv{number}", how))
        name = f"relu{number}"
        nodes.append(_node("Relu", [f"conv{number}"], name))
    nodes.append(_node("Flatten", [name], "flat", [_integer("axis", 1)]))
    tensors += [_tensor("weight", weights[-2]), _tensor("bias", weights[-1])]
    nodes.append(_node("Gemm", ["flat", "weight", "bias"], "logits", [_integer("transB", 1)]))
    nodes.append(_node("Softmax", ["logits"], "shares", [_integer("axis", 1)]))
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, b"cells")
    graph += b"".join(_field(5, tensor) for tensor in tensors)
    graph += _field(11, _value("cells", [None, channels, edge, edge]))
    graph += _field(12, _value("shares", [None, len(weights[-1])]))
    return _number(1, _IR_VERSION) + _field(7, graph) + _field(8, _number(2, _OPSET))


def _varint(value: int) -> bytes:
    """*value* in groups of seven bits, the lowest first."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def _number(field: int, value: int) -> bytes:
    """An integer field."""
    return _varint(field << 3 | _VARINT) + _varint(value)


def _field(field: int, content: bytes | str) -> bytes:
    """A field of text or of another message."""
    data = content.encode() if isinstance(content, str) else content
    return _varint(field << 3 | _BYTES) + _varint(len(data)) + data


def _integers(name: str, values: Sequence[int]) -> bytes:
    """An attribute of a node."""
    return _field(1, name) + b"".join(_number(8, value) for value in values) + _number(20, _INTS)


def _integer(name: str, value: int) -> bytes:
    """An attribute of a node."""
    return _field(1, name) + _number(3, value) + _number(20, _INT)


def _node(kind: str, inputs: Sequence[str], output: str, attributes: Sequence[bytes] = ()) -> bytes:
    """An operation."""
    fields = b"".join(_field(1, name) for name in inputs) + _field(2, output) + _field(4, kind)
    return fields + b"".join(_field(5, attribute) for attribute in attributes)


def _tensor(name: str, values: Array) -> bytes:
    """Constant values."""
    shape = b"".join(_number(1, size) for size in values.shape)
    data = np.ascontiguousarray(values, "<f4").tobytes()
    return shape + _number(2, _FLOAT) + _field(8, name) + _field(9, data)


def _value(name: str, shape: Sequence[int | None]) -> bytes:
    """An input or output of the graph; None is a free size."""
    sizes = (_field(2, "n") if size is None else _number(1, size) for size in shape)
    dimensions = b"".join(_field(1, size) for size in sizes)
    return _field(1, name) + _field(2, _field(1, _number(1, _FLOAT) + _field(2, dimensions)))
