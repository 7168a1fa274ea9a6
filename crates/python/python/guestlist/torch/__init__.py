"""Classifiers of PyTorch: from a model and data to a verdict.

``audit`` trains the audited model and its shadows on the devices that are there, in the fastest way that works for
the model, and judges. ``fewshot`` audits a trained model by a few known records, fine-tuning it in every episode, and
``features`` are what a model makes of records at any layer. ``views`` and ``flips_and_shifts`` are ways to ask about images and to train on them.
PyTorch is imported with this module, and not with ``guestlist``.
"""

try:
    import torch as _torch
except ImportError as error:
    _words = "guestlist.torch needs PyTorch, which is not installed; pip install torch"
    raise ImportError(_words) from error

from ._audit import audit
from ._features import features
from ._fewshot import fewshot
from ._queries import flips_and_shifts, views

__all__ = ["audit", "features", "fewshot", "flips_and_shifts", "views"]

del _torch
