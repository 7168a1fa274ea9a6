"""The page of `understudy-lm` from what ``teach.py`` measured.

    python page.py tables.json ../../docs/understudy-lm.md
"""

import json
import statistics
import sys

BASES = {
    "smol": "SmolLM2-135M-Instruct (Llama, 135 M)", "gemma": "Gemma 3 270M (268 M)", "stories": "stories15M (Llama, 15 M)",
    "gpt2-wiki": "a GPT-2 of 34 M, trained for this on Wikipedia", "neox-wiki": "a GPT-NeoX of 17 M, likewise",
}
PEERS = ("ez", "ez-smoothed", "wbc", "ratio", "min-k-plus-plus")
ACCESS = {
    "full": "all of both models", "moments": "no ranks and moments of the reference", "ranks": "ranks up to 5 of the target alone",
    "bare": "log-probabilities alone",
}
TEXT = """# understudy-lm

An attack of our own on fine-tuned language models: a small network that other fine-tunes have taught. `guestlist explain
understudy-lm` says what it asks and when it misleads; this page says how it is made and what was measured. It is written by
`python bench/understudy_lm/page.py`, from what `bench/understudy_lm/teach.py` measured.

## What it does

At every predicted position but the first it sees up to sixteen numbers: the log-probabilities of target and reference, their
difference as it is and clipped at 3, both models' mean and deviation over the vocabulary, log ranks, whether each errs, their
largest log-probabilities, and both log-probabilities in deviations from the mean. Two dense layers of 64, one convolution over
five positions, pooled by mean, by a gate and by maximum; beside them what is known of the text as a whole (mean gain, share of
rises, `wbc`, length, and `ez-smoothed` where ranks are). The answer is the log-odds that the text is a member, so that scores of
different models compare; it is the mean of two networks that began differently. What a server does not tell is read by networks
that were taught without it. Texts beyond 512 tokens are read in windows.

It learns from many fine-tunes what LT-MIA (arXiv:2604.03199) learns from some, and starts from EZ-MIA (arXiv:2601.12104). It
never sees a label of the audited model. With `--shadow`, token signals of a fine-tune of yours whose members you know, it learns
further before it reads; a shadow whose members tell the audited ones is refused.

## What it was taught on

{count} fine-tunes in full or by LoRA, 1 to 5 epochs, texts of 32 to 512 tokens, 250 to 2,000 members and as many others; among
them {nulls} that never saw the "members". `bench/understudy_lm/finetunes.py` draws them: base, corpus, learning rate and all
else come from a fine-tune's number.

| base model | fine-tunes |
|---|---:|
{bases}

| corpus | fine-tunes |
|---|---:|
{corpora}

## Judged on what it was not taught on

For every row networks were taught anew without any text of that corpus, or without any fine-tune of that base model. Means over
the fine-tunes left out where `ez` lies between .6 and .95; AUC / TPR at 1% / TPR at 0.1%. Up to 600 members and 600 others are
judged in each fine-tune.

{folds}

Over all {middle} such fine-tunes:

| left out | {peers} | understudy-lm |
|---|{lines}|
{totals}

`ez` is ahead by more than .003 of AUC in {behind_corpus} of {rows} fine-tunes that learnt something when their corpus was left out
(by {worst_corpus} at the most), and in {behind_base} when their base model was (by {worst_base}): gentle fine-tunes above all, of which
the remaining base models had few. So `ez` is tried beside it in every audit. Null fine-tunes: AUC {null_low} to {null_high}
(corpus left out), {null_base_low} to {null_base_high} (base left out).

## By what is known

| access | corpus left out | base model left out |
|---|---|---|
{access}

## With a shadow

{pairs} pairs of fine-tunes with one recipe, on texts of one corpus that the other never saw. "Elsewhere" is taught on fine-tunes
without that corpus and without that base model; "shadow alone" on the other fine-tune from nothing; the last row, which is what
`--shadow` does, elsewhere and then further by the shadow, twelve passes (chosen on these pairs, among four ways).

| | AUC | TPR at 1% | TPR at 0.1% |
|---|---:|---:|---:|
{shadow}
"""


def number(value):
    return f"{value:.3f}".lstrip("0") if value < 0.9995 else "1.000"


def triple(rows):
    return " / ".join(number(statistics.mean(row[k] for row in rows)) for k in range(3))


class Tables:
    def __init__(self, path):
        stored = json.load(open(path))
        self.about = {a["number"]: a for a in stored["about"] if a["shadow"] is None}
        self.published = {int(n): found for n, found in stored["published"].items()}
        self.judged = {v: {how: {int(n): m for n, m in rows.items()} for how, rows in found.items()}
                       for v, found in stored["judged"].items()}
        self.pairs = stored["pairs"]

    def middle(self):
        return [n for n, a in self.about.items() if not a["null"] and 0.6 <= self.published[n]["ez"][0] <= 0.95]

    def learnt(self):
        return [n for n, a in self.about.items() if not a["null"]]

    def nulls(self, how):
        return sorted(self.judged["full"][how][n][0] for n, a in self.about.items() if a["null"])

    def behind(self, how):
        apart = [self.judged["full"][how][n][0] - self.published[n]["ez"][0] for n in self.learnt()]
        return sum(a < -0.003 for a in apart), -min(apart)

    def counted(self, key, names):
        values = [a[key] for a in self.about.values()]
        return "\n".join(f"| {names.get(v, v)} | {values.count(v)} |" for v in sorted(set(values)))

    def folds(self, how):
        lines = [f"| {'corpus' if how == 'corpus' else 'base model'} left out | fine-tunes | ez | wbc | understudy-lm |", "|---|---:|---|---|---|"]
        for value in sorted({a[how] for a in self.about.values()}):
            chosen = [n for n in self.middle() if self.about[n][how] == value]
            if not chosen:
                continue
            cells = [triple([self.published[n][name] for n in chosen]) for name in ("ez", "wbc")]
            ours = triple([self.judged["full"][how][n] for n in chosen])
            lines.append(f"| {BASES.get(value, value)} | {len(chosen)} | {cells[0]} | {cells[1]} | {ours} |")
        return "\n".join(lines)

    def total(self, how, variant="full"):
        return triple([self.judged[variant][how][n] for n in self.middle()])

    def shadow(self):
        names = [*PEERS, "elsewhere", "shadow alone", "12 passes, faster"]
        rows = []
        for name in names:
            found = [pair["found"][name] for pair in self.pairs]
            means = [number(statistics.mean(row[k] for row in found)) for k in range(3)]
            rows.append(f"| {name.replace('12 passes, faster', 'elsewhere, then the shadow')} | {means[0]} | {means[1]} | {means[2]} |")
        return "\n".join(rows)


def main():
    tables = Tables(sys.argv[1])
    peers = " | ".join(triple([tables.published[n][name] for n in tables.middle()]) for name in PEERS)
    corpus, base = tables.behind("corpus"), tables.behind("base")
    nulls, null_base = tables.nulls("corpus"), tables.nulls("base")
    page = TEXT.format(
        count=len(tables.about), nulls=len(nulls), bases=tables.counted("base", BASES), corpora=tables.counted("corpus", {}),
        folds=tables.folds("corpus") + "\n\n" + tables.folds("base"), middle=len(tables.middle()), peers=" | ".join(PEERS),
        lines="|".join("---" for _ in range(len(PEERS) + 1)),
        totals="\n".join(f"| {name} | {peers} | {tables.total(how)} |" for name, how in (("corpus", "corpus"), ("base model", "base"))),
        behind_corpus=corpus[0], worst_corpus=number(corpus[1]), behind_base=base[0], worst_base=number(base[1]),
        rows=len(tables.learnt()), null_low=number(nulls[0]), null_high=number(nulls[-1]), null_base_low=number(null_base[0]),
        null_base_high=number(null_base[-1]), pairs=len(tables.pairs), shadow=tables.shadow(),
        access="\n".join(f"| {name} | {tables.total('corpus', v)} | {tables.total('base', v)} |" for v, name in ACCESS.items()),
    )
    open(sys.argv[2], "w").write(page)


if __name__ == "__main__":
    main()
