"""Trains one model of a guestlist audit: python3 train.py JOB

guestlist calls this once per model. The job file says which records to train on and where to
write what the model thinks of every record, whether it was trained on it or not.
"""

import json
import sys

import numpy as np
from sklearn.ensemble import RandomForestClassifier

with open(sys.argv[1], encoding="utf-8") as file:
    job = json.load(file)

# guestlist has read the data file already: all numbers, columns scaled, classes from 0.
features = np.load(job["features"])  # [records, features]
labels = np.load(job["labels"])  # [records]
rows = np.load(job["rows"])  # the records that this model may learn from: about half

model = RandomForestClassifier(
    n_estimators=job["parameters"]["trees"],
    min_samples_leaf=job["parameters"]["smallest_leaf"],
    random_state=job["seed"],  # the same job gives the same model
)
model.fit(features[rows], labels[rows])

# One row per record and one column per class, even for a class that is not among the rows.
probabilities = np.zeros((job["records"], job["classes"]))
probabilities[:, model.classes_] = model.predict_proba(features)
np.save(job["output"], probabilities)

# Whatever is printed goes to the model's log.
rest = np.setdiff1d(np.arange(job["records"]), rows)
print("accuracy on its own records:", model.score(features[rows], labels[rows]))
print("accuracy on the others:     ", model.score(features[rest], labels[rest]))
