"""The page of the study."""

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


def written(about, found, ablated):
    last = about["epochs"]
    parts = [HEAD.format(**about)]
    parts.append("\n## Fine-tunes and references\n\n" + attacks_table(found))
    parts.append("\n## Full fine-tuning beside LoRA\n\n" + gap(found, last))
    parts.append("\n## Ablations of ez, last epoch, base as reference\n\n" + ablation_table(ablated))
    parts.append("\n## Published beside ours\n\n" + published(found, ablated, last))
    parts.append(FOOT)
    return "".join(parts)


def attacks_table(found):
    names = list(next(iter(found.values())))
    lines = ["| fine-tune, epochs, reference | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for run, rows in found.items():
        way, epoch, reference = run.split("-")
        cells = [cell(rows[name]) if name in rows else "–" for name in names]
        lines.append(f"| {way}, {epoch}, {reference} | " + " | ".join(cells) + " |")
    return "AUC / TPR at 1% / TPR at 0.1%\n\n" + "\n".join(lines) + "\n"


def gap(found, last):
    full, lora = found[f"full-{last}-base"]["ez"], found[f"lora-{last}-base"]["ez"]
    lines = ["| | full | LoRA | ratio |", "|---|---|---|---|"]
    for place, name in enumerate(("TPR at 1%", "TPR at 0.1%")):
        a, b = full["tpr"][place], lora["tpr"][place]
        ratio = f"{a / b:.1f}" if a is not None and b else "–"
        lines.append(f"| {name} | {rate(a)} | {rate(b)} | {ratio} |")
    return "\n".join(lines) + "\n"


def ablation_table(ablated):
    names = list(next(iter(ablated.values())))
    lines = ["| ez with | " + " | ".join(ablated) + " |", "|---" * (len(ablated) + 1) + "|"]
    for name in names:
        lines.append(f"| {name} | " + " | ".join(interval(rows[name]) for rows in ablated.values()) + " |")
    return "AUC (95% interval) / TPR at 1% / TPR at 0.1%\n\n" + "\n".join(lines) + "\n"


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
    lines = ["| | published | here |", "|---|---|---|"]
    return "\n".join(lines + [f"| {a} | {b} | {c} |" for a, b, c in rows]) + "\n"


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
