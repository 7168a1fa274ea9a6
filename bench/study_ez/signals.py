"""Token signals of EZ-MIA's experiments, run again on a small model: full fine-tunes and LoRA, three epochs, base and
distilled references.

    python signals.py --model FOLDER_OR_GGUF --texts LONG.txt --work FOLDER

`cargo xtask study ez` calls it, and makes the page of them by `guestlist study ez`. Signals stay in the work folder: a study
that was stopped goes on there.
"""

import argparse
import copy
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import protocol
from guestlist import collect

ABOUT = """{model}, fine-tuned on {members:,} pieces of {texts} of 128 words (128 tokens at most), beside as many that it never \
saw; AdamW 1e-4 with linear decay, batch 16, {epochs} epochs, seed {seed}, on {device}. LoRA has rank 16, alpha 32 and dropout \
0.05 on all linear layers. A distilled reference is the base, taught for four epochs by what the target says after 16 tokens of \
further pieces of the same text (112 new tokens, temperature 0.9, top-p 0.9; the published code takes another public corpus). \
Names say the way, the epoch and the reference. The paper's models (GPT-2, GPT-J, Llama-2, stable-code) and texts (XSum, AG News, \
code) cannot be had from package registries: its protocol is shared here, its models are not. cargo xtask study ez --texts FILE \
makes models, signals and page.
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--texts", type=Path, required=True, help="one long text: members and non-members are cut from it")
    parser.add_argument("--work", type=Path, required=True)
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

    def ways(self):
        """Fine-tunes in full and by LoRA; signals after every epoch, and a distilled reference after the last."""
        for way in ("full", "lora"):
            last = f"{way}-{self.asked.epochs}-distilled"
            if (self.work / f"{last}.parquet").exists():
                continue
            print(f"fine-tuning: {way}", flush=True)
            model = copy.deepcopy(self.base)
            model = protocol.adapted(model) if way == "lora" else model
            for epoch in protocol.train(model, self.tokenizer, self.members, self.asked.epochs, self.asked.seed):
                self.signals(f"{way}-{epoch}-base", model, self.base)
            self.signals(last, model, self.distilled(model))

    def distilled(self, target):
        """The base, taught by what the target says after prompts from texts that are neither members nor others."""
        said = protocol.generated(target, self.tokenizer, self.public, len(self.members), self.asked.seed)
        print(f"  distilling from {len(said)} generated texts", flush=True)
        reference = copy.deepcopy(self.base)
        for _ in protocol.train(reference, self.tokenizer, said, protocol.DISTILLING, self.asked.seed):
            pass
        return reference

    def about(self):
        asked = self.asked
        told = {"model": asked.model.stem, "texts": asked.texts.name, "members": len(self.members), "epochs": asked.epochs}
        device = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
        return ABOUT.format(**told, seed=asked.seed, device=device)


def main():
    study = Study(arguments())
    (study.work / "about.txt").write_text(study.about())
    study.ways()


if __name__ == "__main__":
    main()
