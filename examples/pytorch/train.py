"""Trains one convolutional network of a guestlist audit: python3 train.py JOB

guestlist calls this once per model, several at once, each with its own GPU where the
configuration shares them out. The job file says which records to train on and where to write the
logits of every record.
"""

import json
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional

SIDE = 32  # pixels of an image's side, as in CIFAR
STEP = 4  # pixels by which crops move an image at most
# How far the queries move an image, (down, right), in the order in which they are used.
MOVES = [(0, 0), (0, STEP), (STEP, 0), (0, -STEP), (-STEP, 0)]


def images_of(job):
    """All images as [records, 3, 32, 32], centred on 0."""
    if "images" in job["parameters"]:  # bytes of colour images: fetch_cifar10.py writes them
        images = torch.from_numpy(np.load(job["parameters"]["images"])).float() / 255
    else:  # a CSV of 8 × 8 grey pixels from 0 to 16, the label last: enlarged, thrice the same
        table = np.loadtxt(job["data"], delimiter=",", skiprows=1, dtype=np.float32)
        small = torch.from_numpy(table[:, :-1]).reshape(-1, 1, 8, 8) / 16
        images = functional.interpolate(small, size=SIDE, mode="bilinear").repeat(1, 3, 1, 1)
    return (images - 0.5) / 0.25


def network(width, classes):
    def block(inputs, outputs):
        return [nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]

    return nn.Sequential(
        *block(3, width), nn.MaxPool2d(2),
        *block(width, 2 * width), nn.MaxPool2d(2),
        *block(2 * width, 4 * width), nn.MaxPool2d(2),
        *block(4 * width, 4 * width), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(4 * width, classes),
    )  # fmt: skip


def augmented(images, flips):
    """Every image moved at random by up to STEP pixels and, where that makes sense, mirrored."""
    count, device = len(images), images.device
    place = torch.arange(SIDE, device=device)
    down, right = (torch.randint(2 * STEP + 1, (count, 1), device=device) + place for _ in range(2))
    if flips:
        mirror = torch.rand(count, 1, device=device) < 0.5
        right = torch.where(mirror, right.flip(1), right)
    padded = functional.pad(images, [STEP] * 4, mode="reflect")
    record = torch.arange(count, device=device)[:, None, None]
    return padded.movedim(1, 3)[record, down[:, :, None], right[:, None, :]].movedim(3, 1)


def views(images, moves, flips):
    """The ways in which a record is asked about: moved, and each of them mirrored as well."""
    padded = functional.pad(images, [STEP] * 4, mode="reflect")
    for down, right in MOVES[:moves]:
        view = padded[:, :, STEP + down :, STEP + right :][:, :, :SIDE, :SIDE]
        yield view
        if flips:
            yield view.flip(3)


def fit(model, images, labels, settings):
    size, epochs = settings["batch_size"], settings["epochs"]
    optimiser = torch.optim.SGD(
        model.parameters(), settings["learning_rate"],
        momentum=0.9, nesterov=True, weight_decay=settings["weight_decay"],
    )  # fmt: skip
    steps = epochs * -(-len(images) // size)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    model.train()
    for epoch in range(epochs):
        total = 0.0
        for chosen in torch.randperm(len(images), device=images.device).split(size):
            batch = images[chosen]
            if settings["augment"]:
                batch = augmented(batch, settings["flips"])
            loss = functional.cross_entropy(model(batch), labels[chosen])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item() * len(chosen)
        print(f"epoch {epoch + 1} of {epochs}: loss {total / len(images):.4f}", flush=True)


@torch.no_grad()
def logits_of(model, images, settings):
    """[records, queries, classes]; guestlist averages an attack's scores over the queries."""
    model.eval()
    answers = []
    for part in images.split(1024):
        asked = views(part, settings["query_moves"], settings["flips"])
        answers.append(torch.stack([model(view) for view in asked], dim=1).cpu())
    return torch.cat(answers).numpy()


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    settings = job["parameters"]
    torch.manual_seed(job["seed"])
    device = "cuda" if torch.cuda.is_available() else "cpu"

    images = images_of(job).to(device)
    labels = torch.from_numpy(np.load(job["labels"])).long().to(device)
    rows = torch.from_numpy(np.load(job["rows"])).to(device)  # what this model may learn from

    model = network(settings["width"], job["classes"]).to(device)
    fit(model, images[rows], labels[rows], settings)
    logits = logits_of(model, images, settings)
    np.save(job["output"], logits)

    right = torch.from_numpy(logits[:, 0].argmax(1)).to(device) == labels
    rest = torch.ones_like(right).index_fill(0, rows, False)
    print(f"accuracy on its own records {right[rows].float().mean():.4f}")
    print(f"accuracy on the others      {right[rest].float().mean():.4f}")


main()
