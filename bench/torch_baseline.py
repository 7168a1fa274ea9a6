"""The native trainer's benchmark, done with PyTorch: one thread per model, one model alone and two processes at once.

Usage: torch_baseline.py [EPOCHS per timed run, 10] [ROUNDS of which the best counts, 5]
Prints one JSON object: seconds per epoch, for PyTorch's default optimisers and for its fused ones.
"""

import json
import sys
import time

import torch
import torch.multiprocessing as multiprocessing

RECORDS, TRAINING_ROWS, WIDTH, CLASSES, BATCH = 5_000, 2_505, 446, 30, 64


def records():
    generator = torch.Generator().manual_seed(1)
    labels = torch.randint(CLASSES, (RECORDS,), generator=generator)
    leaning = torch.rand(CLASSES, WIDTH, generator=generator)
    chance = 0.3 + 0.4 * leaning[labels]
    return (torch.rand(RECORDS, WIDTH, generator=generator) < chance).float(), labels


def optimiser(name, parameters):
    kind, _, fused = name.partition("_")
    fused = True if fused else None
    if kind == "sgd":
        return torch.optim.SGD(parameters, lr=0.01, momentum=0.9, fused=fused)
    return torch.optim.Adam(parameters, lr=1e-3, fused=fused)


def model(features, labels, name, epochs, number):
    """Train one model; the last epoch's mean loss."""
    torch.manual_seed(number)
    rows = torch.randperm(RECORDS)[:TRAINING_ROWS]
    widths = [WIDTH, 512, 256, 128, CLASSES]
    layers = [torch.nn.Linear(widths[0], widths[1])]
    for inputs, outputs in zip(widths[1:], widths[2:]):
        layers += [torch.nn.ReLU(), torch.nn.Linear(inputs, outputs)]
    network = torch.nn.Sequential(*layers)
    step = optimiser(name, network.parameters())
    criterion = torch.nn.CrossEntropyLoss()
    for _ in range(epochs):
        total = torch.zeros(())
        for batch in rows[torch.randperm(TRAINING_ROWS)].split(BATCH):
            step.zero_grad()
            loss = criterion(network(features[batch]), labels[batch])
            loss.backward()
            step.step()
            total += loss.detach() * len(batch)
    return float(total) / TRAINING_ROWS


def worker(number, inbox, outbox):
    torch.set_num_threads(1)
    features, labels = records()
    model(features, labels, "sgd", 1, number)
    outbox.put(None)
    for name, epochs in iter(inbox.get, None):
        outbox.put(model(features, labels, name, epochs, number))


def main():
    epochs, rounds = (int(text) for text in (sys.argv[1:] + ["10", "5"][len(sys.argv) - 1 :]))
    workers = []
    for number in range(2):
        inbox, outbox = multiprocessing.Queue(), multiprocessing.Queue()
        process = multiprocessing.Process(target=worker, args=(number, inbox, outbox))
        process.start()
        outbox.get()
        workers.append((process, inbox, outbox))

    def seconds(count, name):
        start = time.perf_counter()
        for _, inbox, _ in workers[:count]:
            inbox.put((name, epochs))
        losses = [outbox.get() for _, _, outbox in workers[:count]]
        return (time.perf_counter() - start) / epochs, losses[0]

    result = {}
    for name in ("sgd", "adam", "sgd_fused", "adam_fused"):
        alone = min(seconds(1, name) for _ in range(rounds))
        both = min(seconds(2, name) for _ in range(rounds))
        result[name] = {
            "seconds_per_epoch_alone": alone[0],
            "seconds_per_epoch_of_two": both[0],
            "models_per_hour_50_epochs": 2 * 3600 / (50 * both[0]),
            "final_loss": alone[1],
        }
    print(json.dumps({"torch": torch.__version__, **result}))
    for process, inbox, _ in workers:
        inbox.put(None)
        process.join()


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
