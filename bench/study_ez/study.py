"""EZ-MIA's experiments, run again on a small model: full fine-tunes and LoRA, three epochs, base and distilled
references, and the paper's ablations. Writes a page with ours beside what is published.

    python study.py --model FOLDER_OR_GGUF --texts LONG.txt --work FOLDER --figures bench/figures/study-ez.json --page docs/study-ez.md

`cargo xtask study ez` calls it. Token signals stay in the work folder: a study that was stopped goes on there.
"""

import argparse
import copy
import json
from datetime import date
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import guestlist
import protocol
from guestlist import collect
from page import tables, written

ATTACKS = ["lm-loss", "min-k-plus-plus", "ratio", "wbc", "ez", "ez-published", "ez-smoothed"]
ABLATIONS = {
    "errors only (the paper's choice)": {},
    "all positions": {"ez.positions": "all"},
    "successes only": {"ez.positions": "successes"},
    "error = not among the first 5": {"ez.top": 5},
    "error = not among the first 10": {"ez.top": 10},
    "share of rises": {"ez.aggregate": "positive-fraction"},
    "rises less falls": {"ez.aggregate": "difference"},
    "first position counted": {"ez.skip": 0},
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--texts", type=Path, required=True, help="one long text: members and non-members are cut from it")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--figures", type=Path, required=True, help="where the numbers are stored")
    parser.add_argument("--page", type=Path, required=True)
    parser.add_argument("--count", type=int, default=2000, help="members, and as many non-members")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1337)
    return parser.parse_args()


def opened(path):
    if path.suffix == ".gguf":
        where = {"pretrained_model_name_or_path": path.parent, "gguf_file": path.name}
    else:
        where = {"pretrained_model_name_or_path": path}
    model = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
    return model.to(protocol.device()).eval(), AutoTokenizer.from_pretrained(**where)


class Study:
    def __init__(self, asked):
        self.asked, self.work = asked, asked.work
        self.work.mkdir(parents=True, exist_ok=True)
        self.base, self.tokenizer = opened(asked.model)
        self.members, self.others, self.public = protocol.sets(asked.texts, asked.count, asked.seed)
        self.texts = self.members + self.others
        self.flags = [True] * len(self.members) + [False] * len(self.others)

    def signals(self, name, target, reference):
        path = self.work / f"{name}.parquet"
        collect.tokens(path, target, reference, self.tokenizer, self.texts, self.flags, max_length=protocol.TOKENS)
        return path

    def ways(self):
        """Fine-tunes in full and by LoRA; signals after every epoch, and a distilled reference after the last."""
        for way in ("full", "lora"):
            last = self.work / f"{way}-{self.asked.epochs}-distilled.parquet"
            if last.exists():
                continue
            print(f"fine-tuning: {way}", flush=True)
            model = copy.deepcopy(self.base)
            model = protocol.adapted(model) if way == "lora" else model
            for epoch in protocol.train(model, self.tokenizer, self.members, self.asked.epochs, self.asked.seed):
                self.signals(f"{way}-{epoch}-base", model, self.base)
            self.signals(last.stem, model, self.distilled(model))

    def distilled(self, target):
        """The base, taught by what the target says after prompts from texts that are neither members nor others."""
        said = protocol.generated(target, self.tokenizer, self.public, len(self.members), self.asked.seed)
        print(f"  distilling from {len(said)} generated texts", flush=True)
        reference = copy.deepcopy(self.base)
        for _ in protocol.train(reference, self.tokenizer, said, protocol.DISTILLING, self.asked.seed):
            pass
        return reference

    def measured(self):
        """Measures by file and attack, and of the ablations."""
        found = {}
        for path in sorted(self.work.glob("*.parquet")):
            found[path.stem] = measures(path, ATTACKS, {})
        ablated = {}
        for way in ("full", "lora"):
            path = self.work / f"{way}-{self.asked.epochs}-base.parquet"
            ablated[way] = {name: measures(path, ["ez"], settings)["ez"] for name, settings in ABLATIONS.items()}
        return found, ablated


def measures(path, attacks, settings):
    """AUC with its interval, and TPR at 1% and 0.1% by the step rule, where so few non-members allow them."""
    report = guestlist.audit_tokens(path, attacks=attacks, settings=settings, fpr=[0.01, 0.001], force=True, progress=False)
    rows = {}
    for name, attack in report.attacks.items():
        rates = {point["fpr"]: point.get("value") for point in attack["tpr_at_fpr"]}
        auc = attack["auc"]
        rows[name] = {"auc": [auc["value"], auc["low"], auc["high"]], "tpr": [rates.get(0.01), rates.get(0.001)]}
    return rows


def main():
    asked = arguments()
    study = Study(asked)
    study.ways()
    found, ablated = study.measured()
    about = {
        "model": asked.model.stem, "texts": asked.texts.name, "members": len(study.members), "epochs": asked.epochs,
        "seed": asked.seed, "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU",
    }
    stored = {
        "command": "cargo xtask study ez --texts FILE", "made": f"on {about['device']}, {date.today()}", "about": about,
        "tables": tables(found, ablated, asked.epochs), "found": found, "ablated": ablated,
    }
    asked.figures.write_text(json.dumps(stored, indent=1) + "\n")
    asked.page.write_text(written(stored))
    print(f"wrote {asked.figures} and {asked.page}")


if __name__ == "__main__":
    main()
