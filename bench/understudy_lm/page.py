"""The page of `understudy-lm` from what ``teach.py`` and ``anchor.py`` measured.

    python page.py tables.json ../../docs/understudy-lm.md
"""

import json
import statistics
import sys

BASES = {
    "smol": "SmolLM2-135M-Instruct (Llama, 135 M)", "gemma": "Gemma 3 270M, its vocabulary cut to 70,126 tokens (145 M)",
    "stories": "stories15M (Llama, 15 M)", "gpt2-wiki": "a GPT-2 of 34 M, trained for this on Wikipedia",
    "neox-wiki": "a GPT-NeoX of 17 M, likewise", "qwen-wiki": "a Qwen 2 of 20 M, likewise",
}
PEERS = ("ez", "ez-smoothed", "wbc", "ratio", "min-k-plus-plus")
ACCESS = {
    "full": "all of both models", "moments": "no ranks and moments of the reference", "ranks": "ranks up to 5 of the target alone",
    "bare": "log-probabilities alone",
}
TEXT = """# understudy-lm

An attack of our own on fine-tuned language models: a small network that other fine-tunes have taught, and `ez`, which it moves.
`guestlist explain understudy-lm` says what it asks and when it misleads; this page says how it is made and what was measured.
It is written by `python bench/understudy_lm/page.py`; [bench/understudy_lm](../bench/understudy_lm/README.md) has the whole course.

## What it does

At every predicted position but the first it sees up to twenty numbers: the log-probabilities of target and reference, their
difference as it is and clipped at 3, both models' mean and deviation over the vocabulary, log ranks, whether each errs, their
largest log-probabilities, both log-probabilities in deviations from the mean, and the changes of four of these in units of the
text's own mean change: how much a fine-tune changed says little about who was in it. Two dense layers of 64, one convolution
over five positions, pooled by mean, by a gate and by maximum; beside them what is known of the text as a whole (mean gain, share
of rises, `wbc`, length, balance of rises and falls, and where ranks are, `ez` and the share of errors). The mean of three
networks that began differently, bounded by {bound:g}, is added to {weight:g} times ln `ez`; a line turns the sum into the log-odds
that the text is a member, so that scores of different models compare. What a server does not tell is read by networks that were
taught without it; without ranks there is no `ez`, and the network speaks alone. Texts beyond 512 tokens are read in windows.

It learns from many fine-tunes what LT-MIA (arXiv:2604.03199) learns from some, and starts from EZ-MIA (arXiv:2601.12104). It
never sees a label of the audited model. With `--shadow`, token signals of a fine-tune of yours whose members you know, it learns
further before it reads, and then speaks alone; a shadow whose members tell the audited ones is refused.

## What it was taught on

{count} fine-tunes, {lora} of them by LoRA and the others in full, 1 to 5 epochs, texts of 32 to 512 tokens, {fewest} to {most} members and
as many others; among them {nulls} that never saw the "members". Learning rates are drawn evenly on a logarithmic scale, for every
base from hardly anything learnt to learnt by heart. Each also gave gentler targets that cost no training: {epoch} were read after
an earlier epoch, and {between} with weights between the reference's and their own. While it learns, half of all targets are moved
nearer to their reference or farther from it (by a factor of .05 to 1.5), and a quarter of all texts is cut short.
`bench/understudy_lm/finetunes.py` draws the fine-tunes: base, corpus, learning rate and all else come from a fine-tune's number.

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

Over all {middle} such fine-tunes; the last column is the networks without `ez`:

| left out | {peers} | understudy-lm | networks alone |
|---|{lines}|
{totals}

`ez` is ahead by more than .003 of AUC in {behind_corpus} of {rows} fine-tunes that learnt something when their corpus was left out (by
{worst_corpus} at the most), and in {behind_base} when their base model was (by {worst_base}):

{behind}

Where `ez` itself is that near to .5, hardly anything was learnt that could be found. Without `ez` the networks would be behind in
{alone_corpus} and {alone_base}, by up to {alone_worst_corpus} and {alone_worst_base}, {alone_lora} of those {alone_all} by LoRA, and ahead by more
elsewhere: that is what the anchor is for and what it costs. It costs most where networks would know most; where they know least,
as of the two larger base models, each when it had not taught them, they add {larger} to `ez`. Of the gentler targets {gentle_corpus} and
{gentle_base} of {gentle} are behind. Null fine-tunes: AUC {null_low} to {null_high} (corpus left out), {null_base_low} to {null_base_high}
(base left out).

What was tried: three ways of learning, with one beginning each, of which the one least often behind `ez` was taught from more
beginnings; and {tried} bounds and weights of `ez`, after some 60 other sums of the same numbers (with `wbc`, balances, lengths, more
networks) had been looked at and left. For each row above, bound and weight were chosen on the fine-tunes that are not in
the row; {agreed}. The way of learning was chosen on all fine-tunes, so the rows are that much too kind:

| way of learning, without `ez` | behind, corpus left out | behind, base model left out |
|---|---:|---:|
{behind_ways}

## By what is known

The networks alone; those of the three poorer kinds of access are judged from one beginning and carried from three. How the
poorer ones do beside `ez` was not measured apart.

| access | corpus left out | base model left out |
|---|---|---|
{access}

## With a shadow

{pairs} pairs of fine-tunes with one recipe, on texts of one corpus that the other never saw. "Elsewhere" is one network taught on
fine-tunes without that corpus and without that base model; "shadow alone" on the other fine-tune from nothing; the last row,
which is what `--shadow` does, elsewhere and then further by the shadow, twelve passes.

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
        self.stored = json.load(open(path))
        every = {n: a for n, a in self.stored["about"].items() if a["shadow"] is None}
        self.about = {n: a for n, a in every.items() if a["kind"] == "end"}
        self.gentle = {n: a for n, a in every.items() if a["kind"] != "end"}
        self.published, self.alone, self.anchored = self.stored["published"], self.stored["judged"], self.stored["anchored"]
        self.judged, self.pairs = self.anchored["judged"], self.stored["pairs"]

    def middle(self):
        return [n for n in self.learnt() if 0.6 <= self.published[n]["ez"][0] <= 0.95]

    def learnt(self):
        return [n for n, a in self.about.items() if not a["null"]]

    def nulls(self, how):
        return sorted(self.judged[how][n][0] for n, a in self.about.items() if a["null"])

    def behind(self, found, names):
        """Fine-tunes of which ez knows more, the worst first."""
        apart = {n: found[n][0] - self.published[n]["ez"][0] for n in names}
        return sorted((n for n in names if apart[n] < -0.003), key=apart.get), -min(apart.values())

    def told(self, how):
        for n in self.behind(self.judged[how], self.learnt())[0]:
            a, ours, ez = self.about[n], self.judged[how][n][0], self.published[n]["ez"][0]
            yield f"| {how.replace('base', 'base model')} | {a['base']}, {a['corpus']}, {'LoRA' if a['lora'] else 'in full'}, rate {a['rate']:.1e}, {a['epochs']} epoch{'s' * (a['epochs'] > 1)} | {number(ez)} | {number(ours)} |"

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
            ours = triple([self.judged[how][n] for n in chosen])
            lines.append(f"| {BASES.get(value, value)} | {len(chosen)} | {cells[0]} | {cells[1]} | {ours} |")
        return "\n".join(lines)

    def total(self, found):
        return triple([found[n] for n in self.middle()])

    def shadow(self):
        names = [*PEERS, "elsewhere", "shadow alone", "12 passes, faster"]
        rows = []
        for name in names:
            found = [pair["found"][name] for pair in self.pairs]
            means = [number(statistics.mean(row[k] for row in found)) for k in range(3)]
            rows.append(f"| {name.replace('12 passes, faster', 'elsewhere, then the shadow')} | {means[0]} | {means[1]} | {means[2]} |")
        return "\n".join(rows)

    def counts(self):
        """How many of what, and who is behind."""
        corpus, base = (self.behind(self.judged[how], self.learnt()) for how in ("corpus", "base"))
        alone = [self.behind(self.alone["full"][how], self.learnt()) for how in ("corpus", "base")]
        gentle = [n for n, a in self.gentle.items() if not a["null"]]
        gentle_behind = [len(self.behind(self.judged[how], gentle)[0]) for how in ("corpus", "base")]
        nulls, null_base = self.nulls("corpus"), self.nulls("base")
        both = alone[0][0] + alone[1][0]
        kinds = [a["kind"] for a in self.gentle.values()]
        larger = [self.judged["base"][n][0] - self.published[n]["ez"][0] for n in self.middle() if self.about[n]["base"] in ("smol", "gemma")]
        return {
            "behind_corpus": len(corpus[0]), "worst_corpus": number(corpus[1]), "behind_base": len(base[0]), "worst_base": number(base[1]),
            "alone_corpus": len(alone[0][0]), "alone_base": len(alone[1][0]), "alone_worst_corpus": number(alone[0][1]),
            "alone_worst_base": number(alone[1][1]), "alone_lora": sum(self.about[n]["lora"] for n in both), "alone_all": len(both),
            "larger": number(statistics.mean(larger)), "gentle_corpus": gentle_behind[0], "gentle_base": gentle_behind[1], "gentle": len(gentle),
            "nulls": len(nulls), "null_low": number(nulls[0]), "null_high": number(nulls[-1]), "null_base_low": number(null_base[0]),
            "null_base_high": number(null_base[-1]), "epoch": kinds.count("epoch"), "between": kinds.count("between"),
            "count": len(self.about), "lora": sum(a["lora"] for a in self.about.values()), "rows": len(self.learnt()),
            "fewest": f"{min(a['used'] for a in self.about.values()):,}", "most": f"{max(a['used'] for a in self.about.values()):,}",
        }


WAYS = {"plain": "by log-odds", "ranked": "by log-odds and by the order within a fine-tune", "sizeless": "the same without any number that depends on how much changed"}


def main():
    tables = Tables(sys.argv[1])
    stored = tables.stored
    peers = " | ".join(tables.total({n: tables.published[n][name] for n in tables.middle()}) for name in PEERS)
    table = ["| left out | fine-tune | ez | understudy-lm |", "|---|---|---:|---:|", *tables.told("corpus"), *tables.told("base")]
    page = TEXT.format(
        bound=tables.anchored["bound"], weight=tables.anchored["weight"], bases=tables.counted("base", BASES),
        corpora=tables.counted("corpus", {}), folds=tables.folds("corpus") + "\n\n" + tables.folds("base"),
        middle=len(tables.middle()), peers=" | ".join(PEERS), lines="|".join("---" for _ in range(len(PEERS) + 2)),
        totals="\n".join(f"| {name} | {peers} | {tables.total(tables.judged[how])} | {tables.total(tables.alone['full'][how])} |"
                         for name, how in (("corpus", "corpus"), ("base model", "base"))),
        behind="\n".join(table), tried=tables.anchored["tried"],
        agreed="all rows chose the same" if len({tuple(c) for c in tables.anchored["choices"].values()}) == 1 else "not all rows chose the same",
        behind_ways="\n".join(f"| {WAYS[way]} | {found['corpus'][0]} of {found['corpus'][1]} | {found['base'][0]} of {found['base'][1]} |" for way, found in stored["ways"].items()),
        pairs=len(tables.pairs), shadow=tables.shadow(),
        access="\n".join(f"| {name} | {tables.total(tables.alone[v]['corpus'])} | {tables.total(tables.alone[v]['base'])} |" for v, name in ACCESS.items()),
        **tables.counts(),
    )
    open(sys.argv[2], "w").write(page)


if __name__ == "__main__":
    main()
