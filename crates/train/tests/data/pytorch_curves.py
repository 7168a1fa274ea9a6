"""Writes pytorch_curves.json: initial weights, records and PyTorch's loss curves for tiny networks.

Usage: pytorch_curves.py > pytorch_curves.json   (full batches, so that no order of records enters)
"""

import json

import torch

ACTIVATIONS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh, "gelu": torch.nn.GELU}
CASES = [
    ("sgd", "relu", "constant", {}),
    ("momentum", "tanh", "constant", {"weight_decay": 0.01}),
    ("nesterov", "gelu", "cosine", {}),
    ("adam", "gelu", "step", {"weight_decay": 0.01}),
    ("adamw", "relu", "constant", {"weight_decay": 0.1}),
    ("adam", "tanh", "constant", {"class_weights": [0.5, 2.0, 1.0], "label_smoothing": 0.1}),
    ("momentum", "relu", "constant", {"clip_norm": 0.2}),
]
EPOCHS = 25


def optimiser(name, parameters, decay):
    if name == "adam":
        return torch.optim.Adam(parameters, lr=0.02, weight_decay=decay)
    if name == "adamw":
        return torch.optim.AdamW(parameters, lr=0.02, weight_decay=decay)
    momentum = 0.0 if name == "sgd" else 0.9
    return torch.optim.SGD(parameters, lr=0.05, momentum=momentum, nesterov=name == "nesterov", weight_decay=decay)


def scheduler(name, step):
    if name == "cosine":
        return torch.optim.lr_scheduler.CosineAnnealingLR(step, T_max=EPOCHS)
    if name == "step":
        return torch.optim.lr_scheduler.StepLR(step, 10, 0.3)
    return torch.optim.lr_scheduler.ConstantLR(step, 1.0)


def curve(name, activation, schedule, options, features, labels, seed):
    torch.manual_seed(seed)
    act = ACTIVATIONS[activation]
    network = torch.nn.Sequential(
        torch.nn.Linear(5, 7), act(), torch.nn.Linear(7, 4), act(), torch.nn.Linear(4, 3)
    )
    tensors = {key: value.flatten().tolist() for key, value in network.state_dict().items()}
    weights = options.get("class_weights")
    criterion = torch.nn.CrossEntropyLoss(
        weight=None if weights is None else torch.tensor(weights), label_smoothing=options.get("label_smoothing", 0.0)
    )
    step = optimiser(name, network.parameters(), options.get("weight_decay", 0.0))
    rate = scheduler(schedule, step)
    losses = []
    for _ in range(EPOCHS):
        step.zero_grad()
        loss = criterion(network(features), labels)
        loss.backward()
        if "clip_norm" in options:
            torch.nn.utils.clip_grad_norm_(network.parameters(), options["clip_norm"])
        step.step()
        rate.step()
        losses.append(loss.item())
    final = {key: value.flatten().tolist() for key, value in network.state_dict().items()}
    return {"optimiser": name, "activation": activation, "schedule": schedule, **options, "tensors": tensors,
            "losses": losses, "final": final}


def main():
    torch.manual_seed(0)
    features = torch.randn(24, 5)
    labels = (features[:, 0] + 0.5 * features[:, 1] * features[:, 2] > 0).long() + (features[:, 3] > 0.5).long()
    cases = [curve(*case, features, labels, seed) for seed, case in enumerate(CASES)]
    document = {"torch": torch.__version__, "epochs": EPOCHS, "features": features.flatten().tolist(),
                "labels": labels.tolist(), "cases": cases}
    print(json.dumps(document))


main()
