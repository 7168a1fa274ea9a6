"""What needs no signals: attacks in words, and who trains on what."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import _guestlist, _options
from ._errors import UsageError, hinted
from ._progress import Listener, following


def attacks(kind: str | None = None) -> list[dict[str, str]]:
    """Every attack there is: ``id``, ``kind`` of target, ``summary``, ``needs`` and ``paper``.

    ``kind`` is classifier, lm, rag, source or fewshot; all by default.

    >>> import guestlist
    >>> "lira" in [attack["id"] for attack in guestlist.attacks("classifier")]
    True
    """
    cards = _guestlist.attacks()
    kinds = sorted({card["kind"] for card in cards})
    if kind is not None and kind not in kinds:
        raise hinted(UsageError, f"there is no kind {kind}", f"kinds are {', '.join(kinds)}")
    return [card for card in cards if kind in (None, card["kind"])]


def explain(id: str, width: int = 80) -> str:
    """What an attack, a measure or a guardrail means, in words.

    >>> import guestlist
    >>> print(guestlist.explain("lira").splitlines()[0][:5])
    lira:
    """
    _options.whole("width", width, "give how many characters a line may have")
    return _guestlist.explain(id, width)


def shadow_splits(
    records: int, models: int, seed: int = 0, *, progress: bool | Listener | None = None
) -> npt.NDArray[np.bool_]:
    """Which records each model trains on, ``[models, records]``, as ``guestlist run`` draws them.

    Row 0 is the audited model, with a random half of its own. The shadows come in complementary
    pairs: every record is in exactly half of an even number of shadows, and more models leave the
    earlier rows as they are.

    >>> import guestlist
    >>> keep = guestlist.shadow_splits(records=1000, models=17, seed=3)
    >>> keep.shape, set(keep[1:].sum(axis=0).tolist())
    ((17, 1000), {8})
    """
    _options.whole("records", records, "give how many records there are")
    _options.whole("models", models, "give how many models there are, the audited one and 2 shadows at least")
    _options.whole("seed", seed, "give a whole number from 0 to 2^64 - 1")
    with following(progress) as listener:
        drawn = _guestlist.shadow_splits(records, models, seed, listener)
    flags = np.frombuffer(drawn, dtype=np.bool_)
    return flags.reshape(models, records)
