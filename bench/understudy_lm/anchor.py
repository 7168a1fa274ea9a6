"""Joins what the networks say with `ez`, so that where they know less than it does little is lost.

    python anchor.py TAUGHT TABLES.json

TAUGHT is what ``teach.py`` wrote. The joined score is BOUND · tanh(network / BOUND) + WEIGHT · ln ez, `ez` brought within
e⁻⁴ and e⁴. For every corpus and every base model left out, bound and weight are chosen on all other fine-tunes, by what
networks that had not seen those said of them: fewest behind `ez` by more than .003 of AUC, then the largest mean. TABLES.json
receives what ``teach.py`` measured and what the joined scores are worth; the bound and weight that guestlist carries are
those chosen on all, and a line on top turns the joined score into log-odds again.
"""

import json
import sys
from pathlib import Path

import numpy as np

from measure import ranked
from network import KNOWN

BOUNDS, WEIGHTS = (1.0, 2.0, 3.0, np.inf), (1.0, 1.5, 2.0, 3.0, 4.0)
GRID = [(bound, weight) for bound in BOUNDS for weight in WEIGHTS]
BEHIND = -0.003


def joined(said, ez, bound, weight):
    return (said if np.isinf(bound) else bound * np.tanh(said / bound)) + weight * ez


def parts(stored, key):
    """Name → its part of one long array."""
    # Every look into the file would read the array anew.
    values, names, ends = stored[key], stored["names"], stored["ends"]
    return {str(name): values[begin:end] for name, begin, end in zip(names, [0, *ends[:-1]], ends)}


class Judge:
    def __init__(self, folder):
        self.tables = json.loads((folder / "tables.json").read_text())
        self.about, self.published = self.tables["about"], self.tables["published"]
        known = np.load(folder / "known.npz")
        self.ez = {n: part[:, KNOWN.index("ez")].astype(np.float64) for n, part in parts(known, "known").items()}
        self.member = parts(known, "member")
        said = parts(np.load(folder / "scores.npz"), "scores")
        # Sums over the beginnings; of the mean over them the joined score is made.
        self.said = {how: {name.partition("|")[2]: part.astype(np.float64) / 3 for name, part in said.items() if name.startswith(f"full {how}|")}
                     for how in ("corpus", "base")}

    def measured(self, how, name, choice):
        return ranked(joined(self.said[how][name], self.ez[name], *choice), self.member[name])

    def all_measured(self):
        """[how][choice][name]"""
        return {how: {choice: {name: self.measured(how, name, choice) for name in said} for choice in GRID}
                for how, said in self.said.items()}

    def learnt(self, name):
        return self.about[name]["kind"] == "end" and not self.about[name]["null"]

    def chosen(self, found, keep):
        """Of the fine-tunes to keep, by both ways of leaving out."""
        def worth(choice):
            apart = [found[how][choice][n][0] - self.published[n]["ez"][0] for how in found for n in found[how][choice] if self.learnt(n) and keep(n)]
            return sum(a < BEHIND for a in apart), -np.mean(apart)
        return min(GRID, key=worth)

    def nested(self, found):
        """(judged, chosen by what was left out)"""
        judged, choices = {}, {}
        for how in found:
            for value in sorted({about[how] for about in self.about.values()}):
                choice = self.chosen(found, lambda n: self.about[n][how] != value)
                choices[f"{how} {value}"] = choice
                judged.setdefault(how, {}).update({n: m for n, m in found[how][choice].items() if self.about[n][how] == value})
        return judged, choices

    def line(self, choice):
        """Offset and slope that make log-odds of the joined score, by logistic regression where base models are left out."""
        names = [n for n in self.said["base"] if self.about[n]["kind"] == "end"]
        x = np.concatenate([joined(self.said["base"][n], self.ez[n], *choice) for n in names])
        y = np.concatenate([self.member[n] for n in names]).astype(float)
        design, line = np.stack([np.ones_like(x), x], 1), np.zeros(2)
        for _ in range(30):
            p = 1 / (1 + np.exp(-design @ line))
            line += np.linalg.solve((design * (p * (1 - p))[:, None]).T @ design, design.T @ (y - p))
        return line.tolist()


def main():
    folder = Path(sys.argv[1])
    judge = Judge(folder)
    found = judge.all_measured()
    judged, choices = judge.nested(found)
    choice = judge.chosen(found, lambda _: True)
    offset, slope = judge.line(choice)
    tables = judge.tables
    tables["anchored"] = {
        "judged": judged, "choices": choices, "tried": len(GRID), "bound": choice[0], "weight": choice[1],
        "offset": offset, "slope": slope,
        "grid": [{"bound": str(c[0]), "weight": c[1], **{how: behind_of(judge, found[how][c]) for how in found}} for c in GRID],
    }
    # Of the ways of learning that competed, what they were chosen by.
    tables["ways"] = {way: {how: behind_of(judge, rows) for how, rows in found.items()} for way, found in tables["ways"].items()}
    Path(sys.argv[2]).write_text(json.dumps(rounded(tables)) + "\n")
    for how in judged:
        print(how, behind_of(judge, judged[how]))
    print(choices, {name: tables["anchored"][name] for name in ("bound", "weight", "offset", "slope")})


def rounded(value):
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(part) for part in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value


def behind_of(judge, found):
    """How many fine-tunes are behind `ez`, and by how much at the most."""
    apart = [found[n][0] - judge.published[n]["ez"][0] for n in found if judge.learnt(n)]
    return [int(sum(a < BEHIND for a in apart)), len(apart), float(-min(apart))]


if __name__ == "__main__":
    main()
