"""Reads a model card and a bill of materials as those do whom they are for."""

import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from huggingface_hub import ModelCard

card = ModelCard(Path(sys.argv[1]).read_text(encoding="utf-8"), ignore_metadata_errors=False)
decided = sys.argv[3] != "inconclusive"
results = card.data.eval_results or []
assert bool(results) == decided, results
for result in results:
    assert result.task_type == "other" and result.metric_type in {"roc_auc", "tpr_at_fpr"}, result
    assert isinstance(result.metric_value, float) and 0 <= result.metric_value <= 1, result
    interval = result.metric_args
    assert interval["low"] <= result.metric_value <= interval["high"], result
    assert "lower is better" in result.metric_name and result.source_url.startswith("https://"), result
assert "Membership inference audit" in card.text
# What was read is written again without loss.
assert ModelCard(str(card)).data.to_dict() == card.data.to_dict()

document = Path(sys.argv[2]).read_text(encoding="utf-8")
problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(document)
assert problem is None, problem
print("ok")
