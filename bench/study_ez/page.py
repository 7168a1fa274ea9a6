"""The page of the study, made of its stored numbers.

    python page.py bench/figures/study-ez.json docs/study-ez.md

A test compares the two.
"""

import json
import sys
from pathlib import Path

# What the tables are called on the page, and what stands above their numbers.
PARTS = {
    "fine_tunes": ("Fine-tunes and references", "AUC / TPR at 1% / TPR at 0.1%\n\n"),
    "full_and_lora": ("Full fine-tuning beside LoRA", ""),
    "ablations": ("Ablations of ez, last epoch, base as reference", "AUC (95% interval) / TPR at 1% / TPR at 0.1%\n\n"),
    "published": ("Published beside ours", ""),
}

HEAD = """# EZ-MIA's experiments, run again

This page is made by `cargo xtask study ez`; every number of ours is computed by that command. The paper is "Powerful
Training-Free Membership Inference Against Autoregressive Language Models" (arXiv:2601.12104); its numbers are marked.

{model}, fine-tuned on {members:,} pieces of {texts} of 128 words (128 tokens at most), beside as many that it never saw;
AdamW 1e-4 with linear decay, batch 16, {epochs} epochs, seed {seed}, on {device}. LoRA has rank 16, alpha 32 and dropout
0.05 on all linear layers. The distilled reference is the base, taught for four epochs by what the target says after 16
tokens of other pieces (112 new tokens, temperature 0.9, top-p 0.9). AUC with its 95% interval; TPR by the step rule.
"""

FOOT = """
## What could not be run again

- **GPT-2, GPT-J, Llama-2 and stable-code**, and **XSum, AG News and code**: neither these models nor these corpora can be had from
  package registries, so that the rows above share the paper's protocol and not its models. 10,000 members a run
  shrink to what the text has.
- **The epoch with the least loss on a validation set**, which the published code keeps: here every epoch is shown.
- **TPR interpolated on the ROC curve**, as published: here it is the step rule, which is never above it.
- **Prompts for the distilled reference** come from pieces of the same text that are neither members nor others; the published code
  takes another public corpus.
"""


def written(stored):
    """The page, of what the study stored."""
    parts = [HEAD.format(**stored["about"])]
    for name, (title, above) in PARTS.items():
        parts.append(f"\n## {title}\n\n{above}{shown(stored['tables'][name])}")
    return "".join(parts) + FOOT


def shown(table):
    lines = [table["columns"], ["---"] * len(table["columns"]), *table["rows"]]
    bars = ("|" + "|".join(line) + "|" if line[0] == "---" else "| " + " | ".join(line) + " |" for line in lines)
    return "".join(f"{line.replace('|  |', '| |')}\n" for line in bars)


def tables(found, ablated, last):
    """Everything that the page shows, in words; columns and rows."""
    return {
        "fine_tunes": attacks_table(found),
        "full_and_lora": gap(found, last),
        "ablations": ablation_table(ablated),
        "published": published(found, ablated, last),
    }


def attacks_table(found):
    names = list(next(iter(found.values())))
    rows = []
    for run, measured in found.items():
        cells = [cell(measured[name]) if name in measured else "–" for name in names]
        rows.append([run.replace("-", ", "), *cells])
    return {"columns": ["fine-tune, epochs, reference", *names], "rows": rows}


def gap(found, last):
    full, lora = found[f"full-{last}-base"]["ez"], found[f"lora-{last}-base"]["ez"]
    rows = []
    for place, name in enumerate(("TPR at 1%", "TPR at 0.1%")):
        a, b = full["tpr"][place], lora["tpr"][place]
        rows.append([name, rate(a), rate(b), f"{a / b:.1f}" if a is not None and b else "–"])
    return {"columns": ["", "full", "LoRA", "ratio"], "rows": rows}


def ablation_table(ablated):
    names = list(next(iter(ablated.values())))
    rows = [[name, *(interval(rows[name]) for rows in ablated.values())] for name in names]
    return {"columns": ["ez with", *ablated], "rows": rows}


def published(found, ablated, last):
    base, distilled = found[f"full-{last}-base"]["ez"], found[f"full-{last}-distilled"]["ez"]
    errors = ablated["full"]["errors only (the paper's choice)"]["auc"][0]
    successes = ablated["full"]["successes only"]["auc"][0]
    share = ablated["full"]["share of rises"]["auc"][0]
    ratio = gap_ratio(found, last)
    rows = [
        ("ez, full fine-tune, AUC", "about 0.98 (GPT-2, WikiText)", f"{base['auc'][0]:.3f}"),
        ("the same, TPR at 1%", "66.3%", rate(base["tpr"][0])),
        ("the same, TPR at 0.1%", "14.0%", rate(base["tpr"][1])),
        ("errors less successes, AUC", "+0.1", f"{errors - successes:+.3f}"),
        ("ratio less share of rises, AUC", "about the same", f"{errors - share:+.3f}"),
        ("distilled less base as reference, AUC", "a marginal gain", f"{distilled['auc'][0] - base['auc'][0]:+.3f}"),
        ("full over LoRA, TPR at 1%", "55 times (GPT-2, XSum)", ratio),
    ]
    return {"columns": ["", "published", "here"], "rows": [list(row) for row in rows]}


def gap_ratio(found, last):
    full, lora = (found[f"{way}-{last}-base"]["ez"]["tpr"][0] for way in ("full", "lora"))
    return f"{full / lora:.1f} times" if full is not None and lora else "–"


def rate(value):
    return "–" if value is None else f"{100 * value:.1f}%"


def cell(row):
    return f"{row['auc'][0]:.3f} / {rate(row['tpr'][0])} / {rate(row['tpr'][1])}"


def interval(row):
    value, low, high = row["auc"]
    return f"{value:.3f} ({low:.3f}–{high:.3f}) / {rate(row['tpr'][0])} / {rate(row['tpr'][1])}"


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(written(json.loads(Path(sys.argv[1]).read_text())))
