"""Prints the JSON Schema of the evidence, as ``docs/evidence`` publishes it."""

import json
import sys

from certify.evidence.read import json_schema

if __name__ == "__main__":
    sys.stdout.write(json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n")
