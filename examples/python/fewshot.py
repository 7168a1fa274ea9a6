"""A model's features of records, of which an attacker knows a few: python fewshot.py features.npz"""

import sys

import guestlist

report = guestlist.audit_fewshot(sys.argv[1], shots=[1, 5, 10])
print(report.to_text())
report.save("audit", figures=True)
sys.exit({"pass": 0, "fail": 1}.get(report.outcome, 3))
